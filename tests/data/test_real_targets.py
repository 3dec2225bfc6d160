"""Real targets from the task to the stores: data, networks, recordings, a search for the learning rate, refusals."""

import numpy as np
import pytest
import torch

from isobath.contracts.tiny_stacks import LOSS
from isobath.disk import store
from isobath.jobs.specs import loss, tensors
from isobath.operations import declarations
from isobath.stages import data, kernels, learning_rates, networks
from isobath.statuses import DIVERGED, UNFITTED
from isobath.training.trials import WORST, Trial, best

TASK = {"kind": "linear_teacher", "dimension": 5, "noise": 0.1}
CELL = {"task": "t", "protocol": "p", "depth": 1, "width": 30, "n_train": 200, "draw": 0}
PROTOCOL = {
    "kind": "sgd", "batch_size": 20, "precision": "float64", "max_epochs": 60, "check_every": 10,
    "network": {"kind": "mlp"}, "loss": {"kind": "mean_squared_error"},
}  # fmt: skip


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    for name, draw in (("train", 0), ("test", None)):
        spec = {"task": TASK, "name": "t", "n": 200, "draw": draw, "seed": 0}
        data.main(spec, "code", folder / f"{name}.zarr.zip")
        assert list(declarations.oddities("training_sets", spec, store.metadata(folder / f"{name}.zarr.zip"))) == []
    return {"training_set": folder / "train.zarr.zip", "test_set": folder / "test.zarr.zip"}


def spec_of(**changes):
    found = {"cell": CELL, "protocol": PROTOCOL, "learning_rate": [0.02, 1e6], "seed": 0, "seeds": [0, 1]}
    return found | {"records": [0, 10, 60], "store": "errors"} | changes


def test_a_data_set_of_real_targets_has_no_balance(sets):
    stored = store.read(sets["training_set"])
    assert stored.targets.dims == ("sample", "target")
    assert stored.targets.attrs["units"] == "1"
    assert not {"labels", "balance"} & set(stored)
    inputs, truth = tensors(sets["training_set"], torch.device("cpu"))
    assert inputs.shape == (200, 5)
    assert truth.shape == (200, 1)


@pytest.mark.parametrize("plugin", [{"kind": "mean_squared_error"}, {"kind": "power", "p": 2}])
def test_networks_learn_real_targets_and_their_error_is_the_squared_one(sets, tmp_path, plugin):
    spec = spec_of(protocol={**PROTOCOL, "loss": plugin})
    path = tmp_path / "n.zarr.zip"
    networks.main(spec, "code", **sets, memory_mb=1000, output=path, checkpoints=tmp_path / "c")
    stored = store.read(path)
    trained, lost = stored.sel(learning_rate=0.02), stored.sel(learning_rate=1e6)
    assert (trained.status == UNFITTED).all()  # to the last epoch: no error is exactly 0
    assert (trained.epochs == 60).all()
    assert (trained.unmet == 1).all()
    assert (trained.test_error < 0.2).all()  # of a variance of 1.01, with noise of 0.01
    assert (trained.recorded_test_error.sel(step=0) > 0.5).all()
    np.testing.assert_allclose(trained.recorded_test_error.sel(step=60), trained.test_error)
    halves = (trained.recorded_first_half_error + trained.recorded_second_half_error) / 2
    np.testing.assert_allclose(halves.sel(step=60), trained.test_error)
    assert (lost.status == DIVERGED).all()
    assert lost.test_error.isnull().all()
    assert stored.test_error.attrs["long_name"] == "mean squared error of the test set"
    assert list(declarations.oddities("networks", spec, store.metadata(path))) == []


