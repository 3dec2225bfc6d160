"""The library trains and regresses what the workflow does, to the bit, and refuses the rest in one sentence."""

import importlib
import json

import numpy as np
import pytest
import torch
import xarray as xr
from house import write_study

import isobath
from isobath.disk import store
from isobath.study.run import Run, canonical
from isobath.study.schema import Config
from isobath.workflow import plan

STUDY = """
title: t
source: s
n_test: 80
tasks:
  a: {kind: k_local, k: 2, dimension: 4}
  real: {kind: linear_teacher, dimension: 4}
protocols:
  sgd: {kind: sgd, network: mlp, max_epochs: 60, check_every: 20, learning_rate: "min(0.1, 1 / width)"}
  swept: {like: sgd, batch_size: 7, learning_rate: [0.1, 0.3], loss: squared_hinge, records: 2}
  kept: {like: sgd, store: outputs, network: {kind: mlp, initialisation: he_normal}}
  squares: {like: sgd, loss: mean_squared_error}
  adam: # the name of a kind: that of a search is part of its streams
    kind: adam
    batch_size: null
    network: mlp
    precision: float64
    max_epochs: 40
    check_every: 20
    learning_rate: {minimum: 0.01, maximum: 0.3, folds: 2, initial: 2, rounds: 0, widenings: 0}
kernels:
  ntk: {kind: ntk, beta: 0.3}
  ridged: {kind: ntk, ridges: [0.01, 1e-4, 1], validation: 0.3}
  laplace: {kind: gamma_exponential}
grids:
  g:
    - {tasks: [a], protocols: [sgd, kept], depth: [1, 2], width: [3, 5], n_train: [40], seeds: 3}
    - {tasks: [a], kernels: [ntk, ridged], depth: [1, 2], n_train: [40]}
    - {tasks: [a], protocols: [adam], depth: [2], width: [4], n_train: [40], seeds: 2, draws: 2}
    - {tasks: [a], kernels: [laplace], n_train: [40]}
  targets:
    - {tasks: [real], protocols: [squares], depth: [1], width: [4], n_train: [40], seeds: 2}
  sweep:
    - {tasks: [a], protocols: [swept], depth: [1], width: [3], n_train: [40], seeds: 2}
"""
MORE = {
    "learning_rates": ("memory_mb", "checkpoints"),
    "networks": ("memory_mb", "checkpoints"),
    "kernels": ("memory_mb",),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    study = plan.load_study(write_study(tmp_path_factory.mktemp("study") / "s", STUDY, demo=""), "demo")
    return Run(Config(scale="demo", studies=["s"], seed=7), {"s": study})


@pytest.fixture(scope="module")
def made(run, tmp_path_factory):
    """Run the stages of a study; return its jobs, and the data that each has written."""
    folder, found = tmp_path_factory.mktemp("made"), []
    for job in plan.jobs(run):
        if job.rule not in ("training_sets", "test_sets", *MORE):
            continue
        stage = importlib.import_module(f"isobath.stages.{'data' if job.rule.endswith('_sets') else job.rule}")
        inputs = {name: folder / path for name, path in plan.inputs(run, job.rule, job.names).items() if path}
        more = {"memory_mb": 1000, "checkpoints": folder / job.checkpoints}
        more = {name: more[name] for name in MORE.get(job.rule, ())}
        output = folder / job.outputs[0]
        stage.main(json.loads(canonical(job.spec(run))), code="c", output=output, **inputs, **more)
        found.append((job, store.read(output)))
    torch.set_flush_denormal(False)
    return found


def data(made, task, draw=0):
    """Return inputs and labels or targets of a task, and its test set."""
    sets = {}
    for job, one in made:
        if job.rule.endswith("_sets") and job.names["task"] == task and job.names.get("draw", str(draw)) == str(draw):
            sets[job.rule] = one.inputs.values, (one.labels if "labels" in one else one.targets).values
    return *sets["training_sets"], sets["test_sets"]


def of(made, rule, **names):
    return [(job.names, one) for job, one in made if job.rule == rule and names.items() <= job.names.items()]


def same(stored, ours):
    """Assert that everything that was stored is the same, in values, dims and attributes."""
    for name, variable in stored.data_vars.items():
        found = ours[name].transpose(*variable.dims)
        assert found.variable.identical(variable.variable), name


@pytest.mark.parametrize("protocol", ["sgd", "kept"])
def test_networks_are_those_of_the_workflow(run, made, protocol):
    x, y, test = data(made, "a")
    asked = run.studies["s"].protocols[protocol].model_dump(mode="json")
    ours = isobath.train(x, y, test=test, depth=[1, 2], width=[3, 5], networks=3, protocol=asked, seed=7, name="a")
    cells = of(made, "networks", protocol=protocol)
    assert len(cells) == 4
    for names, stored in cells:
        place = {axis: int(names[axis]) for axis in ("depth", "width")}
        same(stored.drop_vars("weights", errors="ignore"), ours.sel(place))


def test_weights_of_one_cell_and_seeds_that_are_named(run, made):
    x, y, test = data(made, "a")
    asked = run.studies["s"].protocols["kept"].model_dump(mode="json")
    ((_, stored),) = of(made, "networks", protocol="kept", depth="2", width="5")
    how = {"depth": 2, "width": 5, "protocol": asked, "seed": 7, "name": "a"}
    same(stored.sel(seed=[0, 2]), isobath.train(x, y, test=test, networks=[2, 0], **how))
    other = isobath.train(x, y, test=test, networks=[2, 0], **how | {"seed": 8})
    assert not np.allclose(other.weights, stored.weights.sel(seed=[0, 2]))


def test_a_sweep_with_records(run, made):
    x, y, test = data(made, "a")
    ((_, stored),) = of(made, "networks", protocol="swept")
    how = {"loss": "squared_hinge", "batch_size": 7, "max_epochs": 60, "check_every": 20, "records": 2}
    ours = isobath.train(x, y, test=test, depth=1, width=3, networks=2, rate=[0.1, 0.3], seed=7, name="a", **how)
    assert {*ours.test_error.dims} == {"learning_rate", "seed"}
    same(stored, ours)


@pytest.mark.filterwarnings("ignore:depth 2, width 4. rate not found")
@pytest.mark.parametrize("draw", [0, 1])
def test_a_search_finds_the_rate_of_the_workflow(run, made, draw):
    x, y, test = data(made, "a", draw)
    rate = {"minimum": 0.01, "maximum": 0.3, "folds": 2, "initial": 2, "rounds": 0, "widenings": 0}
    how = {"protocol": "adam", "batch_size": None, "precision": "float64", "max_epochs": 40, "check_every": 20}
    ours = isobath.train(x, y, test=test, depth=2, width=4, networks=2, rate=rate, seed=7, name="a", draw=draw, **how)
    ((_, searched),) = of(made, "learning_rates", draw=str(draw))
    assert float(searched.learning_rate) == float(ours.learning_rate[0])
    ((_, stored),) = of(made, "networks", protocol="adam", draw=str(draw))
    same(stored, ours)


def test_real_targets(run, made):
    x, y, test = data(made, "real")
    ((_, stored),) = of(made, "networks", protocol="squares")
    how = {"loss": "mean_squared_error", "max_epochs": 60, "check_every": 20, "rate": "min(0.1, 1 / width)"}
    ours = isobath.train(x, y, test=test, depth=1, width=4, networks=2, seed=7, name="real", **how)
    assert "mean squared error" in ours.test_error.attrs["long_name"]
    same(stored, ours)


@pytest.mark.parametrize(
    ("kernel", "settings"),
    [("ntk", {"beta": 0.3}), ("ridged", {"ridges": [0.01, 1e-4, 1], "validation": 0.3})],
)
def test_regressions_are_those_of_the_workflow(made, kernel, settings):
    x, y, test = data(made, "a")
    ((_, stored),) = of(made, "kernels", kernel=kernel)
    how = {"test": test, "seed": 7, "name": "a", **settings}
    same(stored, isobath.regress(x, y, kernel="ntk", depth=[2, 1], **how))
    same(stored.sel(depth=2), isobath.regress(x, y, kernel={"kind": "ntk"}, depth=2, **how))


def test_a_kernel_without_depth_and_targets_in_a_row(made):
    x, y, test = data(made, "a")
    ((_, stored),) = of(made, "kernels", kernel="laplace")
    same(stored, isobath.regress(x, y, test=test, kernel="gamma_exponential"))
    x, y, test = data(made, "real")
    two = isobath.regress(x, y, test=test)
    one = isobath.regress(x, y[:, 0], test=(test[0], test[1][:, 0]))
    assert two.test_error == one.test_error
    assert "mean squared error" in one.test_error.attrs["long_name"]


def test_what_is_returned_explains_itself(made):
    x, y, test = data(made, "a")
    ours = isobath.train(x, y, test=test, width=[3], networks=1, max_epochs=20, check_every=10)
    assert ours.sizes == {"width": 1, "seed": 1}
    for name, variable in ours.variables.items():
        assert variable.attrs["long_name"], name
        assert variable.attrs["units"] == "1"
    assert ours.depth.attrs["long_name"] == "L, number of hidden layers"
    assert ours.attrs["isobath"] == isobath.__version__
    assert ours.attrs["n_test"] == 80
    assert ours.attrs["seed"] == 0
    assert json.loads(ours.attrs["spec"])["protocols"]["sgd"]["learning_rate"] == 0.1


def test_arrays_of_other_libraries_and_types(made):
    x, y, test = data(made, "a")
    how = {"networks": 1, "max_epochs": 20, "check_every": 10}
    usual = isobath.train(x, y, test=test, **how)
    for others in (
        (torch.from_numpy(x), torch.from_numpy(y), (torch.from_numpy(test[0]), torch.from_numpy(test[1]))),
        (xr.DataArray(x), xr.DataArray(y.astype(np.uint8)), test),
        (x.tolist(), y.astype(bool), (test[0].astype(np.float64), test[1])),
    ):
        assert isobath.train(others[0], others[1], test=others[2], **how).equals(usual)


def test_threads_and_denormal_numbers_are_as_they_were(made):
    x, y, test = data(made, "a")
    before, small = torch.get_num_threads(), torch.full((), 1e-38)
    torch.set_num_threads(2)
    try:
        isobath.regress(x, y, test=test)
        assert torch.get_num_threads() == 2
        assert small / 10 > 0
    finally:
        torch.set_num_threads(before)


X, Y = np.ones((6, 3)), np.array([0, 1, 0, 1, 1, 0])
TEST = (X, Y)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rate": -1}, r"rate is -1; it must be a positive number"),
        ({"rate": "1 / widht"}, r"rate at depth 2.*'widht' is not allowed"),
        ({"rate": [0.1, 0.1]}, r"rate is \[0.1, 0.1\]; a value stands twice"),
        ({"rate": {"folds": 7}}, r"rate has 7 folds and X 6 samples"),
        ({"rate": {"fold": 7}}, r"unknown key 'fold'.*'folds'|rate is .*; it must be"),
        ({"depth": -1}, r"depth is -1; it must be 0 or more"),
        ({"depth": [1, 1]}, r"depth is \[1, 1\]; integers must be different, and 0 or more"),
        ({"width": 2.5}, r"width is 2.5; it must be an integer"),
        ({"width": 0}, r"width is 0; it must be 1 or more"),
        ({"networks": True}, r"networks is True; it must be an integer"),
        ({"depth": [1, True]}, r"depth is \[1, True\]; it must be an integer"),
        ({"seed": np.True_}, r"seed is .*True.*; it must be an integer"),
        ({"networks": 0}, r"networks is 0; it must be 1 or more"),
        ({"networks": []}, r"networks is \[\]"),
        ({"protocol": "sdg"}, r"protocol.kind is 'sdg'.*did you mean 'sgd'"),
        ({"protocol": 3}, r"protocol is 3; it must be a kind, or a mapping"),
        ({"max_epoch": 3}, r"unknown key 'max_epoch'.*did you mean 'max_epochs'"),
        ({"max_epochs": 0}, r"max_epochs is 0; it must be greater"),
        ({"network": "mpl"}, r"network.kind is 'mpl'.*did you mean 'mlp'"),
        ({"loss": "hinge"}, r"loss.kind is 'hinge'"),
        ({"records": 2, "record_every": 3}, r"has records 2 and record_every 3; it can have one"),
        ({"protocol": {"kind": "sgd", "batch_size": 2}, "batch_size": 3}, r"batch_size is in protocol and among"),
        ({"batch_size": object()}, r"protocol is .*; it must be of words, numbers"),
        ({"seed": 0.5}, r"seed is 0.5; it must be an integer"),
        ({"test": X}, r"test is ndarray; it must be a pair"),
        ({"test": None}, r"test is missing; it must be a pair"),
        ({"test": (X[:, :2], Y)}, r"X has 3 features and test\[0\] has 2"),
        ({"test": (X, Y + 0.5)}, r"y has class indices and test\[1\] has 1 real targets"),
        ({"test": (X, Y[:2])}, r"test\[0\] has 6 samples and test\[1\] has 2"),
        ({"X": X[0]}, r"X has the shape \(3,\)"),
        ({"X": np.where(X > 0, np.nan, 0)}, r"X has numbers that are not finite"),
        ({"X": X.astype(str)}, r"X has the shape \(6, 3\) and the type"),
        ({"y": Y - 1}, r"y has the label -1; labels are class indices"),
        ({"y": Y.astype(str)}, r"y has the shape \(6,\) and the type"),
        ({"y": Y + 0.5, "test": (X, Y + 0.5)}, r"the loss cross_entropy takes classes; the data set has real targets"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_one_sentence(arguments, words):
    given = {"X": X, "y": Y, "test": TEST, "max_epochs": 2, "check_every": 1, "networks": 1} | arguments
    with pytest.raises(ValueError, match=words) as refusal:
        isobath.train(given.pop("X"), given.pop("y"), **given)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("call", [isobath.train, isobath.regress])
def test_a_call_without_a_test_set_is_refused_in_one_sentence(call):
    with pytest.raises(ValueError, match="test is missing"):
        call(X, Y)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kernel": "nkt"}, r"kernel.kind is 'nkt'.*did you mean 'ntk'"),
        ({"kernel": "gamma_exponential", "depth": 2}, r"depth is 2; the kernel gamma_exponential has none"),
        ({"depth": 1.5}, r"depth is 1.5; it must be an integer"),
        ({"beta": -1}, r"kernel.beta is -1"),
        ({"ridges": [-1]}, r"ridges\[0\] is -1"),
        ({"ridges": [1], "validation": 2}, r"validation is 2"),
        ({"validation": 0.3}, r"validation is 0.3, and no ridges are there to choose from"),
        ({"ridge": 1}, r"unknown key 'ridge'.*did you mean 'ridges'"),
    ],
)
def test_what_cannot_be_regressed_is_refused_in_one_sentence(arguments, words):
    with pytest.raises(ValueError, match=words) as refusal:
        isobath.regress(X, Y, test=TEST, **arguments)
    assert "\n" not in str(refusal.value)
