"""Variance of a test error by its origin: data set, search for the rate, start of the network.

D data sets, S searches on each, and R starts on each, which all of its searches share: a search that finds the rate of
another trains the same networks. With the mean squares MS_D between data sets, MS_S between searches on one of them,
MS_R between starts on one of them, and MS_E of what is left of an error without these,

    sigma_D^2 = (MS_D - MS_S - MS_R + MS_E) / (S R),   sigma_S^2 = (MS_S - MS_E) / R,
    sigma_R^2 = (MS_R + (S - 1) MS_E) / S

are unbiased (Searle, Casella & McCulloch, Variance Components, 1992; sigma_R^2 is the variance over starts at one
rate). Negative values count as 0. Intervals are generalised ones (Weerahandi, J. Am. Stat. Assoc. 88, 899, 1993): each
mean square over the chi^2 that it would have is drawn anew, and with it the parts.
"""

from typing import NamedTuple

import numpy as np
import xarray as xr

ORIGINS = ("data set", "rate search", "start")
TAIL = 0.025  # of a 95 % interval, on either side
DRAWS = 20_000  # of the mean squares


class Parts(NamedTuple):
    """Parts of the origins in the variance of one error, (3,), with the ends of their 95 % intervals."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def mean_squares(errors: np.ndarray) -> np.ndarray:
    """Return MS_D, MS_S, MS_R and MS_E, (4, ...), of errors (..., D, S, R)."""
    d, s, r = errors.shape[-3:]
    data = errors.mean((-2, -1), keepdims=True)
    search = errors.mean(-1, keepdims=True) - data
    start = errors.mean(-2, keepdims=True) - data
    between = data - data.mean(-3, keepdims=True)
    parts = (between, search, start, errors - data - search - start)
    sums = [(np.broadcast_to(part, errors.shape) ** 2).sum((-3, -2, -1)) for part in parts]
    freedom = np.reshape(_freedom(d, s, r), (4, *[1] * (errors.ndim - 3)))
    return np.asarray(np.stack(sums) / freedom)


def components(errors: np.ndarray) -> np.ndarray:
    """Return the standard deviations by origin, (3, ...), of errors (..., D, S, R)."""
    return np.asarray(np.sqrt(_variances(mean_squares(errors), *errors.shape[-2:])))


def deviations(errors: np.ndarray, *, draws: int = DRAWS) -> Parts:
    """Return the standard deviations by origin, with intervals, of errors (D, S, R)."""
    low, high = np.quantile(np.sqrt(_drawn(errors, draws)), (TAIL, 1 - TAIL), axis=1)
    return Parts(components(errors), low, high)


def shares(errors: np.ndarray, *, draws: int = DRAWS) -> Parts:
    """Return the shares of the origins in the variance of one of the errors (D, S, R), with intervals."""
    low, high = np.quantile(_shares(_drawn(errors, draws)), (TAIL, 1 - TAIL), axis=1)
    return Parts(_shares(components(errors) ** 2), low, high)


def decomposition(errors: xr.DataArray) -> xr.Dataset:
    """Return the standard deviations by origin, their 95 % intervals and their shares of the variance of one error.

    ``errors`` has the dims draw, search and seed; data sets with a network that has no error are left out. Variables:
    sd, low, high, share, over the dim ``origin``; NaN for fewer than two data sets, searches or networks.
    """
    values = errors.transpose("draw", "search", "seed").values
    values = values[np.isfinite(values).all((1, 2))]
    columns = {name: np.full(3, np.nan) for name in ("sd", "low", "high", "share")}
    if min(values.shape) > 1:
        sd, low, high = deviations(values)
        columns = {"sd": sd, "low": low, "high": high, "share": _shares(sd**2)}
    return xr.Dataset({name: ("origin", column) for name, column in columns.items()}, coords={"origin": list(ORIGINS)})


def _freedom(d: int, s: int, r: int) -> np.ndarray:
    """Return the degrees of freedom of the mean squares, (4,)."""
    return np.array([d - 1, d * (s - 1), d * (r - 1), d * (s - 1) * (r - 1)])


def _variances(squares: np.ndarray, s: int, r: int) -> np.ndarray:
    """Return sigma_D^2, sigma_S^2 and sigma_R^2, (3, ...), by mean squares (4, ...)."""
    data, search, start, rest = squares
    parts = (data - search - start + rest) / (s * r), (search - rest) / r, (start + (s - 1) * rest) / s
    return np.asarray(np.maximum(np.stack(parts), 0))


def _drawn(errors: np.ndarray, draws: int) -> np.ndarray:
    """Return variances by origin (3, draws), of mean squares that are drawn as errors (D, S, R) leave them open."""
    freedom = _freedom(*errors.shape)
    chi = np.random.default_rng(0).chisquare(freedom, (draws, 4))
    return _variances((mean_squares(errors) * freedom / chi).T, *errors.shape[1:])


def _shares(variances: np.ndarray) -> np.ndarray:
    """Return the shares (3, ...) of variances (3, ...) in their sum."""
    return np.asarray(variances / np.maximum(variances.sum(0), 1e-300))
