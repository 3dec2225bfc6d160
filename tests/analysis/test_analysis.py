"""Cubes, averages and verdicts, on made-up results."""

import json
import math

import numpy as np
import pytest
import xarray as xr
from locality_cubes import block, regression

from isobath import results
from isobath.analysis.cells import Cells
from isobath.analysis.combinations import average, slope
from isobath.analysis.cubes import describe, gather
from isobath.analysis.estimates import Estimate, NotRun, Undetermined, proportion
from isobath.analysis.over_networks import moments, over_networks
from isobath.analysis.sampling_errors import measured, paired
from isobath.analysis.spreads import standard_deviation
from isobath.analysis.standard_errors import standard_error
from isobath.results.networks import GROUPS


def test_a_cube_has_the_labels_of_a_test_set_once():
    def kept(task, width, labels):
        outputs = (("seed", "test_sample"), np.full((2, len(labels)), float(width)))
        one = block([0, 1], [0.1, 0.2], task=task, width=width)
        extra = {"outputs": outputs, "test_labels": ("test_sample", labels)}
        return one.assign(extra).assign_coords(test_sample=np.arange(len(labels)))

    parts = [kept("a", 3, [0, 1, 1]), kept("a", 4, [0, 1, 1]), kept("b", 3, [1, 0]), kept("b", 4, [1, 0])]
    cube = gather(parts, [*GROUPS["networks"]])
    assert cube.test_labels.dims == ("task", "n_train", "draw", "test_sample")
    np.testing.assert_array_equal(cube.test_labels.squeeze().astype(float), [[0, 1, 1], [1, 0, np.nan]])
    assert cube.outputs.sel(task="a", width=4).squeeze().values.tolist() == [[4.0] * 3] * 2


def test_a_cube_has_the_targets_of_a_test_set_once():
    def kept(task, width, targets):
        extra = {"test_targets": (("test_sample", "output"), np.array(targets))}
        at = {"test_sample": np.arange(len(targets)), "output": [0, 1]}
        return block([0, 1], [0.1, 0.2], task=task, width=width).assign(extra).assign_coords(at)

    one, other = [[0.5, 1.0], [2.0, -1.0]], [[3.0, 4.0]]
    cube = gather([kept("a", 3, one), kept("a", 4, one), kept("b", 3, other)], [*GROUPS["networks"]])
    assert cube.test_targets.dims == ("task", "n_train", "draw", "test_sample", "output")
    np.testing.assert_array_equal(cube.test_targets.squeeze(), [one, [*other, [np.nan, np.nan]]])


def test_rates_that_another_protocol_was_not_offered_are_missing():
    def swept(protocol, rates):
        return block([0], [0.1], protocol=protocol).expand_dims(learning_rate=list(rates))

    cube = gather([swept("a", (0.1, 0.2)), swept("b", (0.2, 0.4))], [*GROUPS["networks"]])
    status = cube.status.squeeze().transpose("protocol", "learning_rate")
    assert status.values.tolist() == [["fitted", "fitted", "missing"], ["missing", "fitted", "fitted"]]


def test_a_cube_has_every_cell_at_its_labels_and_says_what_is_missing():
    parts = [
        block([0, 1], [0.1, 0.2]),
        block([2], [0.3]),
        block([0], [0.4], depth=7, width=20),
        block([0, 1], [0.5, math.nan], ["fitted", "diverged"], task="2-global", n_train=80),
    ]
    cube = gather(parts, [*GROUPS["networks"]])
    for p in parts:
        for seed in p.seed.values:
            at = {axis: p[axis].item() for axis in GROUPS["networks"][:-1]} | {"seed": seed}
            np.testing.assert_equal(cube.test_error.sel(at).item(), p.test_error.sel(seed=seed).item())
            assert cube.status.sel(at).item() == p.status.sel(seed=seed).item()
    assert (cube.status != "missing").sum() == 6
    assert cube.test_error.notnull().sum() == 5
    assert list(cube.seed.values) == [0, 1, 2]
    assert list(cube.depth.values) == [1, 7]


def test_a_cube_keeps_the_other_dims_of_a_sweep():
    sweep = block([0, 1], [0.1, 0.2]).expand_dims(learning_rate=[0.01, 0.1])
    cube = gather([sweep, sweep.assign_coords(depth=7)], [*GROUPS["networks"]])
    assert set(cube.test_error.dims) == {*GROUPS["networks"], "learning_rate"}
    assert cube.test_error.sel(depth=7, learning_rate=0.1, seed=1).item() == 0.2


def test_two_results_for_one_place_are_refused():
    with pytest.raises(ValueError, match=r"two results claim task 2-local, .*, seed 1"):
        gather([block([0, 1], [0.1, 0.2]), block([1, 2], [0.1, 0.2])], [*GROUPS["networks"]])


