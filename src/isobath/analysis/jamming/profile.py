"""Interval of N* by the profile of its likelihood, where the transition is so steep that resamples have no slope.

The likelihood of a place m of one half is that of the best slope there, up to infinity:

    l(m) = max_{s > 0} sum_i k_i eta_i - n_i log(1 + e^eta_i)  with  eta_i = s (ln N_i - m)

The interval holds the m with l(m) within half the 95 % quantile of chi^2 of the maximum (Wilks). It has one piece,
since the likelihood is concave in slope and intercept.
"""

import numpy as np
from scipy.stats import chi2

DROP = float(chi2.ppf(0.95, 1) / 2)  # of the log likelihood, at the ends of the interval
SLOPES = np.geomspace(1e-2, 1e8, 240)  # that are tried, over the range of ln N: each is 10 % beyond the last
FAR = 3.0  # ranges of ln N beyond which an end is not looked for, and is infinite
HALVINGS = 40
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
    inside, outside = start, far
    for _ in range(HALVINGS):
        between = (inside + outside) / 2
        inside, outside = (between, outside) if _log_likelihood(between, k, n, ln) >= least else (inside, between)
    return outside


def _log_likelihood(middle: float, k: np.ndarray, n: np.ndarray, ln: np.ndarray) -> float:
    """Return the log likelihood of a place of one half at the best slope."""
    eta = SLOPES[:, None] * (ln - middle) / (ln[-1] - ln[0])
    return float((k * eta - n * np.logaddexp(0, eta)).sum(1).max())
