"""Intervals of few networks, data sets, rates and records: where units are alike, one is left, or none was made."""

import math

import numpy as np
import pytest
import xarray as xr
from locality_cubes import block
from test_units_of_cells import AT, cells_of

from isobath.analysis.combinations import slope
from isobath.analysis.convergence import _least
from isobath.analysis.estimates import Bounded, Estimate, NotRun, Undetermined
from isobath.analysis.jamming.threshold import threshold
from isobath.analysis.rates import of_cell
from isobath.analysis.spreads import standard_deviation
from isobath.analysis.sweeps import require_rate
from isobath.analysis.verdicts import Criterion, claim, judge
from isobath.claims.locality.measures import depth_slope


@pytest.mark.parametrize("count", [0, 1, 2, 3, 20])
def test_a_number_with_its_interval_keeps_it_in_sums(count):
    """Once Student's widening was applied a second time."""
    fitted = Bounded(1.0, low=0.5, high=1.5, count=count)
    assert (fitted * 1.0).interval() == pytest.approx((0.5, 1.5))
    assert (fitted + Estimate(1.0)).interval() == pytest.approx((1.5, 2.5))


def test_the_slope_of_errors_over_depths_has_the_error_of_a_slope():
    """Once the error of the test sample was that of a mean, several times as large."""
    depths, fixed = [1, 2, 3, 5, 7, 10], {"n_train": 50, "width": 10, "task": "2-local"}
    rng = np.random.default_rng(0)
    errors = {depth: 0.3 - 0.01 * depth + 0.002 * rng.standard_normal((6, 3)) for depth in depths}
    cells = cells_of(
        *(block(range(3), e, depth=depth, draw=i) for depth, es in errors.items() for i, e in enumerate(es))
    )
    cells.attrs["n_test"] = 1000
    found = depth_slope(cells, "2-local")
    expected = slope(np.array(depths), [cells.error(depth=depth, **fixed) for depth in depths])
    assert found.interval() == pytest.approx(expected.interval())
    single = cells.error(depth=1, **fixed).sample
    assert found.sample == pytest.approx(single / math.sqrt(np.square(depths - np.mean(depths)).sum()), rel=0.1)


@pytest.mark.parametrize(("draws", "networks"), [(1, 10), (2, 2), (3, 3), (10, 2)])
def test_spreads_within_data_sets_have_their_degrees_of_freedom(draws, networks):
    """Once the variance of ten data sets of two networks was 7 % too large, and its interval covered 85 %."""
    if draws * (networks - 1) < 2:
        pytest.skip("too few degrees of freedom")
    rng = np.random.default_rng(draws)
    squares, covered = [], []
    for _ in range(300):
        found = standard_deviation(*(rng.standard_normal((draws, networks)) + np.arange(draws)[:, None]))
        low, high = found.interval()
        squares.append(found.value**2)
        covered.append(low < 1 < high)
    assert np.mean(squares) == pytest.approx(1, abs=4 * math.sqrt(2 / (draws * (networks - 1)) / 300))
    assert np.mean(covered) > 0.92


def test_a_cell_of_one_data_set_is_no_choice_of_several():
    """Once it was, where another cell of the cube has several; its spread was larger for that."""
    errors, others = (
        [0.1, 0.12, 0.15, 0.11],
        [block(range(4), [0.2, 0.3, 0.1, 0.2], width=20, draw=d) for d in range(6)],
    )
    alone, among = cells_of(block(range(4), errors)), cells_of(block(range(4), errors), *others)
    for measure in ("error_spread", "fitted_fraction"):
        single, one_of = (getattr(cells, measure)(**AT) for cells in (alone, among))
        assert single.interval() == one_of.interval()
        assert single.fixed == one_of.fixed
    assert alone.error_spread(**AT).value == pytest.approx(np.std(errors, ddof=1))


def test_data_sets_that_jam_alike_leave_the_bracket():
    """Once the interval over data sets that jump between the same sizes had no width."""
    sizes, fits = np.array([10.0, 30.0, 100.0, 300.0]), np.array([[0.0], [0.0], [1.0], [1.0]])
    one = threshold(fits, sizes, generator=np.random.default_rng(0))
    two = threshold(fits.repeat(2, axis=1), sizes, generator=np.random.default_rng(0), draws=2)
    assert (two.low, two.high) == (one.low, one.high) == (pytest.approx(30), pytest.approx(100))
    partly = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 1]], dtype=float)
    low, high = threshold(np.tile(partly, 6), sizes, generator=np.random.default_rng(0), draws=6)[1:3]
    assert low < high


def test_a_reason_why_networks_have_no_interval_is_none_of_data_sets():
    rng, sizes = np.random.default_rng(0), np.geomspace(10, 300, 5)
    for _ in range(80):
        fits = (rng.random((5, 3)) < np.linspace(0.1, 0.9, 5)[:, None]).astype(float)
        found = threshold(fits, sizes, generator=rng, draws=3)
        if np.isfinite([found.low, found.high]).all():
            assert "resamples" not in found.reason


def searched(draws, rates):
    return xr.Dataset({"learning_rate": ("draw", rates)}, coords={"draw": draws})


