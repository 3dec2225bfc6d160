"""Numbers of estimates and of their combinations, both ends of intervals and p-values, against formulas written out."""

import math
from dataclasses import replace

import numpy as np
import planted_cells as made
import pytest
import xarray as xr
from scipy.stats import binomtest, norm
from scipy.stats import t as student

from isobath.analysis.combinations import average, farthest, slope
from isobath.analysis.contributions import errors_of_sum, scaled, summed
from isobath.analysis.crossings import crossing, halfway
from isobath.analysis.equivalence import require_errors, require_learning
from isobath.analysis.estimates import (
    DATA_SET,
    Bounded,
    Estimate,
    NotRun,
    Undetermined,
    exactly,
    over_networks,
    proportion,
)
from isobath.analysis.published import Published
from isobath.analysis.sampling_errors import paired
from isobath.analysis.spreads import standard_deviation
from isobath.analysis.standard_errors import binomial_error
from isobath.analysis.tallies import Tally
from isobath.analysis.verdicts import Criterion, claim, judge

A, B = Estimate(0.4, 0.03, 0.01, 12), Estimate(0.16, 0.02, 0.005, 9)
Z = 1.959964


@pytest.mark.parametrize("units", [2, 5, 6, 30])
@pytest.mark.parametrize(("spread", "sample"), [(0.03, 0.02), (0.03, 0.0), (0.002, 0.05)])
def test_an_interval_is_students_of_both_errors_and_of_few_units_that_of_each(units, spread, sample):
    estimate = Estimate(0.3, spread, sample, units)
    assert estimate.interval() == pytest.approx(made.ends(0.3, spread=spread, sample=sample, units=units))


@pytest.mark.parametrize("tail", [1e-4, 0.01, 0.3])
@pytest.mark.parametrize("units", [3, 9])
def test_a_p_value_is_the_tail_beyond_the_bound(units, tail):
    estimate = Estimate(0.3, 0.03, 0.02, units)
    few = math.hypot(student.isf(tail, units - 1) * 0.03, norm.isf(tail) * 0.02)
    error = math.hypot(0.03, 0.02)
    many = student.isf(tail, (units - 1) * (error / 0.03) ** 4) * error
    distance = few if units == 3 else many
    assert estimate.p_value(above=0.3 + distance) == pytest.approx(tail)
    assert estimate.p_value(below=0.3 - distance) == pytest.approx(tail)
    assert estimate.p_value(above=0.3 - distance, below=9) == pytest.approx(1 - tail)
    assert estimate.p_value(above=-9, below=0.3 + distance) == pytest.approx(1 - tail)


def test_an_estimate_without_units_has_the_normal_error_of_its_test_sample():
    assert Estimate(0.3, 0.0, 0.02).interval() == pytest.approx((0.3 - Z * 0.02, 0.3 + Z * 0.02))
    assert Estimate(0.3).interval() == (0.3, 0.3)
    assert np.isnan(Estimate.over([0.3]).interval()).all()  # one network alone


def test_a_multiple_has_the_size_of_its_factor_in_its_errors_and_the_sign_in_its_values():
    whole = replace(Estimate.over_draws({0: 0.1, 1: 0.3, 2: 0.4}, sample=0.02), otherwise={"so": 0.5}, alone={1: A})
    found = whole.known_as("x") * -2
    assert (found.value, found.spread, found.sample) == pytest.approx((-1.6 / 3, 2 * whole.spread, 0.04))
    assert dict(found.draws) == pytest.approx({0: -0.2, 1: -0.6, 2: -0.8})
    assert (found.by("so"), found.by("other"), found.count) == (-1.0, pytest.approx(-1.6 / 3), 3)
    assert (found.alone[1].value, found.alone[1].spread) == (-0.8, 0.06)
    assert found.sources["x"] == pytest.approx((-2 * whole.spread, -0.04))