def test_settings_become_coordinates():
    cube = gather([block([0], [0.1]), block([0], [0.1], task="mine")], [*GROUPS["networks"]])
    tasks = {"2-local": {"kind": "k_local", "k": 2, "offsets": None}, "mine": {"kind": "other", "share": 0.5}}
    cube = describe(cube, {"task": tasks, "kernel": {}})
    assert cube.task_kind.sel(task="mine").item() == "other"
    assert cube.task_k.sel(task="2-local").item() == 2
    assert np.isnan(cube.task_k.sel(task="mine").item())
    assert "task_offsets" not in cube.coords


def test_networks_that_did_not_fit_are_counted_and_never_averaged():
    statuses = ["fitted", "unfitted", "fitted", "diverged"]
    cube = gather([block(range(4), [0.1, 0.5, 0.3, math.nan], statuses)], [*GROUPS["networks"]])
    summary = over_networks(cube).squeeze()
    assert summary["mean"].item() == pytest.approx(0.2)
    assert summary.sd.item() == pytest.approx(np.std([0.1, 0.3], ddof=1))
    assert (summary.counted.item(), summary.trained.item()) == (2, 4)
    finite = over_networks(cube, status="finite").squeeze()
    assert finite["mean"].item() == pytest.approx(0.3)
    assert (finite.counted.item(), finite.trained.item()) == (3, 4)


def test_networks_without_a_number_count_neither_in_its_mean_nor_in_its_deviation():
    values = xr.DataArray([[0.1, 0.3, np.nan, 0.9], [np.nan] * 4], dims=("draw", "seed"))
    mean, sd = moments(values, xr.DataArray([[True, True, True, False], [True] * 4], dims=("draw", "seed")))
    np.testing.assert_allclose([mean, sd], [0.2, np.sqrt(0.02)])


def test_the_interval_of_an_estimate_is_students():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(2000):
        x = rng.normal(0.3, 0.1, 5)
        low, high = Estimate(x.mean(), x.std(ddof=1) / math.sqrt(5), 0.0, 5).interval()
        covered += low < 0.3 < high
    assert 0.93 < covered / 2000 < 0.97


def test_estimates_combine():
    a, b = Estimate(0.4, 0.03, 0.01, 10), Estimate(0.1, 0.04, 0.01, 5)
    difference = a - b
    assert difference.value == pytest.approx(0.3)
    assert difference.spread == pytest.approx(0.05)
    assert difference.count == 5
    mean = average([a, a])
    assert mean.spread == pytest.approx(0.03 / math.sqrt(2))
    assert mean.sample == 0.01  # the test set is shared
    with pytest.raises(NotRun):
        average([])


def test_draws_are_what_is_independent():
    """Networks of one draw share their data: thirty networks of three draws are three numbers."""
    draws = [0.1, 0.2, 0.3]
    cube = gather([block(range(10), [e] * 10, draw=i) for i, e in enumerate(draws)], [*GROUPS["networks"]])
    tree = xr.DataTree.from_dict({"samples/networks": describe(cube, {})})
    tree["samples"].attrs |= {"n_test": 10**9, "spec": json.dumps({"tasks": {"2-local": {}}})}
    found = Cells.of(tree, "samples", protocol="sgd").error(task="2-local", depth=1, width=10, n_train=50)
    assert found.count == 3
    assert found.spread == pytest.approx(0.1 / math.sqrt(3))


def test_an_estimate_over_values_has_their_standard_error_and_that_of_the_test_sample():
    values = np.array([[0.1, np.nan], [0.3, 0.2]])
    estimate = measured(xr.DataArray(values), n_test=400)
    assert (estimate.value, estimate.count) == (pytest.approx(0.2), 3)
    assert estimate.spread == pytest.approx(0.1 / math.sqrt(3))
    assert estimate.sample == pytest.approx(math.sqrt(0.2 * 0.8 / 400))
    alone = Estimate.over([0.5])
    assert (alone.sample, alone.count) == (0.0, 1)
    assert math.isnan(alone.spread)
    assert math.isnan(standard_error([0.5]))
    with pytest.raises(Undetermined):
        Estimate.over([np.nan])


def test_other_estimates_have_the_errors_of_normal_theory():
    rng = np.random.default_rng(0)
    x = rng.normal(0, 0.3, 5000)
    sd = standard_deviation(x)
    assert sd.low < 0.3 < sd.high
    assert sd.plain().spread == pytest.approx(sd.value / math.sqrt(2 * 4999), rel=0.1)
    gap = paired(x, spread=0.02, count=7)
    assert (gap.spread, gap.sample, gap.count) == (0.02, standard_error(x), 7)
    line = slope(np.array([0.0, 1.0, 2.0]), [Estimate(v, 0.1, 0.0, 5) for v in (1.0, 3.0, 5.0)])
    assert (line.value, line.spread) == pytest.approx((2, 0.1 / math.sqrt(2)))
    with pytest.raises(Undetermined, match="2 networks have no standard deviation"):
        standard_deviation([1.0, 2.0])
    with pytest.raises(NotRun):
        proportion(0, 0)


