"""Intervals of N* and of the range of its transition by the profiles of their likelihood.

That of N* is for transitions so steep that resamples have no slope; the range has it always, since slopes of resamples
are too steep.
The likelihood of a place m of one half is that of the best slope there, up to infinity:

    l(m) = max_{s > 0} sum_i k_i eta_i - n_i log(1 + e^eta_i)  with  eta_i = s (ln N_i - m)

The interval holds the m with l(m) within half the 95 % quantile of chi^2 of the maximum (Wilks). It has one piece,
since the likelihood is concave in slope and intercept. The likelihood of a slope is that of the best
place for it.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import expit
from scipy.stats import chi2

from isobath.analysis.jamming.logistic import TENTHS

DROP = float(chi2.ppf(0.95, 1) / 2)  # of the log likelihood, at the ends of the interval
SLOPES = np.geomspace(1e-2, 1e8, 240)  # that are tried, over the range of ln N: each is 10 % beyond the last
FAR = 3.0  # ranges of ln N beyond which an end is not looked for, and is infinite
HALVINGS = 40
STEEPER = 1e-2  # step between the logarithms of slopes that are tried for the range
FAR_ETA = 30.0  # |eta| beyond which a network fits, or does not, to rounding
FLATTEST, STEEPEST = 1e-3, 1e3  # slopes over the range of ln N: of the ends of the interval of the transition's range
ASIDE = 1e-6  # of the range of ln N: how near to a size N* lies where the slope is infinite


def interval(k: np.ndarray, n: np.ndarray, ln: np.ndarray, middle: float) -> tuple[float, float]:
    """Return the ends of the 95 % interval of ln N* where k of n (w,) networks fit at ln N (w,), some and not all.

    There are two sizes or more. ``middle`` is the ln N* that is quoted, and lies in the interval: that of greatest
    likelihood, or, where the slope is infinite, one on the same side of the size at which some fit and some do not.
    """
    span = float(ln[-1] - ln[0])
    fits, unfitted = np.flatnonzero(k > 0)[0], np.flatnonzero(k < n)[-1]
    infinite = fits == unfitted  # the slope: N* is beside the one size at which some fit and some do not
    start = float(ln[fits] + np.sign(middle - ln[fits]) * ASIDE * span) if infinite else middle
    least = _log_likelihood(start, k, n, ln) - DROP
    low, high = (_end(start, far, least, k, n, ln) for far in (ln[0] - FAR * span, ln[-1] + FAR * span))
    return min(low, middle), max(high, middle)


def _end(start: float, far: float, least: float, k: np.ndarray, n: np.ndarray, ln: np.ndarray) -> float:
    """Halve the way from ``start`` to ``far`` until the likelihood falls below ``least``; infinite if it does not."""
    if _log_likelihood(far, k, n, ln) >= least:
        return float(np.copysign(np.inf, far - start))
    return _halved(start, far, lambda middle: _log_likelihood(middle, k, n, ln) >= least)


def _halved(inside: float, outside: float, holds: Callable[[float], bool]) -> float:
    """Halve the way from ``inside``, where a condition holds, to ``outside``, where it does not; return its end."""
    for _ in range(HALVINGS):
        between = (inside + outside) / 2
        inside, outside = (between, outside) if holds(between) else (inside, between)
    return outside


def _log_likelihood(middle: float, k: np.ndarray, n: np.ndarray, ln: np.ndarray) -> float:
    """Return the log likelihood of a place of one half at the best slope."""
    eta = SLOPES[:, None] * (ln - middle) / (ln[-1] - ln[0])
    return float((k * eta - n * np.logaddexp(0, eta)).sum(1).max())


def range_interval(k: np.ndarray, n: np.ndarray, ln: np.ndarray) -> tuple[float, float]:
    """Return the ends of the 95 % interval of the range of ln N over which the share that fits rises from 0.1 to 0.9.

    k of n (w,) networks fit at ln N (w,), some and not all. An end is 0 where an infinite slope is as likely, and
    infinite where none is.
    """
    span = float(ln[-1] - ln[0])
    slopes = np.exp(np.arange(np.log(FLATTEST), np.log(STEEPEST), STEEPER))
    likelihood = _of_slopes(slopes, k, n, (ln - ln[0]) / span)
    least = likelihood.max() - DROP
    inside = likelihood >= least
    first, last = np.flatnonzero(inside)[[0, -1]]

    def is_likely(log_slope: float) -> bool:
        return bool(_of_slopes(np.exp([log_slope]), k, n, (ln - ln[0]) / span)[0] >= least)

    def end(within: int, beyond: int) -> float:
        inside, outside = np.log(slopes[[within, beyond]]).tolist()
        return float(TENTHS * span / math.exp(_halved(inside, outside, is_likely)))

    return end(last, last + 1) if last < len(slopes) - 1 else 0.0, end(first, first - 1) if first else math.inf


def _of_slopes(slopes: np.ndarray, k: np.ndarray, n: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the log likelihood of each slope at the best place, where as many fit as the logistic says."""
    low, high = -slopes - FAR_ETA, np.full(len(slopes), FAR_ETA)
    for _ in range(HALVINGS):
        between = (low + high) / 2
        few = (n * expit(slopes[:, None] * x + between[:, None])).sum(1) < k.sum()
        low, high = np.where(few, between, low), np.where(few, high, between)
    eta = slopes[:, None] * x + ((low + high) / 2)[:, None]
    return np.asarray((k * eta - n * np.logaddexp(0, eta)).sum(1))
