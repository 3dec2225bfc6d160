"""Bootstrap over networks: what is resampled together, statistics of samples, and intervals.

Networks of a cell differ in their seed; they are resampled with replacement within each draw of
the data, which is held fixed. Cells are independent, so each has its own resamples. Along a dim
that is no part of a cell (the size of an ensemble, the degree of a spectrum) the same networks
stand behind all values, so they share one resample. Arrays here end in (draw, seed); a network
that is missing is NaN.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import xarray as xr
from scipy.stats import chi2 as chi_square
from scipy.stats import f, norm
from scipy.stats import t as student

CELL = ("task", "protocol", "depth", "width", "n_train", "draw")
NETWORKS = ("draw", "seed")
TOO_MANY = 0.1  # share of replicates without an estimate from which there is no interval
ABOUT = {
    "value": (("fit", "parameter"), "parameter of the law"),
    "low": (("fit", "parameter"), "lower end of the 95 % interval over networks"),
    "high": (("fit", "parameter"), "upper end of the 95 % interval over networks"),
    "failed": (("fit",), "resamples without a justified fit"),
    "chi2": (("fit",), "weighted sum of squared residuals"),
    "dof": (("fit",), "points less parameters"),
    "p_value": (("fit",), "probability of a larger chi2 if the law holds"),
    "r2": (("fit",), "share of the weighted variance that the law explains"),
    "reason": (("fit",), "why a fit or its interval is missing"),
    "n_points": ((), "points that are fitted"),
    "left_out": ((), "points with fewer than 2 networks"),
    "x_min": ((), "smallest x that is fitted"),
    "x_max": ((), "largest x that is fitted"),
    "x": (("along",), "x of a point"),
    "y": (("along",), "y of a point"),
    "error": (("along",), "standard error of y over networks"),
    "networks": (("along",), "networks behind a point"),
    "fitted": (("along",), "whether a point is fitted"),
}
Statistic = Literal["mean", "median", "root_mean_square"]


def resamples(exists: xr.DataArray, count: int, generator: np.random.Generator) -> xr.DataArray:
    """Positions along seed, with replacement, -1 for none: dims those of a cell in ``exists``, ``replicate``, seed.

    ``exists`` says where there is a network. One that exists anywhere along the dims that are no
    part of a cell takes part; as many are drawn as take part.
    """
    shared = [dim for dim in exists.dims if dim not in (*CELL, "seed")]
    present = exists.any(shared)
    present = present.transpose(*(dim for dim in present.dims if dim != "seed"), "seed")
    flat = present.values.reshape(-1, present.sizes["seed"])
    found = np.full((len(flat), count, flat.shape[1]), -1)
    for group, row in zip(found, flat, strict=True):
        networks = np.flatnonzero(row)
        if len(networks):
            group[:, : len(networks)] = generator.choice(networks, (count, len(networks)))
    dims = (*present.dims[:-1], "replicate", "seed")
    return xr.DataArray(found.reshape(*present.shape[:-1], *found.shape[1:]), dims=dims)


def take(values: np.ndarray, picks: np.ndarray) -> np.ndarray:
    """The values of resampled networks: (p, d, s) at positions (p, d, b, s) gives (b, p, d, s), NaN at -1."""
    padded = np.concatenate([values, np.full((*values.shape[:-1], 1), np.nan)], -1)
    taken = np.take_along_axis(padded[..., None, :], picks % padded.shape[-1], -1)  # -1 % (s + 1) is the padding
    return np.moveaxis(taken, -2, 0)


def degrees(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number of networks, and degrees of freedom of their spread within draws, each (...) of values (..., d, s)."""
    present = ~np.isnan(values)
    n = present.sum((-2, -1))
    return n, n - present.any(-1).sum(-1)


