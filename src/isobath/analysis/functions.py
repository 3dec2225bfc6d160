"""Functions of several estimates, such as the exponent of errors at several sizes, as statistics of one's own."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from isobath.analysis.estimates import Estimate, Undetermined
from isobath.analysis.pairing import alone_on, of_draws

STEP = 1e-4  # of a number, relative to itself, by which a derivative is taken


def function_of(estimates: Sequence[Estimate], function: Callable[[np.ndarray], float]) -> Estimate:
    """Return a smooth function of estimates, its errors by linearisation at their values (the delta method).

    ``function`` takes their values (n,) and returns a number. Estimates over the same data sets are paired, as in a
    sum; how many networks count, and the numbers by other choices, go with the result. Raises Undetermined where the
    estimates are of different data sets, or the function has no finite value or derivative.
    """
    paired = _on_common_draws(estimates)
    at = np.array([estimate.value for estimate in paired])
    value, slopes = _finite(function(at)), _slopes(function, at)
    linear = Estimate(value - float(slopes @ at))
    for estimate, slope in zip(paired, slopes.tolist(), strict=True):
        linear = linear + estimate * slope
    others = {words: _finite(function(np.array([e.by(words) for e in paired]))) for words in linear.otherwise}
    return replace(linear, otherwise=others, alone=_on_each(paired, function))


def _on_each(estimates: Sequence[Estimate], function: Callable[[np.ndarray], float]) -> dict[int, Estimate]:
    """Return the function of estimates on each data set by itself, but for those on which it has no value."""
    found = {}
    for draw in alone_on(estimates):
        with suppress(ArithmeticError, ValueError), np.errstate(all="ignore"):  # as of the logarithm of no error
            found[draw] = function_of([each.alone.get(draw, each) for each in estimates], function)
    return found


def _on_common_draws(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return estimates on the data sets that all of them have; as they are if none is over several."""
    several = [{*estimate.draws} for estimate in estimates if estimate.draws]
    if not several:
        return list(estimates)
    common = set.intersection(*several)
    if len(common) < 2 or len(several) < len(estimates):  # a single one has no interval
        raise Undetermined("the numbers are of different data sets")
    return [of_draws(estimate, common) for estimate in estimates]


def _slopes(function: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    """Return the derivatives (n,) at ``at`` (n,), by central differences."""
    steps = STEP * np.where(at == 0, 1.0, np.abs(at))
    moved = [(at + step * unit, at - step * unit) for step, unit in zip(steps, np.eye(len(at)), strict=True)]
    slopes = [(function(up) - function(down)) / (2 * step) for (up, down), step in zip(moved, steps, strict=True)]
    return np.array([_finite(slope) for slope in slopes])


def _finite(value: float) -> float:
    if not np.isfinite(value):
        raise Undetermined("the function of its numbers is not finite")
    return float(value)