def test_a_data_set_has_the_search_that_its_protocol_made():
    """Once the draws at which another protocol had searched were taken for searches of this one."""
    shared = searched([0, 1, 2], [0.5, np.nan, np.nan])
    assert of_cell(shared, {"draw": 1}).learning_rate == 0.5
    assert of_cell(searched([0, 1], [0.5, 0.1]), {"draw": 3}).learning_rate == 0.1
    with pytest.raises(NotRun, match="for the data set 0"):
        of_cell(searched([1, 2], [0.5, 0.1]), {"draw": 0})


@pytest.mark.parametrize("others", ["diverged", "failed", "missing"])
def test_one_rate_that_is_left_of_several_is_not_known_to_be_the_best(others):
    statuses = {0.1: "fitted", 0.2: others, 0.4: others}
    parts = [block(range(3), [0.1] * 3, [status] * 3) for status in statuses.values()]
    cell = xr.concat(parts, xr.Variable("learning_rate", list(statuses)))
    cell = cell.assign(test_error=cell.test_error.where(cell.status == "fitted"))
    if others != "missing":
        with pytest.raises(Undetermined, match=r"of 3 rates that were offered networks stay finite at 0\.1"):
            require_rate(cell)
    else:
        require_rate(cell)


def test_one_record_does_not_say_that_a_loss_has_come_to_rest():
    loss = xr.DataArray(np.full((1, 1, 1), 0.5), dims=("protocol", "draw", "step"))
    networks = xr.Dataset(
        {"recorded_loss": loss},
        coords={
            "protocol": ["newton"], "draw": [0], "step": [0],
            "finds_optimum": ("protocol", [True]), "power": ("protocol", [4.0]),
        },
    )  # fmt: skip
    with pytest.raises(Undetermined, match="newton has fewer than two records"):
        _least(networks, 4.0)


@pytest.mark.parametrize("ratio", [0.5, 1, 2, 4])
@pytest.mark.parametrize("units", [2, 3, 5, 6])
def test_intervals_of_few_units_that_share_a_test_sample_hold_the_truth(units, ratio):
    """Once those of two networks held it 88 times in 100, and a true claim of 20 parts was refuted half of the time."""
    rng = np.random.default_rng(units)
    values = ratio * math.sqrt(units) * rng.standard_normal((1500, units)) + rng.standard_normal((1500, 1))
    estimates = [Estimate.over_draws(dict(enumerate(each)), sample=1.0) for each in values]
    assert np.mean([low < 0 < high for low, high in (each.interval() for each in estimates)]) > 0.935
    outside = [each.p_value(above=0) for each in estimates if each.interval()[1] < 0]
    rare = 0.025 / 20  # of one of twenty parts
    assert np.sum(np.array(outside) < rare) / 1500 < rare + 3 * math.sqrt(rare / 1500) + 0.001


@pytest.mark.parametrize("count", [2, 3, 5, 6, 20])
@pytest.mark.parametrize(("spread", "sample"), [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.1, 2.0)])
def test_the_p_value_is_that_of_the_interval(count, spread, sample):
    estimate = Estimate(1.0, spread, sample, count)
    low, high = estimate.interval()
    assert estimate.p_value(above=high) == pytest.approx(0.025)
    assert estimate.p_value(below=low) == pytest.approx(0.025)
    assert estimate.p_value(above=1.0) == pytest.approx(0.5)
    assert estimate.p_value(above=low) == pytest.approx(0.975)
    assert estimate.p_value(above=1e9) < 1e-8


def test_a_ratio_is_that_of_the_data_sets_of_both():
    """Once it was that of the means of each over its own: 0.98 where every data set had 1.1."""
    error = {0: 0.1, 1: 0.11, 2: 0.09, 3: 0.1, 4: 0.12, 5: 0.3}
    whole = Estimate.over_draws(error)
    part = Estimate.over_draws({d: 1.1 * e for d, e in error.items() if d < 5})
    for ratio in (
        part.over_value_of(whole),
        (whole * 1.1).over_value_of(Estimate.over_draws({d: error[d] for d in range(5)})),
    ):
        assert ratio.value == pytest.approx(1.1)
        assert ratio.interval() == pytest.approx((1.1, 1.1))


def test_a_lower_bound_does_not_lie_below_anything():
    bound = Estimate(2.0, 0.05, count=6, at_least=True)
    assert Criterion("x", bound, above=1).outcome() == "reproduced"
    assert Criterion("x", bound, above=1, below=3).outcome() == "inconclusive"


def test_criteria_with_one_label_are_refused():
    @claim("x", source="x", statistic="x")
    def twice(tree):
        return [Criterion("x", Estimate(1.0), above=0), Criterion("x", Estimate(1.0), above=2)]

    with pytest.raises(ValueError, match="two criteria have the label 'x'"):
        judge(twice, xr.DataTree())


@pytest.mark.parametrize("networks", [10, 20])
def test_the_interval_of_a_spread_is_too_narrow_where_errors_are_skewed(networks):
    """It is that of normal errors in the logarithm: docs/verdicts.md says so."""
    rng = np.random.default_rng(networks)
    ends = [standard_deviation(rng.exponential(size=networks)).interval() for _ in range(300)]
    assert 0.75 < np.mean([low < 1 < high for low, high in ends]) < 0.95
