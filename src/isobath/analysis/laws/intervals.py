"""Intervals of fitted parameters by bootstrap and jackknife, and the probability of chi^2 by errors that are estimates.

The bootstrap is over networks, or draws; the jackknife over parts of the test samples, which these share. Half-widths
are added in quadrature. What networks and samples do together is in both, so that the sum is too wide by a factor of
up to the root of two, and never too narrow; so is that of draws with test samples of their own.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.stats import chi2 as chi_square
from scipy.stats import f
from scipy.stats import t as student

from isobath.analysis.laws.bootstraps import Alternatives, Points
from isobath.analysis.standard_errors import TOO_MANY, Z

LEAST_FREEDOM = 4  # degrees of freedom of a Student variable that has no fourth moment
EACH_ITS_WEIGHT, SMOOTH_WEIGHTS = 0.5, 0.75  # share of the degrees of freedom that Student's quantile has
Solver = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, list[str]]]


def interval(
    estimate: np.ndarray, replicates: np.ndarray, *, networks: float, freedom: float, smooth: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the 95 % interval of estimates (q,) by replicates (b, q): percentiles, widened for few networks.

    A resample of n networks spreads by a factor sqrt(freedom / n) too little. Points are weighted
    by errors that are themselves known from few networks: a point whose estimated error is
    small by chance dominates the fit, and the replicates, which have its weight, do not show it. Student's quantile
    with half the degrees of freedom makes up for that: it covers 94 to 99 % for 5 to 50
    networks and laws of one to three coefficients, where that with all of them covers 85 to 95 %.
    ``smooth`` weights, those of draws, are known better: of six draws the quantile with half the degrees covers
    97 to 99 %, with three quarters 94 to 97 %, with all 92 to 96 %.
    """
    share = SMOOTH_WEIGHTS if smooth else EACH_ITS_WEIGHT
    factor = np.sqrt(networks / freedom) * student.ppf(0.975, share * freedom) / Z
    low, high = np.quantile(replicates, [0.025, 0.975], axis=0)
    return estimate + factor * (low - estimate), estimate + factor * (high - estimate)


def probability(chi2: float, dof: float, freedom: float) -> float:
    """Return the probability of a larger chi^2 when errors are known from ``freedom`` degrees of freedom each.

    A sum of squared Student variables is replaced by a multiple of a chi-square variable with its mean and
    variance; NaN for freedom <= LEAST_FREEDOM, where it has no variance.
    """
    if np.isinf(freedom):
        return float(chi_square.sf(chi2, dof))
    if freedom <= LEAST_FREEDOM:
        return np.nan
    mean, variance = f.stats(1, freedom, moments="mv")
    scale = variance / (2 * mean)
    return float(chi_square.sf(chi2 / scale, dof * mean / scale))


class Intervals(NamedTuple):
    """Ends (q,) of 95 % intervals, the number of resamples that failed, that of parts of the test samples, which were
    left out one by one, and why there is no interval, or "".
    """

    low: np.ndarray
    high: np.ndarray
    failed: int
    parts: int
    reason: str


def intervals(estimate: np.ndarray, solve: Solver, points: Points, chosen: np.ndarray) -> Intervals:
    """Return the intervals of the estimates (q,) that ``solve`` makes of the ``chosen`` points (p,).

    ``solve(x, y, weight)``, each (b, p), gives estimates (b, q) and the reasons for which they are not justified.
    Estimates that are not justified are dropped; where these are too many there is no interval. Weights are those of
    the points.
    """
    resampled = _of_alternatives(points.resampled, solve, points, chosen)
    without = _of_alternatives(points.without, solve, points, chosen, whole=True)
    for (_, failed, of), what in ((resampled, "resamples"), (without, "fits without a part of the test samples")):
        if failed > TOO_MANY * of:
            nothing = np.full(len(estimate), np.nan)
            return Intervals(nothing, nothing, resampled.failed, without.of, f"{failed} of {of} {what} failed")
    networks, freedom = (float(n[chosen].min()) for n in (points.networks, points.freedom))
    low, high = interval(estimate, resampled.values, networks=networks, freedom=freedom, smooth=points.smooth)
    half = jackknife(without.values, parts=without.of)
    return Intervals(*_widened(estimate, low, high, half), resampled.failed, without.of, "")


def jackknife(estimates: np.ndarray, *, parts: int) -> np.ndarray:
    """Return half of the 95 % interval (q,) over samples, by estimates (t, q) that each lack one of the equal parts.

    Their variance is (parts - 1) / t of the sum of their squared deviations, with t - 1 degrees of freedom; t is less
    than the number of parts where estimates failed. It is 0 for less than two estimates.
    """
    t = len(estimates)
    if t < 2:
        return np.zeros(estimates.shape[1])
    squares = ((estimates - estimates.mean(0)) ** 2).sum(0)
    return np.asarray(student.ppf(0.975, t - 1) * np.sqrt(squares * (parts - 1) / t))


def _widened(
    estimate: np.ndarray, low: np.ndarray, high: np.ndarray, half: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends (q,) of an interval with another error of a half-width, which reach as far as this alone."""
    below, above = (np.hypot(np.maximum(side, 0), half) for side in (estimate - low, high - estimate))
    wider = half > 0
    return np.where(wider, estimate - below, low), np.where(wider, estimate + above, high)


class Estimates(NamedTuple):
    """Justified estimates (b, q), the number of those that are not justified, and the number of all."""

    values: np.ndarray
    failed: int
    of: int


def _of_alternatives(
    alternatives: Alternatives, solve: Solver, points: Points, chosen: np.ndarray, *, whole: bool = False
) -> Estimates:
    """Return the estimates of the chosen points as they might have been; rows without a point do not count.

    A row that lacks some of the points has the estimate of the others; where rows must be ``whole``, it has failed.
    """
    x, y = (values[:, chosen] for values in alternatives)
    known = ~(np.isnan(x) | np.isnan(y))
    rows, of = known.all(1) if whole else known.any(1), int(known.any(1).sum())
    x, y, known = x[rows], y[rows], known[rows]
    weight = known / np.where(points.error[chosen] > 0, points.error[chosen], 1.0)
    values, reasons = solve(np.where(known, x, points.x[chosen]), np.where(known, y, 0.0), weight)
    justified = np.array([not reason for reason in reasons], dtype=bool)
    return Estimates(values[justified], of - int(justified.sum()), of)
