"""The jamming threshold N* of one cell, with its interval, from whether networks of increasing size fit."""

import math
from typing import NamedTuple

import numpy as np

from isobath.analysis.jamming import profile
from isobath.analysis.jamming.draws import of_resamples, resamples
from isobath.analysis.jamming.logistic import locate
from isobath.analysis.standard_errors import RESAMPLES, TOO_MANY

ENOUGH = 10  # networks of each size: a range that is as long as the bracket is beyond it in 5 of 100 simulations
TAIL = 0.025  # if a larger share of the resamples has an infinite slope, the interval is that of the profile likelihood
Ends = tuple[float, float]
UNKNOWN = (np.nan, np.nan)


class Threshold(NamedTuple):
    """N* with its 95 % interval, the fraction of networks that fit at each width (w,), and why N* is not known.

    The ``range`` is the factor in N over which the fraction rises from 10 % to 90 %, with its interval.
    """

    threshold: float
    low: float
    high: float
    fraction: np.ndarray
    reason: str
    range: float = np.nan
    range_low: float = np.nan
    range_high: float = np.nan


def threshold(
    fitted: np.ndarray, x: np.ndarray, *, generator: np.random.Generator, bootstraps: int = RESAMPLES, draws: int = 1
) -> Threshold:
    """Locate N* from whether networks fit, (w, s) true, false or NaN for missing, at increasing sizes x (w,).

    Networks of several ``draws`` of the data stand one draw after the other, equally many of each; the interval then
    is over draws. Else it is that of resamples, or, where too many of these have an infinite slope or all are alike,
    that of the profile of the likelihood, as is that of the range. If the fraction jumps from 0 to 1 between
    neighbouring sizes, N* is their geometric mean and the interval the bracket; that of the range is from 1 to the
    bracket, and unknown with fewer than ENOUGH networks of some size. If all networks fit or none does, N* is censored:
    NaN, with a bound in high or low, and NaN or infinity opposite. Raises ValueError for sizes that are not positive
    and increasing.
    """
    fitted = np.asarray(fitted, dtype=float)
    if not (np.all(x > 0) and np.all(np.diff(x) > 0)):
        raise ValueError(f"the sizes are {x.tolist()}; they must be positive and increasing")
    n, k = (~np.isnan(fitted)).sum(1), np.nansum(fitted, 1)
    used = n > 0
    fraction = np.where(used, k / np.maximum(n, 1), np.nan)
    n, k, sizes = n[used], k[used], x[used]
    if not used.any():
        return Threshold(np.nan, np.nan, np.nan, fraction, "no network was trained")
    if (k == n).all():
        high = np.exp(np.log(sizes)[0])
        return Threshold(np.nan, np.nan, high, fraction, f"all networks fit, the smallest at {sizes[0]:g}")
    if (k == 0).all():
        return Threshold(np.nan, np.exp(np.log(sizes)[-1]), np.inf, fraction, f"no network fits, up to {sizes[-1]:g}")
    located = _located(k, n, sizes, generator, bootstraps)
    if draws > 1 and np.isfinite(located.threshold):
        located = _over_draws(located, fitted[used].reshape(len(sizes), draws, -1), sizes, generator, bootstraps)
    return located._replace(fraction=fraction)


def _located(
    k: np.ndarray, n: np.ndarray, sizes: np.ndarray, generator: np.random.Generator, bootstraps: int
) -> Threshold:
    """Locate N* where some of the networks fit and some do not, k of n (w,); the fraction is left to the caller."""
    ln = np.log(sizes)
    (middle,), (low,), (high,), (spread,) = locate(k[None], n, ln)
    if np.isinf(middle):
        words = (
            "fewer than half of the networks fit, up to" if middle > 0 else "more than half of the networks fit from"
        )
        ends = (_lower(low), np.inf) if middle > 0 else (np.nan, float(np.exp(high)))
        return Threshold(np.nan, *ends, k / n, f"{words} {sizes[-1 if middle > 0 else 0]:g}")
    if np.isnan(middle):
        return Threshold(np.nan, np.nan, np.nan, k / n, "the fraction of networks that fit does not rise with x")
    alike = bool(((k == 0) | (k == n)).all())  # the networks of each size: resamples would say nothing of the error
    of_range, reason = UNKNOWN, ""
    if low < high:  # the slope is infinite
        of_range = (0.0, float(spread)) if n.min() >= ENOUGH else UNKNOWN
        if not alike and len(ln) > 1:
            low, high = profile.interval(k, n, ln, middle)
    elif alike:
        low, high = profile.interval(k, n, ln, middle)
    else:
        (low, high), of_range, reason = _of_networks(k, n, ln, middle, generator, bootstraps)
    with np.errstate(over="ignore"):  # a range beyond all numbers is infinite
        ranges = np.exp([spread, *of_range])
    return Threshold(np.exp(middle), _lower(low), np.exp(high), k / n, reason or _extrapolated(middle, ln), *ranges)


