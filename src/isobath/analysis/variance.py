"""Variance of a test error by its origin: data set, search for the rate, start of the network.

A nested design: D data sets, S searches on each, R networks at the rate that each search found. With the mean squares
MS_D, MS_S and MS_R between data sets, between searches on one of them, and between networks of one search,

    sigma_R^2 = MS_R,   sigma_S^2 = (MS_S - MS_R) / R,   sigma_D^2 = (MS_D - MS_S) / (S R)

are unbiased (Searle, Casella & McCulloch, Variance Components, 1992). Negative values count as 0.
"""

from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy.stats import chi2, f

ORIGINS = ("data set", "rate search", "start")
TAIL = 0.025  # of a 95 % interval, on either side


def mean_squares(errors: np.ndarray) -> np.ndarray:
    """Return MS_D, MS_S and MS_R, (3, ...), of errors (..., D, S, R)."""
    d, s, r = errors.shape[-3:]
    search = errors.mean(-1)
    data = search.mean(-1)
    between = s * r * ((data - data.mean(-1, keepdims=True)) ** 2).sum(-1) / (d - 1)
    searches = r * ((search - data[..., None]) ** 2).sum((-2, -1)) / (d * (s - 1))
    starts = ((errors - search[..., None]) ** 2).sum((-3, -2, -1)) / (d * s * (r - 1))
    return np.stack([between, searches, starts])


def components(errors: np.ndarray) -> np.ndarray:
    """Return the standard deviations by origin, (3, ...), of errors (..., D, S, R)."""
    return np.asarray(np.sqrt(_variances(mean_squares(errors), *errors.shape[-2:])))


def _variances(squares: np.ndarray, s: int, r: int) -> np.ndarray:
    """Return sigma_D^2, sigma_S^2 and sigma_R^2, (3, ...), by mean squares (3, ...)."""
    between, searches, starts = squares
    return np.asarray(np.maximum(np.stack([(between - searches) / (s * r), (searches - starts) / r, starts]), 0))


class Shares(NamedTuple):
    """Shares of the origins in the variance of one error, (3,), with the ends of their 95 % intervals."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def shares(errors: np.ndarray, *, draws: int = 20_000) -> Shares:
    """Return the shares of data set, search and start in the variance of one of the errors (D, S, R).

    Intervals are generalised ones (Weerahandi, J. Am. Stat. Assoc. 88, 899, 1993): each mean square over the chi^2 that
    it would have is drawn anew, and with it the shares.
    """
    d, s, r = errors.shape
    squares, freedom = mean_squares(errors), np.array([d - 1, d * (s - 1), d * s * (r - 1)])
    chi = np.random.default_rng(0).chisquare(freedom, (draws, 3))
    drawn = _shares((squares * freedom / chi).T, s, r)
    low, high = np.quantile(drawn, (TAIL, 1 - TAIL), axis=1)
    return Shares(_shares(squares[:, None], s, r)[:, 0], low, high)


def _shares(squares: np.ndarray, s: int, r: int) -> np.ndarray:
    """Return the shares (3, m) by mean squares (3, m)."""
    variances = _variances(squares, s, r)
    return np.asarray(variances / np.maximum(variances.sum(0), 1e-300))


def decomposition(errors: xr.DataArray) -> xr.Dataset:
    """Return the standard deviations by origin, their 95 % intervals and their shares of the variance of one error.

    ``errors`` has the dims draw, search and seed; data sets with a network that has no error are left out. Variables:
    sd, low, high, share, over the dim ``origin``; NaN for fewer than two data sets, searches or networks.
    """
    values = errors.transpose("draw", "search", "seed").values
    values = values[np.isfinite(values).all((1, 2))]
    columns = {name: np.full(3, np.nan) for name in ("sd", "low", "high", "share")}
    if min(values.shape) > 1:
        sd = components(values)
        low, high = intervals(values)
        columns = {"sd": sd, "low": low, "high": high, "share": sd**2 / max((sd**2).sum(), 1e-300)}
    return xr.Dataset({name: ("origin", column) for name, column in columns.items()}, coords={"origin": list(ORIGINS)})


def intervals(errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends (3,) of 95 % intervals of the standard deviations, of errors (D, S, R).

    Modified large-sample intervals of differences of mean squares (Ting et al., J. Stat. Comput. Simul. 35, 135, 1990);
    that of the starts is exact.
    """
    d, s, r = errors.shape
    squares, freedom = mean_squares(errors), (d - 1, d * (s - 1), d * s * (r - 1))
    ends = [
        _difference(squares[i], squares[i + 1], freedom[i], freedom[i + 1], divisor)
        for i, divisor in ((0, s * r), (1, r))
    ]
    starts = [squares[2] * freedom[2] / chi2.ppf(p, freedom[2]) for p in (1 - TAIL, TAIL)]
    low, high = np.array([*ends, starts]).T
    return np.sqrt(np.maximum(low, 0)), np.sqrt(np.maximum(high, 0))


def _difference(ms_1: float, ms_2: float, n: int, m: int, divisor: int) -> tuple[float, float]:
    """Return the ends of the interval of (E MS_1 - E MS_2) / divisor; the squares have n and m degrees of freedom."""
    g1, g2 = (1 - k / chi2.ppf(1 - TAIL, k) for k in (n, m))
    h1, h2 = (k / chi2.ppf(TAIL, k) - 1 for k in (n, m))
    upper, lower = f.ppf(1 - TAIL, n, m), f.ppf(TAIL, n, m)
    g12 = ((upper - 1) ** 2 - (g1 * upper) ** 2 - h2**2) / upper
    h12 = ((1 - lower) ** 2 - (h1 * lower) ** 2 - g2**2) / lower
    down = (g1 * ms_1) ** 2 + (h2 * ms_2) ** 2 + g12 * ms_1 * ms_2
    up = (h1 * ms_1) ** 2 + (g2 * ms_2) ** 2 + h12 * ms_1 * ms_2
    gap = ms_1 - ms_2
    return (gap - max(down, 0) ** 0.5) / divisor, (gap + max(up, 0) ** 0.5) / divisor