def test_a_lower_bound_stays_one_in_sums_and_is_none_of_the_negative():
    bound = Estimate(2.0, 0.3, count=4, at_least=True)
    assert (bound * 3).at_least
    assert (bound + Estimate(1.0)).at_least
    assert (Estimate(1.0) + bound).at_least
    assert (bound - Estimate(1.0)).at_least
    assert bound.over_value_of(Estimate(4.0)).at_least
    assert not (Estimate(2.0) * -1).at_least
    for wrong in (lambda: bound * -1, lambda: Estimate(1.0) - bound, lambda: Estimate(4.0).over_value_of(bound)):
        with pytest.raises(Undetermined, match="a lower bound alone is known"):
            wrong()


def test_sums_and_differences_add_squares_of_errors_and_take_the_fewer_units():
    for found, value in ((A + B, 0.56), (A - B, 0.24)):
        assert (found.value, found.count) == (pytest.approx(value), 9)
        assert (found.spread, found.sample) == pytest.approx((math.hypot(0.03, 0.02), math.hypot(0.01, 0.005)))
    other = replace(A, otherwise={"so": 0.5, "then": 0.45}) - replace(B, otherwise={"so": 0.1})
    assert dict(other.otherwise) == pytest.approx({"so": 0.4, "then": 0.29})


def test_what_data_sets_have_in_common_cancels_and_a_constant_shifts_each_of_them():
    first, second = {0: 0.1, 1: 0.3, 2: 0.5, 3: 0.2}, {1: 0.25, 2: 0.4, 3: 0.22, 4: 0.9}
    found = Estimate.over_draws(first, sample=0.03) - Estimate.over_draws(second, sample=0.04)
    gaps = [0.05, 0.1, -0.02]
    assert dict(found.draws) == pytest.approx({1: 0.05, 2: 0.1, 3: -0.02})
    assert (found.value, found.count, found.sample) == (pytest.approx(np.mean(gaps)), 3, pytest.approx(0.05))
    assert found.spread == pytest.approx(made.standard_error(gaps))
    shifted = Estimate(1.0) - Estimate.over_draws(first, sample=0.03)
    assert dict(shifted.draws) == pytest.approx({0: 0.9, 1: 0.7, 2: 0.5, 3: 0.8})
    assert (shifted.value, shifted.count, shifted.sample) == (pytest.approx(0.725), 4, 0.03)
    assert shifted.spread == pytest.approx(made.standard_error([*first.values()]))


def test_data_sets_that_share_searches_stay_units_together_in_a_sum():
    values = {0: 0.1, 1: 0.2, 2: 0.4, 3: 0.6, 4: 0.3, 5: 0.8}
    found = Estimate.over_draws(values, together=2) + Estimate.over_draws(dict.fromkeys(values, 1.0))
    turned = Estimate.over_draws(dict.fromkeys(values, 1.0)) + Estimate.over_draws(values, together=2)
    for each in (found, turned):
        assert (each.together, each.count) == (2, 3)
        assert each.spread == pytest.approx(made.standard_error([1.15, 1.5, 1.55]))


def test_numbers_of_one_data_set_keep_all_that_they_know_in_a_sum():
    one = over_networks([0.1, 0.2, 0.4])
    assert (one.fixed, one.count) == ({DATA_SET}, 3)
    chosen = replace(one, alone={0: one}, among=3)
    assert (chosen - replace(one, alone={0: one})).among == 3