def _of_networks(
    k: np.ndarray, n: np.ndarray, ln: np.ndarray, middle: float, generator: np.random.Generator, bootstraps: int
) -> tuple[Ends, Ends, str]:
    """Return the intervals of ln N* = ``middle`` and of the range, as if networks were resampled, k of n (w,).

    Where too many of the resamples have no threshold the intervals are unknown, and the text says why; else it is "".
    """
    _, lows, highs, _ = locate(generator.binomial(n, k / n, (bootstraps, len(n))), n, ln)
    lost = np.isnan(lows)
    if lost.mean() > TOO_MANY:
        return UNKNOWN, UNKNOWN, f"{lost.sum()} of {bootstraps} resamples have no threshold"
    steep = (lows < highs).mean() > TAIL
    ends = profile.interval(k, n, ln, middle) if steep else _percentiles(lows[~lost], highs[~lost])
    return ends, profile.range_interval(k, n, ln), ""


def _percentiles(lows: np.ndarray, highs: np.ndarray) -> Ends:
    """Return the 95 % interval from the lower and upper ends of resamples, some of which are infinite."""
    return float(np.quantile(lows, 0.025, method="lower")), float(np.quantile(highs, 0.975, method="higher"))


def _lower(low: float) -> float:
    """Return the lower end of an interval whose logarithm is ``low``; NaN where there is no bound."""
    return float(np.exp(low)) if low > -np.inf else np.nan


def _over_draws(
    located: Threshold, fitted: np.ndarray, sizes: np.ndarray, generator: np.random.Generator, bootstraps: int
) -> Threshold:
    """Return N* and the range with intervals over draws, of fitted (w, d, s): draws are resampled, all sizes alike.

    Where the resamples are all alike, such as those of a jump between the same two sizes on each draw, the intervals
    that were located stay. There are none where a draw lacks networks. That of N* holds at least the two sizes around
    it where the fraction rises within them: N* of resamples are then middles of brackets, and scatter less than N*.
    """
    unknown = located._replace(low=np.nan, high=np.nan, range_low=np.nan, range_high=np.nan)
    if np.isnan(fitted).any():
        return unknown._replace(reason="some draws lack networks of some sizes")
    taken = resamples(fitted.shape[1], generator, bootstraps)
    middles, spreads = of_resamples(fitted, sizes, taken)
    if lost := taken.lost(middles):
        return unknown._replace(reason=lost)
    below, above = _unresolved(fitted, sizes)
    if taken.alike(middles):
        return located._replace(low=min(located.low, below), high=max(located.high, above))
    half, half_range = taken.half_width(middles), taken.half_width(spreads)
    with np.errstate(over="ignore"):  # an end beyond all numbers is infinite
        return located._replace(
            low=min(located.threshold * np.exp(-half), below),
            high=max(located.threshold * np.exp(half), above),
            reason=_extrapolated(np.log(located.threshold), np.log(sizes)),
            range_low=max(1.0, located.range * np.exp(-half_range)),
            range_high=located.range * np.exp(half_range),
        )


def _unresolved(fitted: np.ndarray, sizes: np.ndarray) -> Ends:
    """Return the two sizes around N* of fitted (w, d, s) if the fraction rises from 10 % to 90 % within them.

    Otherwise, and outside of all sizes, they are infinity and 0, which bound nothing.
    """
    ln = np.log(sizes)
    (middle,), (low,), (high,), (spread,) = locate(fitted.sum((1, 2))[None], np.full(len(ln), fitted[0].size), ln)
    place = int(np.searchsorted(ln, middle))
    if not 0 < place < len(ln) or (low == high and spread > ln[place] - ln[place - 1]):
        return np.inf, 0.0
    return float(np.exp(ln[place - 1])), float(np.exp(ln[place]))


def _extrapolated(middle: float, ln: np.ndarray) -> str:
    """Return the sentence that says that ln N* lies outside of the ln N of all sizes; "" where it does not."""
    return "" if ln[0] <= middle <= ln[-1] else "N* lies outside of the sizes: extrapolated"


def threshold_of_known_sizes(
    fitted: np.ndarray, x: np.ndarray, *, generator: np.random.Generator, bootstraps: int
) -> Threshold:
    """Locate N* from fitted (w, ..., s) or (w, d, s), where some sizes x are NaN: those that were not trained.

    A draw without networks, such as one that other tasks of a grid have, is left out.
    """
    trained = np.isfinite(x)
    if fitted.ndim == 3:
        fitted = fitted[:, ~np.isnan(fitted).all((0, 2))]
    draws = fitted.shape[1] if fitted.ndim == 3 else 1
    flat = fitted[trained].reshape(int(trained.sum()), math.prod(fitted.shape[1:]))
    located = threshold(flat, x[trained], generator=generator, bootstraps=bootstraps, draws=draws)
    fraction = np.full(len(x), np.nan)
    fraction[trained] = located.fraction
    return located._replace(fraction=fraction)
