"""Oscillations of networks on sawtooth labels: counted from stored weights, at their start and after training."""

import numpy as np
import pytest
import torch
import xarray as xr
from house import write_study
from untrained_stores import flattened, started

from isobath import results
from isobath.binding import bound
from isobath.disk import store
from isobath.jobs.training_specs import recipe
from isobath.results import oscillation_counts as kind
from isobath.separation.sawtooth import pieces
from isobath.stages import oscillation_counts
from isobath.stages import oscillation_counts as stage
from isobath.study import grids, loading
from isobath.training.recipes import replicas

CELL = {"task": "t", "protocol": "p", "depth": 2, "width": 5, "n_train": 40, "draw": 0}
PROTOCOL = {"kind": "adam", "batch_size": 10, "max_epochs": 1, "check_every": 1, "loss": "linear_hinge"}
PROTOCOL |= {"precision": "float32", "network": {"kind": "mlp", "initialisation": "torch_uniform"}}
SPEC = {"cell": CELL, "protocol": PROTOCOL, "seed": 3, "wave": {"folds": 2, "triangles": 1}}
RATES, SEEDS = [1e-30, 0.01, 1e30], [0, 1]


@pytest.mark.parametrize(("folds", "triangles"), [(1, 1), (3, 1), (2, 3)])
def test_the_network_that_folds_has_all_intervals_and_is_never_wrong(folds, triangles):
    built = bound("construction", "sawtooth_folding")({"kind": "sawtooth", "folds": folds, "triangles": triangles})
    count = pieces(folds=folds, triangles=triangles)
    assert stage.counts([w[0].numpy() for w in built.weights], count) == pytest.approx([count + 1, 0, 1])


def test_a_network_that_diverged_has_no_counts():
    assert np.isnan(stage.counts([np.array([[np.nan]]), np.zeros((1, 1))], 4)).all()


def test_counts_of_a_block_follow_its_weights_at_every_rate(tmp_path):
    """At a rate of 1e-30 no weight moves; at 1e30 networks diverge, or have what is left of them."""
    generator = np.random.default_rng(0)
    x, labels = (torch.from_numpy(v) for v in bound("task", {"kind": "sawtooth", "folds": 2})(40, generator=generator))
    networks = replicas(("t", 2, 5), RATES, SEEDS, 40)
    columns = recipe({**SPEC, "learning_rate": RATES}).train_and_test(
        networks, (x, labels), (x, labels), memory=1e9, weights=True
    )
    weights = columns["weights"].reshape(len(RATES), len(SEEDS), -1)
    block = xr.Dataset({"weights": (("learning_rate", "seed", "parameter"), weights)})
    block = block.assign_coords(learning_rate=RATES, seed=SEEDS, parameter=range(weights.shape[-1]))
    store.write(block, tmp_path / "networks.zarr.zip")
    stage.main(SPEC, "code", tmp_path / "networks.zarr.zip", tmp_path / "counts.zarr.zip")
    found = store.read(tmp_path / "counts.zarr.zip")
    for name in stage.COUNTED:
        np.testing.assert_array_equal(found[name].sel(moment="start", learning_rate=0.01), found[name][0, 0])
        np.testing.assert_array_equal(found[name].sel(moment="end", learning_rate=1e-30), found[name][0, 0])
    assert (found.intervals[0] >= 1).all()
    assert all({*variable.dims} <= {*found[name].dims} for name, variable in kind.VARIABLES.items())
    along = xr.where(found.output[1] >= 0, 1, 0).diff("x") != 0
    assert (found.intervals.sel(moment="end")[1] >= along.sum("x") + 1).all()


STUDY = """
title: Sawtooths
source: none
n_test: 50
tasks:
  s: {kind: sawtooth, folds: 2}
  k: {kind: k_local, k: 1, dimension: 3}
protocols:
  p: {kind: adam, network: NETWORK, loss: LOSS, store: STORE, learning_rate: [0.1, 1], max_epochs: 1, check_every: 1}
grids:
  g:
    - {tasks: [s, k], protocols: [p], depth: [1, 2], width: [3], n_train: [20], seeds: 2}
"""


@pytest.mark.parametrize(
    ("loss", "stored", "network", "cells"),
    [
        ("linear_hinge", "weights", "mlp", 2),
        ("linear_hinge", "errors", "mlp", 0),
        ("cross_entropy", "weights", "mlp", 0),
        ("linear_hinge", "weights", "{kind: mlp, activation: identity}", 0),
        ("linear_hinge", "weights", "residual", 0),
    ],
)
def test_networks_are_counted_that_have_kinks_one_output_and_stored_weights(tmp_path, loss, stored, network, cells):
    text = STUDY.replace("LOSS", loss).replace("STORE", stored).replace("NETWORK", network)
    study = loading.load_study(write_study(tmp_path / "one", text, smoke=""), "smoke")
    members = list(kind.members(grids.of_study(study, "g"), results.every_seed))
    assert {member.cell["task"] for member in members} == ({"s"} if cells else set())
    assert len(members) == cells


def test_stored_outputs_are_those_at_their_x(tmp_path):
    f, weights = started(SPEC, 1, 0)
    block = xr.Dataset({"weights": (("seed", "parameter"), flattened(weights))}, {"seed": [0, 1]})
    store.write(block, tmp_path / "networks.zarr.zip")
    oscillation_counts.main(SPEC, "code", tmp_path / "networks.zarr.zip", tmp_path / "counts.zarr.zip")
    found = store.read(tmp_path / "counts.zarr.zip").output
    z = torch.from_numpy(2 * found.x.values - 1)[:, None]
    np.testing.assert_allclose(found.transpose("seed", "x"), f.apply(weights, z)[:, :, 0], rtol=1e-5, atol=1e-6)