def test_a_ratio_has_the_errors_of_the_delta_method():
    found = replace(A, otherwise={"so": 0.5}).over_value_of(replace(B, otherwise={"so": 0.2, "then": 0.32}))
    assert (found.value, found.count) == (pytest.approx(2.5), 9)
    assert found.spread == pytest.approx(math.hypot(0.03, 2.5 * 0.02) / 0.16)
    assert found.sample == pytest.approx(math.hypot(0.01, 2.5 * 0.005) / 0.16)
    assert dict(found.otherwise) == pytest.approx({"so": 2.5, "then": 1.25})
    first, second = Estimate.over_draws({0: 0.1, 1: 0.3, 2: 0.5}), Estimate.over_draws({0: 0.2, 1: 0.3, 2: 0.4})
    linear = (np.array([0.1, 0.3, 0.5]) - np.array([0.2, 0.3, 0.4])) / 0.3 + 1
    ratio = first.over_value_of(second)
    assert (ratio.value, ratio.spread) == (pytest.approx(1.0), pytest.approx(made.standard_error(linear)))
    fewer = Estimate.over_draws({1: 0.3, 2: 0.9, 5: 0.1})
    assert fewer.over_value_of(first).value == pytest.approx(0.6 / 0.4)  # on the data sets of both
    with pytest.raises(Undetermined, match="the reference is 0"):
        A.over_value_of(Estimate(0.0, 0.1, count=3))


def test_a_measurement_in_both_terms_has_its_covariance():
    first, second = {"x": (0.03, 0.01), "y": (0.04, 0.0)}, {"x": (0.01, -0.02), "z": (0.0, 0.02)}
    errors = [(0.05, 0.01), (0.01, math.hypot(0.02, 0.02))]
    spread, sample = errors_of_sum(errors, first, second)
    assert spread == pytest.approx(math.sqrt(0.04**2 + 0.04**2))  # x enters with 0.03 + 0.01
    assert sample == pytest.approx(math.sqrt((0.01 - 0.02) ** 2 + 0.02**2))
    assert summed(first, scaled(second, -1)) == {
        "x": (pytest.approx(0.02), pytest.approx(0.03)),
        "y": (0.04, 0.0),
        "z": (0.0, -0.02),
    }


def test_a_number_with_its_own_interval_has_the_error_of_the_side_that_faces_the_bound():
    number = Bounded(0.3, low=0.2, high=0.7, count=10)
    t = student.ppf(0.975, 9)
    assert number.p_value(above=0.5) == pytest.approx(student.sf(0.2 / 0.4 * t, 9))
    assert number.p_value(below=0.15) == pytest.approx(student.sf(0.15 / 0.1 * t, 9))
    assert number.p_value(above=0.1, below=0.4) == pytest.approx(student.sf(-0.1 / 0.1 * t, 9))
    assert number.p_value(above=0.7) == number.p_value(below=0.2) == pytest.approx(0.025)
    assert replace(number, count=0).p_value(above=0.5) == pytest.approx(norm.sf(0.2 / 0.4 * Z))
    assert number.plain().spread == pytest.approx(0.5 / 2 / t)
    assert math.isnan(Bounded(0.3, low=0.1, high=math.inf).plain().spread)
    assert exactly(2).interval() == (2.0, 2.0)
    assert (exactly(2).p_value(above=1), exactly(2).p_value(above=3), exactly(2).p_value(below=1)) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (3, 7), (7, 7), (19, 50)])
def test_a_share_has_the_interval_of_clopper_and_pearson(hits, n):
    exact = binomtest(hits, n).proportion_ci(method="exact")
    assert proportion(hits, n).interval() == pytest.approx((exact.low, exact.high))
    assert (proportion(hits, n).value, proportion(hits, n).count) == (hits / n, n)


def test_few_samples_without_an_error_have_that_of_wilson():
    """The end of Wilson's interval of 0 hits, Z^2 / (n + Z^2), is 1.96 standard errors away."""
    end = binomtest(0, 25).proportion_ci(method="wilson").high
    assert binomial_error(0, 25) * Z == pytest.approx(end, rel=1e-6)
    assert binomial_error(1, 25) == binomial_error(0, 25)
    assert binomial_error(0.2, 25) == pytest.approx(0.08)
    assert binomial_error(0.2, None) == 0