def test_a_kernel_regresses_real_targets_and_its_error_is_the_squared_one(sets, tmp_path):
    cell = {"task": "t", "kernel": "k", "n_train": 200, "draw": 0}
    ridges = {"ridges": [1e-6, 1e-2], "validation": 0.2}
    spec = {"cell": cell, "kernel": {"kind": "ntk", "beta": 0.1}, "depth": [1, 2], "seed": 0, **ridges}
    path = tmp_path / "k.zarr.zip"
    kernels.main(spec, "code", **sets, memory_mb=1000, output=path)
    stored = store.read(path)
    assert (stored.test_error < 0.2).all()  # of a variance of 1.01, with noise of 0.01
    assert stored.test_error.attrs["long_name"] == "mean squared error of the test set"
    assert stored.validation_error.dims == ("depth", "ridge")
    assert (abs(stored.test_error_sd / stored.test_error / np.sqrt(2) - 1) < 0.3).all()  # of normal residuals
    assert list(declarations.oddities("kernels", spec, store.metadata(path))) == []


def test_outputs_that_are_kept_give_the_stored_error(sets, tmp_path):
    spec, path = spec_of(learning_rate=0.02, records=[], store="outputs"), tmp_path / "n.zarr.zip"
    networks.main(spec, "code", **sets, memory_mb=1000, output=path, checkpoints=tmp_path / "c")
    stored = store.read(path)
    squares = (stored.outputs - stored.test_targets) ** 2
    np.testing.assert_allclose(squares.mean(("test_sample", "output")), stored.test_error)
    np.testing.assert_allclose(squares.mean("output").std("test_sample", ddof=1), stored.test_error_sd)
    assert "test_labels" not in stored


def test_a_search_minimises_the_share_of_the_variance_that_is_not_explained(sets, tmp_path):
    search = {"minimum": 1e-4, "maximum": 1e4, "folds": 3, "initial": 4, "rounds": 1, "suggestions": 1}
    spec = spec_of(learning_rate={**search, "noise": 0.01, "ties": "smaller", "patience": 4, "widenings": 1})
    path = tmp_path / "l.zarr.zip"
    learning_rates.main(spec, "code", sets["training_set"], memory_mb=1000, output=path, checkpoints=tmp_path / "c")
    assert list(declarations.oddities("learning_rates", spec, store.metadata(path))) == []
    trials = store.read(path)
    assert trials.cost.max() == WORST  # diverged
    assert float(trials.cost.min()) < 0.3
    variance = store.read(sets["training_set"]).targets.values.var()
    kept = trials.isel(trial=int(trials.cost.argmin("trial")))
    share = float(kept.validation_error.mean()) / variance
    assert float(kept.cost) == pytest.approx(share / (1 + share))
    assert float(trials.learning_rate) == float(kept.trial_rate)


def test_a_trial_of_real_targets_counts_unless_it_diverged():
    epochs = np.full(2, 10)
    unfitted, diverged = np.array([UNFITTED] * 2, dtype=object), np.array([UNFITTED, DIVERGED], dtype=object)
    good = Trial(0.1, np.array([1.0, 3.0]), unfitted, epochs, unit=4.0)
    assert good.cost == pytest.approx(0.5 / (1 + 0.5))  # (1 + 3) / 2 of a unit of 4
    large, larger = (Trial(0.1, np.array([e, 1.0]), unfitted, epochs, unit=4.0).cost for e in (40, 4e5))
    assert good.cost < large < larger < WORST
    assert Trial(0.1, np.array([1.0, np.nan]), diverged, epochs, unit=4.0).cost == WORST
    assert Trial(0.1, np.array([0.1, 0.1]), unfitted, epochs).cost == WORST  # of classes
    assert best([Trial(0.2, np.array([2.0, 3.0]), unfitted, epochs, unit=4.0), good]) == good


def test_a_loss_of_classes_is_refused_before_training(sets, tmp_path):
    for kind in ("cross_entropy", "squared_hinge"):
        spec = spec_of(protocol={**PROTOCOL, "loss": {"kind": kind}})
        with pytest.raises(ValueError, match=f"the loss {kind} takes classes; the data set has real targets"):
            networks.main(spec, "code", **sets, memory_mb=1000, output=tmp_path / "n", checkpoints=tmp_path / "c")


def test_targets_of_several_outputs_are_averaged():
    y, f = torch.zeros(4, 3), torch.ones(2, 4, 3)
    assert loss("mean_squared_error").error(f, y).tolist() == [[1.0] * 4] * 2
    assert LOSS["mean_squared_error"].value(f, y).tolist() == [[3.0] * 4] * 2