def reduce(values: np.ndarray, statistic: Statistic) -> np.ndarray:
    """The statistic over all networks of values (..., d, s), NaN where there is none."""
    flat = values.reshape(*values.shape[:-2], -1)
    present = ~np.isnan(flat)
    n = present.sum(-1)
    if statistic == "median":
        ordered = np.sort(flat, -1)  # NaN last
        middle = [np.take_along_axis(ordered, i[..., None], -1)[..., 0] for i in (np.maximum(n - 1, 0) // 2, n // 2)]
        return np.where(n > 0, (middle[0] + middle[1]) / 2, np.nan)
    powered = np.where(present, flat**2 if statistic == "root_mean_square" else flat, 0.0)
    mean = np.where(n > 0, powered.sum(-1) / np.maximum(n, 1), np.nan)
    return np.sqrt(mean) if statistic == "root_mean_square" else mean


def standard_error(values: np.ndarray, statistic: Statistic) -> np.ndarray:
    """Standard error of the mean or of the root mean square over networks, (...) of values (..., d, s).

    The variance is pooled over draws, with n - d degrees of freedom; NaN where that is 0. That of
    the root mean square follows from that of the mean square.
    """
    if statistic == "root_mean_square":
        size = reduce(values, "root_mean_square")
        return standard_error(values**2, "mean") / np.where(size > 0, 2 * size, np.inf)
    n, freedom = degrees(values)
    present = ~np.isnan(values)
    own = np.where(present, values, 0.0).sum(-1, keepdims=True) / np.maximum(present.sum(-1, keepdims=True), 1)
    squares = (np.where(present, values - own, 0.0) ** 2).sum((-2, -1))
    return np.where(freedom > 0, np.sqrt(squares / np.maximum(freedom, 1) / np.maximum(n, 1)), np.nan)


def interval(
    estimate: np.ndarray, replicates: np.ndarray, *, networks: float, freedom: float
) -> tuple[np.ndarray, np.ndarray]:
    """95 % interval around estimates (q,) from replicates (b, q): percentiles, widened for few networks.

    A resample of n networks spreads by a factor sqrt(freedom / n) too little. Points are weighted
    by errors that are themselves known from few networks: a point that seems sure by chance
    draws the fit, and the replicates, which have its weight, do not show it. Student's quantile
    with half the degrees of freedom makes up for that: it covers 94 to 99 % for 5 to 50
    networks and laws of one to three coefficients, where that with all of them covers 85 to 95 %.
    """
    factor = np.sqrt(networks / freedom) * student.ppf(0.975, freedom / 2) / norm.ppf(0.975)
    low, high = np.quantile(replicates, [0.025, 0.975], axis=0)
    return estimate + factor * (low - estimate), estimate + factor * (high - estimate)


def probability(chi2: float, dof: float, freedom: float) -> float:
    """Probability of a larger chi^2 when errors are known from ``freedom`` degrees of freedom each.

    A sum of squared Student variables, by a multiple of a chi-square variable with its mean and
    variance; NaN for freedom <= 4, where it has no variance.
    """
    if np.isinf(freedom):
        return float(chi_square.sf(chi2, dof))
    if freedom <= 4:
        return np.nan
    mean, variance = f.stats(1, freedom, moments="mv")
    scale = variance / (2 * mean)
    return float(chi_square.sf(chi2 / scale, dof * mean / scale))


class Points(NamedTuple):
    """What a law is fitted to, each (p,), and its replicates, each (b, p); NaN where there is no network."""

    x: np.ndarray
    y: np.ndarray
    error: np.ndarray
    networks: np.ndarray
    freedom: np.ndarray
    x_replicates: np.ndarray
    y_replicates: np.ndarray

    def described(self, chosen: np.ndarray) -> dict[str, Any]:
        """The points as results, with what is said of those that are fitted."""
        x = self.x[chosen] if chosen.any() else np.array([np.nan])
        counts = {"n_points": chosen.sum(), "left_out": (self.freedom < 1).sum(), "x_min": x.min(), "x_max": x.max()}
        return counts | {"x": self.x, "y": self.y, "error": self.error, "networks": self.networks, "fitted": chosen}


def points(x: np.ndarray, y: np.ndarray, picks: np.ndarray, statistic: Statistic) -> Points:
    """Reduce y (p, d, s) by the statistic and x (p, d, s), or (p,) if networks share it, by the mean.

    ``picks`` (p, d, b, s) serve x and y alike. The error of a median is the spread of its replicates.
    """
    networks, freedom = degrees(y)
    y_replicates = reduce(take(y, picks), statistic)
    if statistic == "median":
        spread = np.nanstd(np.where(networks > 0, y_replicates, 0.0), 0)  # a resample may miss a shared point
        error = np.where(freedom > 0, spread * np.sqrt(networks / np.maximum(freedom, 1)), np.nan)
    else:
        error = standard_error(y, statistic)
    x_replicates = np.broadcast_to(x, y_replicates.shape) if x.ndim == 1 else reduce(take(x, picks), "mean")
    x = x if x.ndim == 1 else reduce(x, "mean")
    return Points(x, reduce(y, statistic), error, networks, freedom, x_replicates, y_replicates)


Solver = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, list[str]]]