def test_a_difference_by_test_sample_has_the_error_of_its_mean():
    found = paired([0.0, 1.0, -1.0, 1.0], spread=0.1, count=3)
    assert (found.value, found.spread, found.count) == (0.25, 0.1, 3)
    assert found.sample == pytest.approx(np.std([0, 1, -1, 1], ddof=1) / 2)


def test_a_standard_deviation_is_pooled_and_has_at_least_the_error_of_normal_numbers():
    """Resamples of numbers on two sides, as many on each, hardly scatter: the least error of the logarithm is left."""
    groups = np.repeat([[0.2, 0.6], [0.5, 1.1]], 40, axis=1)
    found = standard_deviation(*groups, [0.7])  # one network of a data set tells nothing of the spread
    freedom = 158
    sd = math.sqrt((80 * 0.2**2 + 80 * 0.3**2) / freedom)
    half = student.ppf(0.975, freedom) / math.sqrt(2 * freedom)
    assert (found.value, found.count) == (pytest.approx(sd), 161)
    assert found.interval() == pytest.approx((sd * math.exp(-half), sd * math.exp(half)))


def test_a_slope_weighs_each_place_by_its_distance_from_the_middle():
    x, values = np.array([1.0, 2.0, 6.0]), [0.5, 0.1, 0.3]
    errors = [0.01, 0.02, 0.04]
    found = slope(x, [Estimate(v, e, e / 2, 5) for v, e in zip(values, errors, strict=True)])
    shares = np.array([-2, -1, 3]) / 14
    assert found.value == pytest.approx(shares @ values)
    assert found.value == pytest.approx(np.polyfit(x, values, 1)[0])
    spread = math.sqrt(np.square(shares * errors).sum())
    assert (found.spread, found.sample) == pytest.approx((spread, spread / 2))


def test_the_farthest_of_several_is_the_one_whose_interval_reaches_farthest_on_either_side():
    near, far, wide = Estimate(0.3, 0.01, count=50), Estimate(-0.31, 0.01, count=50), Estimate(0.1, 0.2, count=50)
    assert (farthest([near, far]).value, farthest([near, far]).among) == (-0.31, 2)
    assert (farthest([near, far, wide]).value, farthest([near, far, wide]).among) == (0.1, 3)
    assert farthest([near, replace(far, value=-0.1, otherwise={"so": -0.5})]).value == -0.1
    for none in (farthest, average):
        with pytest.raises(NotRun):
            none([])


def test_an_average_has_the_largest_error_of_a_test_set_that_its_cells_share():
    found = average([replace(A, sample=0.01), replace(B, sample=0.03), Estimate(0.1, 0.04, 0.02, 20)])
    assert (found.value, found.sample, found.count) == (pytest.approx(0.22), 0.03, 9)
    assert found.spread == pytest.approx(math.sqrt(0.03**2 + 0.02**2 + 0.04**2) / 3)


def test_a_crossing_has_the_error_of_the_test_set_between_its_two_points():
    """The first change of sign lies at three quarters of the way from 2 to 6."""
    heights, samples = [[0.5, 0.6, 0.4], [0.4, 0.41, 0.39], [0.2, 0.19, 0.21], [0.9, 0.9, 0.9]], [0.9, 0.02, 0.06, 0.9]
    points = [Estimate.over_draws(dict(enumerate(h)), sample=s) for h, s in zip(heights, samples, strict=True)]
    found = crossing([1.0, 2.0, 6.0, 7.0], points, 0.25)
    by_draw = [2 + 4 * (h - 0.25) / (h - g) for h, g in zip(heights[1], heights[2], strict=True)]
    assert dict(found.draws) == pytest.approx(dict(enumerate(by_draw)))
    assert (found.value, found.spread) == pytest.approx((np.mean(by_draw), made.standard_error(by_draw)))
    assert found.sample == pytest.approx((0.25 * 0.02 + 0.75 * 0.06) / (0.2 / 4))
    together = [replace(point, together=3) for point in points]
    assert (crossing([1.0, 2.0, 6.0, 7.0], together, 0.25).count, found.count) == (1, 3)
    ends = [points[1], points[0], points[2]]
    middle = halfway([1.0, 2.0, 6.0], ends)
    expected = [2 + 4 * (h - m) / (h - g) for h, g, m in zip(heights[0], heights[2], [0.3, 0.3, 0.3], strict=True)]
    assert [*middle.draws.values()] == pytest.approx(expected)


