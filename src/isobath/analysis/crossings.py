"""Crossings of a curve of estimates with a level, draw by draw, with straight lines between its points."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from isobath.analysis.estimates import Estimate, Undetermined

Axis = Sequence[float] | np.ndarray


def crossing(x: Axis, estimates: Sequence[Estimate], level: float) -> Estimate:
    """Estimate the first x, increasing, at which estimates over the same draws cross a level.

    A test set that all draws share adds its error, over the slope of the mean curve. Raises Undetermined where the
    curve of a draw, or the mean by another choice, stays on one side.
    """
    return _zero(x, [estimate - Estimate(level) for estimate in estimates], f"{level:.3g}")


def halfway(x: Axis, estimates: Sequence[Estimate]) -> Estimate:
    """Estimate the first x at which each draw is halfway between its first and its last value.

    Raises Undetermined where these are equal for one of the draws.
    """
    ends = estimates[0], estimates[-1]
    for draw in _common(estimates):
        if ends[0].draws[draw] == ends[1].draws[draw]:
            raise Undetermined(f"the curve of a data set ends where it begins, at {ends[0].draws[draw]:.3g}")
    middle = (ends[0] + ends[1]) * 0.5
    return _zero(x, [estimate - middle for estimate in estimates], "half of its way")


def _common(estimates: Sequence[Estimate]) -> list[int]:
    """Return the draws that all estimates have, two or more."""
    common = set.intersection(*({*e.draws} for e in estimates))
    if len(common) < 2:
        raise Undetermined("a crossing needs two data sets that all points have")
    return sorted(common)


def _zero(x: Axis, heights: Sequence[Estimate], level: str) -> Estimate:
    """Estimate the first x at which heights above a ``level`` change their sign."""
    draws = _common(heights)
    by_draw = {draw: _first(x, [h.draws[draw] for h in heights], level, "a data set") for draw in draws}
    total = sum(heights[1:], start=heights[0])
    mean = np.mean([[h.draws[draw] for draw in draws] for h in heights], axis=1)
    sample = _error_of_the_test_set(x, mean, heights, level) if any(h.sample for h in heights) else 0.0
    crossed = Estimate.over_draws(by_draw, sample=sample, together=total.together)
    otherwise = {}
    for words in total.otherwise:
        shifted = mean + [h.by(words) - h.value for h in heights]
        moved = _first(x, shifted, level, f"the mean, {words}") - _first(x, mean, level, "the mean")
        otherwise[words] = crossed.value + moved
    return replace(crossed, tally=total.tally, fixed=total.fixed, otherwise=otherwise)


def _first(x: Axis, heights: Sequence[float] | np.ndarray, level: str, of: str) -> float:
    i, share = _place(heights, level, of)
    return float(x[i] + share * (x[i + 1] - x[i]))


def _place(heights: Sequence[float] | np.ndarray, level: str, of: str) -> tuple[int, float]:
    """Return the point before the first change of sign, and the share of the way to the next at which it is."""
    side = np.asarray(heights)
    if not np.isfinite(side).all():
        raise Undetermined(f"the curve of {of} has a point without a number")
    changes = np.flatnonzero(side[:-1] * side[1:] <= 0)
    if not len(changes):
        raise Undetermined(f"the curve of {of} stays {'above' if side[0] > 0 else 'below'} {level}")
    i = int(changes[0])
    return i, float(side[i] / (side[i] - side[i + 1])) if side[i] != side[i + 1] else 0.0


def _error_of_the_test_set(x: Axis, mean: np.ndarray, heights: Sequence[Estimate], level: str) -> float:
    """Return the standard error of the crossing of the mean from a test set that all points and draws share."""
    i, share = _place(mean, level, "the mean")
    slope = (mean[i + 1] - mean[i]) / (x[i + 1] - x[i])
    if slope == 0:
        raise Undetermined(f"the mean curve is level where it crosses {level}")
    sample = (1 - share) * heights[i].sample + share * heights[i + 1].sample
    return float(abs(sample / slope))
