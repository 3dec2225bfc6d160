"""Crossings: the place where curves of several data sets cross a level, or are halfway between their ends."""

import math

import pytest

from isobath.analysis.crossings import crossing, halfway
from isobath.analysis.estimates import Estimate, Undetermined


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