def test_errors_are_told_to_be_equal_only_where_a_difference_had_room():
    """One of two errors may be small, and one near guessing: a difference of a bound is possible."""
    require_errors(0.05, Estimate(0.02), Estimate(0.11))
    with pytest.raises(Undetermined, match=r"errors are at most 0\.09, where a difference of 0\.05"):
        require_errors(0.05, Estimate(0.09), Estimate(0.02))
    require_learning(0.05, 0.5, Estimate(0.49), Estimate(0.39))
    with pytest.raises(Undetermined, match=r"errors are at least 0\.41, and guessing has 0\.5"):
        require_learning(0.05, 0.5, Estimate(0.41), Estimate(0.6))


def test_the_farthest_of_several_has_as_many_chances_to_lie_outside():
    one = Estimate(-0.1, 0.05, count=20)
    single = student.sf(2, 19)
    assert Criterion("a", one, above=0).p_value == pytest.approx(single)
    assert Criterion("a", replace(one, among=3), above=0).p_value == pytest.approx(3 * single)
    assert Criterion("a", replace(one, among=900), above=0).p_value == 1
    assert Criterion("a", replace(one, at_least=True), above=0).p_value == 1
    assert Criterion("a", replace(one, at_least=True), below=-0.2).p_value == pytest.approx(single)


def test_a_verdict_tells_the_number_its_ends_and_its_bounds():
    claimed = claim("it is so", source="Fig. 1", statistic="a number")
    known = Published(0.3, "Fig. 2", 0.05, same_size=True)
    part = Criterion("a", A, above=-0.5, below=0.9, published=known)
    first, second = judge(claimed(lambda tree: [part]), xr.DataTree())["parts"]
    low, high = made.ends(0.4, spread=0.03, sample=0.01, units=12)
    for each, label, bounds in ((first, "a", (-0.5, 0.9)), (second, "a, as published in Fig. 2", (0.25, 0.35))):
        assert (each["label"], each["estimate"], each["count"]) == (label, 0.4, 12)
        assert (each["low"], each["high"]) == pytest.approx((low, high))
        assert (each["above"], each["below"]) == pytest.approx(bounds)
    open_end = Criterion("a", A, above=-0.5)
    (only,) = judge(claimed(lambda tree: [open_end]), xr.DataTree())["parts"]
    assert (only["above"], only["below"]) == (-0.5, None)


def test_the_share_of_networks_that_count_is_that_of_the_cell_with_the_fewest():
    tally = Tally.of(9, 10, cell="a") + Tally.of(3, 4, cell="b") + Tally.of(3, 4, cell="b") + Tally.of(0, 0, cell="c")
    assert (tally.counted, tally.trained, tally.least) == (12, 14, 0.75)
    assert Tally().least == 1
    counted = replace(A, tally=Tally.of(17, 20, cell="x"))
    assert Criterion("a", counted, above=0).doubt == "17 of 20 networks count, and in one cell 85% of them"
    assert Criterion("a", replace(A, tally=Tally.of(18, 20)), above=0).doubt == ""


def test_what_an_estimate_is_about_stays_in_an_accuracy_and_in_a_difference_by_samples():
    one = over_networks([0.1, 0.2, 0.4])
    assert (Estimate(1.0) - one).fixed == (one - Estimate(1.0)).fixed == {DATA_SET}
    assert paired([0.0, 1.0, -1.0, 1.0], spread=0.1, count=3).fixed == {DATA_SET}