@pytest.mark.parametrize("n", [3, 5, 20])
def test_few_networks_have_a_spread_with_an_interval(n):
    found = [standard_deviation(row) for row in np.random.default_rng(n).normal(0, 0.3, (1000, n))]
    assert 0.93 < np.mean([sd.low < 0.3 < sd.high for sd in found]) < 0.999


def test_equal_networks_do_not_make_an_interval_endless_or_empty():
    """A resample of equal networks has no spread; its logarithm made intervals of 1e11."""
    sd = standard_deviation([0.1 + 0.2, 0.3, 0.31])
    assert 1.5 < sd.high / sd.value < 100
    with pytest.raises(Undetermined, match="all 4 networks have the same value"):
        standard_deviation([0.1 + 0.2, 0.3, 0.3, 0.3])


@pytest.fixture
def cells():
    """Make cells of two tasks: some networks diverged, some were not trained, one job failed."""
    tasks = {"2-local": {"kind": "k_local", "k": 2}, "2-global": {"kind": "k_global", "k": 2, "n_test": 50}}
    parts = [
        block(range(4), [0.1, 0.2, 0.3, math.nan], ["fitted", "fitted", "unfitted", "diverged"]),
        block(range(2), [0.4, 0.6], width=20),
        block(range(2), [math.nan] * 2, ["failed"] * 2, width=40),
        block(range(2), [0.2, 0.4], task="2-global"),
    ]
    kernels = [regression([1, 7], [0.3, 0.4]), regression([1], [0.1], kernel="other")]
    groups = {
        "networks": gather(parts, results.axes()["networks"]),
        "kernels": gather(kernels, results.axes()["kernels"]),
    }
    tree = xr.DataTree.from_dict({f"samples/{name}": group for name, group in groups.items()})
    tree["samples"].attrs |= {"n_test": 1000, "spec": json.dumps({"tasks": tasks})}
    return Cells.of(tree, "samples", protocol="sgd", kernel="ntk")


def test_cells_are_found_by_axes_and_by_the_settings_of_their_task(cells):
    assert cells.tasks(kind="k_local", k=2) == ["2-local"]
    assert sorted(cells.tasks()) == ["2-global", "2-local"]
    assert cells.tasks("kernels") == ["2-local"]
    assert cells.tasks(k=3) == []
    assert cells.values("width", task="2-local") == [10, 20, 40]
    assert cells.values("width", task="2-global") == [10]
    assert [cells.n_test(task) for task in ("2-local", "2-global")] == [1000, 50]


def test_cells_give_estimates_over_their_networks(cells):
    at = {"task": "2-local", "depth": 1, "n_train": 50}
    fitted, either = cells.error(**at, width=10), cells.error(("fitted", "unfitted"), **at, width=10)
    assert (fitted.value, fitted.count) == (pytest.approx(0.15), 2)
    assert (either.value, either.count) == (pytest.approx(0.2), 3)
    assert fitted.sample == pytest.approx(math.sqrt(0.15 * 0.85 / 1000))
    assert cells.fitted_fraction(**at, width=10).value == pytest.approx(2 / 4)
    assert cells.fitted_fraction(**at, width=20).count == 2
    kernel = cells.regression(**at)
    assert (kernel.value, kernel.spread, kernel.count) == (0.3, 0.0, 0)  # one draw: the test sample's error alone
    assert cells.at(kernel="other").regression(**at).value == 0.1


def test_what_is_not_in_a_cube_was_not_run(cells):
    at = {"task": "2-local", "depth": 1, "n_train": 50}
    for ask in (lambda: cells.error(**at, width=40), lambda: cells.error_spread(**at, width=20)):
        with pytest.raises(Undetermined):
            ask()
    for ask in (
        lambda: cells.error(**at, width=80),
        lambda: cells.fitted_fraction(**at, width=40),
        lambda: cells.at(kernel="third").regression(**at),
        lambda: cells.at(protocol="adam").values("width", task="2-local"),
        lambda: cells.parameter("norm", "exponent", free=True),
        cells.threshold,
        lambda: Cells.of(xr.DataTree(), "samples").cell(),
    ):
        with pytest.raises(NotRun):
            ask()
    assert cells.by_task("constructions", construction="folding") == {}
    assert Cells.of(xr.DataTree(), "samples").tasks() == []


def test_a_misspelt_axis_is_no_missing_cell(cells):
    for ask in (
        lambda: cells.error(task="2-local", dept=1),
        lambda: cells.at(dept=1),
        lambda: cells.regression(dept=1),
        lambda: Cells.of(xr.DataTree(), "samples", dept=1),
        lambda: Cells.of(xr.DataTree(), "samples", first=("dept",)),
    ):
        with pytest.raises(ValueError, match=r"axis 'dept', which no result has; is 'depth' meant\?"):
            ask()
    with pytest.raises(NotRun, match="there is no ridge 1"):
        cells.error(task="2-local", ridge=1)  # another kind of result has it
    Cells.of(xr.DataTree(), "samples", length=3)  # a calculation of one's own may have it
