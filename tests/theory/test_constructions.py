"""Networks known in closed form, against the sets that they claim to know."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
import torch
import yaml

from isobath import fingerprints, results
from isobath.constructions import Built, cantor_certificate, fractal_folding
from isobath.disk import store
from isobath.fractals import approximation_curves
from isobath.fractals.iterated_functions import GRID, level
from isobath.fractals.sets import FRACTALS, of_task
from isobath.networks import mlp
from isobath.operations import declarations
from isobath.randomness import stream
from isobath.results import cubes as cubes_kind
from isobath.results import split_constructions
from isobath.stages import constructions, data
from isobath.study import grids
from isobath.study.run import StudyRun
from isobath.study.schema import Config, ConfigError, Study
from isobath.tasks.fractal import sample

NAMES = sorted(FRACTALS)
MLP = {"kind": "mlp"}


def output(weights, x):
    return mlp.apply(weights, torch.from_numpy(np.asarray(x, dtype=np.float64)))[0, :, 0].numpy()


def errors(weights, x, labels):
    return (output(weights, x) > 0) != (labels == 1)


def task(system, levels, *, margin=0.0, **more):
    """Return the settings of a task as a study has them, with its defaults."""
    return {"kind": "fractal", "system": system, "levels": levels, "margin": margin, **more}


def wide(maps, n, share=0.2):
    """Return a margin of this share of half the side of a cell of level n."""
    return share * (1 - maps.low) / (2 * maps.ratio**n)


def near_walls(maps, n, margin, count, generator):
    """Return the grid points of the cell within two margins of sides of cells of all levels."""
    q = maps.ratio ** generator.integers(1, n + 1, (count, 1))
    wall = generator.integers(maps.low * q, q + 1, (count, maps.offsets.shape[1])) / q
    near = np.round((wall + generator.uniform(-2 * margin, 2 * margin, wall.shape)) * GRID) / GRID
    return np.clip(near, maps.low, 1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", range(1, 6))
def test_theorem_1(name, n):
    """The error on fresh samples is zero at width 5 d r and depth 2 n + 1; touching images are no exception."""
    maps = FRACTALS[name].maps
    r, d = maps.offsets.shape
    weights = fractal_folding.build(task(name, n, margin=wide(maps, n))).weights
    x, labels = sample(5_000, generator=stream(n, name), system=name, levels=n, curve=3, margin=wide(maps, n))
    assert not errors(weights, x, labels).any()
    assert len(weights) // 2 == 2 * n + 1
    assert max(w.shape[1] for w in weights[::2]) == 4 * d * r + d + 1 <= 5 * d * r


@pytest.mark.parametrize("name", NAMES)
def test_without_a_margin_the_grid_has_one(name):
    n = 5
    weights = fractal_folding.build(task(name, n)).weights
    x, labels = sample(20_000, generator=stream(1, name), system=name, levels=n)
    assert not errors(weights, x, labels).any()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shortcut", [1, 2])
def test_near_sides_only_positives_within_the_margin_are_missed(name, shortcut):
    maps, n = FRACTALS[name].maps, 3
    margin = wide(maps, n)
    weights = fractal_folding.build(task(name, n), margin=margin, shortcut=shortcut).weights
    x = near_walls(maps, n, margin, 20_000, stream(2, name))
    outside = level(maps, x, n) < n
    assert outside.any()
    assert (output(weights, x[outside]) < -0.49).all()
    inside = sample(20_000, generator=stream(3, name), system=name, levels=n)
    missed = errors(weights, *inside)
    assert 0.01 < missed.mean() < 0.2  # the share of positives nearer than half a margin at least is 1 - 0.9^d
    assert (inside[1][missed] == 1).all()


@pytest.mark.parametrize(("n", "shortcut"), [(4, 1), (4, 2), (5, 2), (4, 3), (3, 3), (5, 4)])
@pytest.mark.parametrize("name", ["cantor", "sierpinsky", "cantor_1d"])
def test_corollary_1_trades_depth_for_width(name, n, shortcut):
    maps = FRACTALS[name].maps
    r, d = maps.offsets.shape
    weights = fractal_folding.build(task(name, n, margin=wide(maps, n)), shortcut=shortcut).weights
    assert max(w.shape[1] for w in weights[::2]) <= 5 * d * r**shortcut
    assert len(weights) // 2 == 2 * math.ceil(n / shortcut) + 1
    x, labels = sample(2_000, generator=stream(4, name), system=name, levels=n, curve=1, margin=wide(maps, n))
    assert not errors(weights, x, labels).any()


@pytest.mark.parametrize("j", [1, 2, 4])
@pytest.mark.parametrize("curve", [1, 4])
def test_theorem_3_a_network_of_j_levels_misses_what_lies_deeper(j, curve):
    """Its error is 1 - P(j), exactly the negatives in K_j, to within the binomial error of the closed form."""
    maps, n, count = FRACTALS["cantor"].maps, 5, 20_000
    x, labels = sample(count, generator=stream(j, "t"), levels=n, curve=curve)
    wrong = errors(fractal_folding.build(task("cantor", n), levels=j).weights, x, labels)
    np.testing.assert_array_equal(wrong, (level(maps, x, n) >= j) & (labels == 0))
    p = 1 - approximation_curves.probabilities(approximation_curves.level_weights(curve, n))[j]
    assert abs(wrong.mean() - p) < 4 * math.sqrt(p * (1 - p) / count)


def test_a_fractal_of_ones_own_in_three_dimensions_can_be_folded():
    offsets = [c for c in itertools.product((-2, 0, 2), repeat=3) if c.count(0) < 2]
    own = task(
        "given", 2, margin=wide(of_task(task("given", 2, ratio=3, offsets=offsets)).maps, 2), ratio=3, offsets=offsets
    )
    settings = {key: own[key] for key in ("system", "ratio", "offsets", "levels", "margin")}
    x, labels = sample(3_000, generator=stream(5, "t"), **settings)
    assert not errors(fractal_folding.build(own).weights, x, labels).any()


def on_the_line(n):
    return task("cantor_1d", n)


def cantor(dimension):
    return lambda n: task("given", n, ratio=3, offsets=list(itertools.product((-2, 2), repeat=dimension)))


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("shortcut", [1, 2, 3, 5])
@pytest.mark.parametrize("of", [on_the_line, cantor(1), cantor(2), cantor(3)])
def test_the_certificate_is_exact(n, shortcut, of):
    own, s = of(n), min(shortcut, n)
    weights = cantor_certificate.build(own, shortcut=s).weights
    maps = of_task(own).maps
    dimension = maps.offsets.shape[1]
    *folds, excess = [w.shape[1] for w in weights[:-2:2]]
    assert folds == [2**s * dimension] * (n // s) + [2 ** (n % s) * dimension] * (n % s > 0)
    assert excess == 2 * dimension
    anywhere = stream(6, "t").integers(maps.low * GRID, GRID + 1, (5_000, dimension)) / GRID
    x = np.concatenate([anywhere, near_walls(maps, n, 2 / GRID, 5_000, stream(7, "t"))])
    inside = level(maps, x, n) == n
    assert 0 < inside.sum() < len(x)
    np.testing.assert_array_equal(output(weights, x) > 0, inside)


@pytest.mark.parametrize("shortcut", [1, 3, 7])
def test_the_certificate_is_exact_where_cells_are_smallest(shortcut):
    """3^12 < 2^20 is the finest that a task can have; its smallest cells have 16 grid points."""
    own = on_the_line(12)
    x, labels = sample(20_000, generator=stream(8, "t"), system="cantor_1d", levels=12, curve=6)
    assert not errors(cantor_certificate.build(own, shortcut=shortcut).weights, x, labels).any()


def test_the_certificate_knows_every_sample():
    for n, curve in itertools.product(range(1, 6), range(1, 7)):
        x, labels = sample(2_000, generator=stream(curve, "t"), levels=n, curve=curve)
        assert not errors(cantor_certificate.build(task("cantor", n)).weights, x, labels).any()


def test_networks_have_the_form_of_the_perceptron():
    own = task("cantor", 2)
    for weights in (fractal_folding.build(own, margin=0.01).weights, cantor_certificate.build(own).weights):
        assert all(w.dtype == torch.float64 and w.is_contiguous() and len(w) == 1 for w in weights)
        for w, b in zip(weights[::2], weights[1::2], strict=True):
            assert b.shape == (1, 1, w.shape[1])
        assert weights[-2].shape[1] == 1
        assert mlp.n_weights(weights) == sum(w.numel() for w in weights[::2])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"levels": 2, "margin": 0.01, "shortcut": 3}, "shortcut is 3; it must not exceed levels, which is 2"),
        ({"levels": 2, "margin": 0.2}, "margin is 0.2; it must be less than 0.111"),
        ({"levels": 3}, "levels is 3; it must be at most those of the task, 2"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        fractal_folding.build(task("cantor", 2), **settings)
    with pytest.raises(ValueError, match=message):
        fractal_folding.accept(task("cantor", 2), **{"levels": None, "margin": None, "shortcut": 1} | settings)


def test_a_network_that_fills_the_memory_is_refused():
    menger = {"ratio": 3, "offsets": [c for c in itertools.product((-2, 0, 2), repeat=3) if c.count(0) < 2]}
    with pytest.raises(ValueError, match=r"shortcut is 3: a layer has 3\.1e\+09 weights; allowed: 1e\+08"):
        fractal_folding.build(task("given", 3, **menger), shortcut=3)


@pytest.mark.parametrize(
    ("build", "own", "message"),
    [
        (fractal_folding.build, {"kind": "k_local", "k": 2}, "'k_local'.*must be of the kind fractal"),
        (cantor_certificate.build, task("vicsek", 2), "'vicsek'.*knows Cantor sets alone"),
        (cantor_certificate.build, task("given", 2, ratio=4, offsets=[(-3,), (3,)]), "Cantor sets alone, with ratio 3"),
        (partial(cantor_certificate.build, shortcut=3), task("cantor", 2), "shortcut is 3; it must not exceed levels"),
    ],
)
def test_a_task_that_is_not_known_is_named(build, own, message):
    with pytest.raises(ValueError, match=message):
        build(own)


def test_a_construction_on_a_finite_data_set_has_a_result_for_each_training_set(tmp_path):
    text = """
