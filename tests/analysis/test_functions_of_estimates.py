"""Functions of several estimates: the same as sums and ratios where they are these, with all that estimates know."""

import numpy as np
import pytest

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, Undetermined
from isobath.analysis.functions import function_of
from isobath.analysis.verdicts import claim, criterion, judge
from isobath.contracts.planted import planted
from isobath.statuses import FINITE

SIZES = [50, 100, 200, 400]
AXES = {"protocol": ["sgd"], "depth": [1, 2], "width": [16], "n_train": SIZES, "draws": 4}
TASKS = {"rings": {"kind": "k_local", "dimension": 5, "k": 2}}


def slope(errors):
    """Return the slope of ln(error) in ln(N)."""
    return float(np.polyfit(np.log(SIZES), np.log(errors), 1)[0])


def errors_of(tree, depth):
    cells = Cells.of(tree, "samples", task="rings", protocol="sgd", width=16)
    return [cells.error(FINITE, depth=depth, n_train=n) for n in SIZES]


@pytest.fixture
def tree():
    """Return a planted cube of 40 networks a cell, whose errors fall as N^(-0.1 L)."""
    return planted("samples", lambda depth, n_train, **_: n_train ** (-0.1 * depth) / 2, tasks=TASKS, seeds=10, **AXES)


def same(found, expected, tolerance=1e-9):
    assert (found.count, found.tally, found.fixed) == (expected.count, expected.tally, expected.fixed)
    for name in ("value", "spread", "sample"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=tolerance), name
    assert found.interval() == pytest.approx(expected.interval(), rel=tolerance)
    assert found.otherwise == pytest.approx(expected.otherwise, rel=tolerance)


@pytest.mark.parametrize("part", ["draws", "one data set"])
def test_a_sum_and_a_ratio_are_what_they_are(tree, part):
    first, second, *_ = errors_of(tree, 1)
    if part == "one data set":
        first, second = first.on(2), second.on(2)
    same(function_of([first, second], lambda e: e[0] - 3 * e[1]), first - second * 3, 1e-7)
    same(function_of([first, second], lambda e: e[0] / e[1]), first.over_value_of(second), 1e-6)


def test_an_exponent_is_found_with_the_scatter_of_its_data_sets(tree):
    for depth in (1, 2):
        errors = errors_of(tree, depth)
        found = function_of(errors, slope)
        by_draw = [slope([e.draws[draw] for e in errors]) for draw in range(4)]
        assert found.value == pytest.approx(-0.1 * depth, abs=0.01)
        assert found.count == 4
        assert found.spread == pytest.approx(np.std(by_draw, ddof=1) / 2, rel=0.02)
        assert found.draws == pytest.approx(dict(enumerate(by_draw)), rel=1e-3)


def test_networks_that_are_left_out_leave_the_number_open(tree):
    """Once a statistic of one's own held with seven of ten networks diverged in every cell."""

    @claim("Errors fall", source="not in any paper", statistic="slope", own=True)
    def errors_fall(tree):
        return [criterion("slope", lambda: function_of(errors_of(tree, 1), slope), below=0)]

    assert judge(errors_fall, tree)["verdict"] == "holds"
    tree["samples/networks"].status[{"seed": slice(3, None)}] = "diverged"
    judged = judge(errors_fall, tree)
    assert judged["verdict"] == "inconclusive"
    assert "of 160 networks count" in judged["parts"][0]["reason"]


def test_data_sets_that_some_numbers_lack_are_left_out(tree):
    first, second, *_ = errors_of(tree, 1)
    lacking = Estimate.over_draws({draw: value for draw, value in second.draws.items() if draw != 1})
    assert function_of([first, lacking], lambda e: e[0] + e[1]).draws.keys() == {0, 2, 3}
    for other in (second.on(0), Estimate.over_draws({0: 0.1, 7: 0.2})):
        with pytest.raises(Undetermined, match="the numbers are of different data sets"):
            function_of([first, other], lambda e: e[0] + e[1])


def test_networks_that_all_diverged_are_said_to_have(tree):
    """Once they were said not to have fitted, where all that did not diverge were asked for."""
    tree["samples/networks"].status[:] = "diverged"
    with pytest.raises(Undetermined, match=r"all 40 networks diverged \(rings, depth 1, width 16\)"):
        errors_of(tree, 1)


@pytest.mark.parametrize("function", [lambda e: np.log(e[0] - e[0]), lambda e: np.nan])
def test_a_function_without_a_number_is_undetermined(tree, function):
    with pytest.raises(Undetermined, match="not finite"), np.errstate(all="ignore"):
        function_of(errors_of(tree, 1), function)
