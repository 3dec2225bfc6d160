"""Crossings of a curve of estimates with a level, draw by draw, with straight lines between its points."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from isobath.analysis.estimates import Estimate, Undetermined


def crossing(x: Sequence[float] | np.ndarray, estimates: Sequence[Estimate], level: float) -> Estimate:
    """Estimate the first x, increasing, at which estimates over the same draws cross a level.

    Raises Undetermined where the mean, or one of the draws, stays on one side.
    """
    by_draw = {draw: _first(x, [e.draws[draw] for e in estimates], level) for draw in _common(estimates)}
    return _over(by_draw, estimates)


def halfway(x: Sequence[float] | np.ndarray, estimates: Sequence[Estimate]) -> Estimate:
    """Estimate the first x at which each draw is halfway between its first and its last value.

    Raises Undetermined where these are equal for one of the draws.
    """
    by_draw = {}
    for draw in _common(estimates):
        values = [e.draws[draw] for e in estimates]
        if values[0] == values[-1]:
            raise Undetermined(f"the curve of a data set ends where it begins, at {values[0]:.3g}")
        by_draw[draw] = _first(x, values, (values[0] + values[-1]) / 2)
    return _over(by_draw, estimates)


def _common(estimates: Sequence[Estimate]) -> list[int]:
    """Return the draws that all estimates have, two or more."""
    common = set.intersection(*({*e.draws} for e in estimates))
    if len(common) < 2:
        raise Undetermined("a crossing needs two data sets that all points have")
    return sorted(common)


def _first(x: Sequence[float] | np.ndarray, values: Sequence[float], level: float) -> float:
    side = np.asarray(values) - level
    if not np.isfinite(side).all():
        raise Undetermined("the curve of a data set has a point without a number")
    changes = np.flatnonzero(side[:-1] * side[1:] <= 0)
    if not len(changes):
        position = "above" if side[0] > 0 else "below"
        raise Undetermined(f"the curve of a data set stays {position} {level:.3g}")
    i = int(changes[0])
    share = side[i] / (side[i] - side[i + 1]) if side[i] != side[i + 1] else 0.0
    return float(x[i] + share * (x[i + 1] - x[i]))


def _over(by_draw: dict[int, float], estimates: Sequence[Estimate]) -> Estimate:
    """Return the estimate over draws, with the networks that count in all points."""
    total = sum(estimates[1:], start=estimates[0])
    return replace(Estimate.over_draws(by_draw, together=total.together), tally=total.tally, fixed=total.fixed)