title: t
source: s
n_test: 10
tasks: {digits: {kind: digits_parity}, sampled: {kind: k_local, k: 2, dimension: 4}}
constructions: {known: {kind: fractal_folding}}
grids:
  g: [{tasks: [digits, sampled], constructions: [known], n_train: [20, 30], draws: 2}]
"""
    run = StudyRun(Config(scale="demo", studies=["mine"], seed=0), "mine", Study.model_validate(yaml.safe_load(text)))
    assert [place["task"] for place in results.names("constructions", run)] == ["sampled"]
    places = list(results.names("split_constructions", run))
    assert [(p["task"], p["n_train"], p["draw"]) for p in places] == [
        ("digits", n, draw) for n in (20, 30) for draw in (0, 1)
    ]
    assert split_constructions.inputs(run, places[1])["test_set"].endswith("data/digits/n20_draw1_test.zarr.zip")
    assert {"task": "digits", "n_train": 30, "draw": 1} in list(results.names("training_sets", run))
    grid = grids.of_spec(cubes_kind.spec(run, {"grid": "g"}))
    found = [(m.group, m.cell["task"]) for m in cubes_kind.all_members(grid, results.every_seed)]
    assert found == [("constructions", "sampled")] + 4 * [("split_constructions", "digits")]
    bare = Study.model_validate(yaml.safe_load(text.replace("n_train: [20, 30], ", "")))
    with pytest.raises(ConfigError, match=r"grids\.g\[0\]\.n_train is missing.*'digits'"):
        split_constructions.check(bare, "study.yaml", "mine")


def test_a_construction_of_real_targets_has_their_squared_error_and_no_classes(tmp_path, monkeypatch):
    own = {"kind": "linear_teacher", "dimension": 3}
    weights = [torch.zeros(1, 1, 3, dtype=torch.float64), torch.zeros(1, 1, 1, dtype=torch.float64)]
    monkeypatch.setattr(constructions, "bound", lambda *_: lambda task: Built(weights, "mlp"))
    data.main({"task": own, "name": "t", "n": 500, "draw": None, "seed": 0}, "code", tmp_path / "test.zarr.zip")
    spec = {"construction": {"kind": "zero"}, "network": MLP, "task": own, "cell": {"task": "t", "construction": "c"}}
    constructions.main(spec, "code", tmp_path / "test.zarr.zip", tmp_path / "c.zarr.zip")
    scored = store.read(tmp_path / "c.zarr.zip")
    targets = store.read(tmp_path / "test.zarr.zip").targets
    assert scored.test_error.item() == pytest.approx(float((targets**2).mean()))
    assert scored.test_error.attrs["long_name"] == "mean squared error of the test set"
    assert "class" not in scored.dims
    assert list(declarations.oddities("constructions", spec, store.metadata(tmp_path / "c.zarr.zip"))) == []


def test_a_construction_of_a_network_that_it_does_not_name_is_refused(tmp_path, monkeypatch):
    """Once an edit of that network did not make constructions anew: no fingerprint had its code."""
    own = task("cantor", 2)
    monkeypatch.setattr(constructions, "bound", lambda *_: lambda task: Built([], {"kind": "cnn", "kernel": 3}))
    cell = {"task": "t", "construction": "c"}
    spec = {"construction": {"kind": "cantor_certificate"}, "network": MLP, "task": own, "cell": cell}
    data.main({"task": own, "name": "t", "n": 5, "draw": None, "seed": 0}, "code", tmp_path / "test.zarr.zip")
    with pytest.raises(ValueError, match=r"certificate gives weights of .*'cnn'.*; NETWORK = .* must stand in it"):
        constructions.main(spec, "code", tmp_path / "test.zarr.zip", tmp_path / "c.zarr.zip")
    assert "isobath.networks.mlp" in fingerprints.modules("constructions", spec)


def test_a_construction_is_scored_and_its_result_is_as_it_should_be(tmp_path):
    """The stages make no error on the test set, and nothing that verify finds odd."""
    own = task("cantor", 2)
    data.main({"task": own, "name": "t", "n": 500, "draw": None, "seed": 0}, "code", tmp_path / "test.zarr.zip")
    cell = {"task": "t", "construction": "c"}
    spec = {"construction": {"kind": "cantor_certificate"}, "network": MLP, "task": own, "cell": cell}
    constructions.main(spec, "code", tmp_path / "test.zarr.zip", tmp_path / "c.zarr.zip")
    scored = store.read(tmp_path / "c.zarr.zip")
    assert scored.test_error == 0
    assert scored.class_error.values.tolist() == [0, 0]
    assert scored.class_count.sum() == 500
    assert (scored.n_hidden_layers, scored.largest_width) == (3, 4)
    assert list(declarations.oddities("constructions", spec, store.metadata(tmp_path / "c.zarr.zip"))) == []
    wrong = scored.drop_vars("n_parameters")
    store.write(wrong, tmp_path / "c.zarr.zip")
    assert list(declarations.oddities("constructions", spec, store.metadata(tmp_path / "c.zarr.zip"))) == [
        "it has no n_parameters"
    ]