def intervals(estimate: np.ndarray, solve: Solver, at: Points, chosen: np.ndarray) -> dict[str, Any]:
    """95 % intervals low, high (q,) of what ``solve`` estimates, the number of failed replicates, and a reason.

    ``solve(x, y, weight)``, each (b, p), gives estimates (b, q) and why they are not justified. Those are
    dropped; where they are too many there is no interval. Weights are those of the points.
    """
    there = ~np.isnan(at.y_replicates[:, chosen])
    x = np.where(there, at.x_replicates[:, chosen], at.x[chosen])
    y = np.where(there, at.y_replicates[:, chosen], 0.0)
    values, reasons = solve(x, y, there / np.where(at.error[chosen] > 0, at.error[chosen], 1.0))
    kept = np.array([not reason for reason in reasons])
    failed = int((~kept).sum())
    if failed > TOO_MANY * len(kept):
        lost = np.full(len(estimate), np.nan)
        return {"low": lost, "high": lost, "failed": failed, "reason": f"{failed} of {len(kept)} resamples failed"}
    networks, freedom = (float(n[chosen].min()) for n in (at.networks, at.freedom))
    low, high = interval(estimate, values[kept], networks=networks, freedom=freedom)
    return {"low": low, "high": high, "failed": failed, "reason": ""}


class Samples(NamedTuple):
    """Networks of every combination: y (*rest, along, draw, seed), x alike or (*rest, along), picks, names of rest."""

    x: xr.DataArray
    y: xr.DataArray
    picks: xr.DataArray
    rest: list[str]


def samples(
    dataset: xr.Dataset, *, variable: str, axis: str, along: str, count: int, generator: np.random.Generator
) -> Samples:
    """Align x and y, drop networks that lack one of them, and resample. Raises ValueError for names that do not fit."""
    for name in (variable, axis):
        if name not in dataset.variables:
            raise ValueError(f"{name!r} is not in the dataset; it has {', '.join(map(str, dataset.variables))}")
    y, x = dataset[variable], dataset[axis]
    if "seed" not in y.dims or along not in y.dims or along not in x.dims or along in NETWORKS:
        dims = f"{variable} has the dims {', '.join(map(str, y.dims))}, {axis} has {', '.join(map(str, x.dims))}"
        raise ValueError(f"{dims}; the first needs {along} and seed, the second {along}")
    own = bool({*NETWORKS} & {*x.dims})  # networks have their own x
    x, y = (a.reset_coords(drop=True).astype(float) for a in (x, y))
    if "draw" not in y.dims:
        y = y.expand_dims("draw")
    x, y = xr.broadcast(x, y, exclude=() if own else NETWORKS)
    rest = [str(dim) for dim in y.dims if dim not in (along, *NETWORKS)]
    exists = y.notnull() & x.notnull()
    y, x = y.where(exists), x.where(exists) if own else x
    picks = resamples(exists, count, generator)
    picks = picks.broadcast_like(y.isel(seed=0, drop=True)).transpose(*rest, along, "draw", "replicate", "seed")
    x = x.transpose(*rest, along, *(NETWORKS if own else ()))
    about = {name: c for name, c in dataset[variable].coords.items() if {*c.dims} <= {*rest} and name not in y.coords}
    return Samples(x, y.transpose(*rest, along, *NETWORKS).assign_coords(about), picks, rest)


def labelled(found: Sequence[Mapping[str, Any]], taken: Samples, along: str, **coords: Any) -> xr.Dataset:
    """Results of every combination, in C order, as a dataset: the dims of the combinations, then those in ABOUT."""
    place = taken.y.isel(dict.fromkeys((along, *NETWORKS), 0), drop=True)
    variables = {}
    for name, (dims, long_name) in ABOUT.items():
        columns = [np.asarray(one[name]) for one in found]
        values = np.array(columns).reshape((*place.shape, *columns[0].shape))
        values = values.astype(object) if values.dtype.kind == "U" else values
        own = (along if dim == "along" else dim for dim in dims)
        variables[name] = ((*place.dims, *own), values, {"long_name": long_name})
    return xr.Dataset(variables, coords={**place.coords, along: taken.y[along], **coords})
