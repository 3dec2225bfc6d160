"""Crossings: the place where curves of several data sets cross a level, or are halfway between their ends."""

import math
from dataclasses import replace

import numpy as np
import pytest

from isobath.analysis.crossings import crossing, halfway
from isobath.analysis.estimates import Estimate, Undetermined
from isobath.analysis.tallies import Tally


def test_crossings_lie_on_the_lines_between_points():
    points = [
        Estimate(0.0, draws={0: 0.4, 1: 0.5}),
        Estimate(0.0, draws={0: 0.3, 1: 0.2}),
        Estimate(0.0, draws={0: 0.1, 1: 0.1}),
    ]
    assert crossing([1.0, 2.0, 4.0], points, 0.25).draws == pytest.approx({0: 2.5, 1: 1 + 2.5 / 3})
    assert halfway([1.0, 2.0, 4.0], points).draws == pytest.approx({0: 2.5, 1: 1 + 2 / 3})
    with pytest.raises(Undetermined, match="stays above"):
        crossing([1.0, 2.0, 4.0], points, 0.05)
    with pytest.raises(Undetermined, match="two data sets"):
        crossing([1.0], [Estimate(0.0, draws={0: 1.0})], 0.05)


def test_a_curve_without_a_half_way_or_a_number_is_refused():
    """Once a level curve was halfway at its first point, and one with a gap stayed above any level."""
    level = [Estimate(0.0, draws={0: 0.3, 1: 0.3})] * 3
    with pytest.raises(Undetermined, match="ends where it begins"):
        halfway([1.0, 2.0, 4.0], level)
    gap = [Estimate(0.0, draws={0: value, 1: value}) for value in (0.4, math.nan, 0.1)]
    with pytest.raises(Undetermined, match="a point without a number"):
        crossing([1.0, 2.0, 4.0], gap, 0.25)


def curve(heights, *, sample=0.0, shift=0.0, draws=6):
    """Return estimates over data sets at the given heights, all shifted, with the error of a shared test set."""
    means = [height + shift for height in heights]
    by_draw = [{d: mean + 0.001 * (d - (draws - 1) / 2) for d in range(draws)} for mean in means]
    return [Estimate.over_draws(values, sample=sample) for values in by_draw]


def test_a_shared_test_set_adds_its_error_over_the_slope():
    """Once it added nothing: intervals over four dimensions held 63 % of truths at a test set of 10,000."""
    x, heights = [0.0, 1.0, 2.0], [0.45, 0.35, 0.15]
    found = crossing(x, curve(heights, sample=0.01), 0.25)
    assert found.sample == pytest.approx(0.01 / 0.2)
    assert found.spread == pytest.approx(crossing(x, curve(heights), 0.25).spread)
    assert crossing(x, curve(heights), 0.25).sample == 0
    generator, covered = np.random.default_rng(0), 0
    for _ in range(400):
        low, high = crossing(x, curve(heights, sample=0.01, shift=0.01 * generator.standard_normal()), 0.25).interval()
        covered += low <= 1.5 <= high
    assert 0.92 * 400 <= covered <= 0.98 * 400


def test_a_crossing_by_another_choice_is_known_and_one_without_a_crossing_decides_nothing():
    """Once what errors would be after twice the steps was lost, and what they do not decide was decided."""
    x, heights = [0.0, 1.0, 2.0], [0.45, 0.35, 0.15]

    def with_choice(lower):
        pairs = zip(curve(heights), lower, strict=True)
        return [replace(e, otherwise={"after more steps": e.value - drop}) for e, drop in pairs]

    found = crossing(x, with_choice([0.0, 0.05, 0.0]), 0.25)
    assert found.otherwise["after more steps"] == pytest.approx(found.value + 1 + 1 / 3 - 1.5)
    middle = halfway(x, with_choice([0.1, 0.1, 0.1]))
    assert middle.otherwise["after more steps"] == pytest.approx(middle.value)
    with pytest.raises(Undetermined, match=r"the mean, after more steps stays below 0\.25"):
        crossing(x, with_choice([0.3, 0.3, 0.3]), 0.25)


def test_a_crossing_counts_the_networks_of_the_points_about_it():
    points = [
        replace(point, tally=Tally.of(8, 10, cell=i), fixed=frozenset({"rate"}))
        for i, point in enumerate(curve([0.4, 0.1]))
    ]
    found = crossing([1.0, 2.0], points, 0.25)
    assert (found.tally.counted, found.tally.trained, found.fixed) == (16, 20, {"rate"})


def test_crossings_on_other_data_sets_are_not_combined():
    """Once they were subtracted as if they were independent measurements of one thing."""
    first, second = (
        crossing(
            [0, 1],
            [Estimate.over_draws({d: 0.0 + 0.1 * d for d in draws}), Estimate.over_draws(dict.fromkeys(draws, 1.0))],
            0.5,
        )
        for draws in ((0, 1, 2), (3, 4, 5))
    )
    with pytest.raises(Undetermined, match="different data sets"):
        first - second
