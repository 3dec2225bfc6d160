"""Bootstrap over networks: which networks are resampled together, and the points of a law with their replicates.

Networks of a cell differ in their seed; they are resampled with replacement. Cells are independent, so each has its
own resamples. Along a dim that is no part of a cell (the size of an ensemble, the degree of a spectrum) the
same networks stand behind all values, so they share one resample.

Where there are several draws of the data, these are resampled, not networks: the networks of a draw are first reduced
to one value. Networks of all depths and widths learn from the same draws, and share their resamples.

Networks of a draw have the same test samples, and most tasks draw these once for all draws. Variables that are known
without each part of them (see ``sample_parts``) are also fitted without it: a jackknife beside the bootstrap.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from isobath.analysis.laws.statistics import Statistic, degrees, reduce, standard_error
from isobath.analysis.over_networks import NETWORK_DIMS
from isobath.results import CELL, PART, WITHOUT_PART

OF_DRAWS = ("task", "protocol", "n_train", "draw")  # a cell where draws are resampled


def resamples(
    exists: xr.DataArray, count: int, generator: np.random.Generator, *, cell: Sequence[str] = CELL
) -> xr.DataArray:
    """Draw positions along seed, with replacement, -1 for none: dims those of a cell in ``exists``, replicate, seed.

    ``exists`` says where there is a network. One that exists anywhere along the dims that are no
    part of a cell takes part; as many are drawn as take part.
    """
    shared = [dim for dim in exists.dims if dim not in (*cell, "seed")]
    participants = exists.any(shared)
    participants = participants.transpose(..., "seed")
    flat = participants.values.reshape(-1, participants.sizes["seed"])
    picks = np.full((len(flat), count, flat.shape[1]), -1)
    for picked, row in zip(picks, flat, strict=True):
        networks = np.flatnonzero(row)
        if len(networks):
            picked[:, : len(networks)] = generator.choice(networks, (count, len(networks)))
    dims = (*participants.dims[:-1], "replicate", "seed")
    return xr.DataArray(picks.reshape(*participants.shape[:-1], *picks.shape[1:]), dims=dims)


def take(values: np.ndarray, picks: np.ndarray) -> np.ndarray:
    """Return the values of resampled networks: (p, d, s) at positions (p, d, b, s) gives (b, p, d, s), NaN at -1."""
    padded = np.concatenate([values, np.full((*values.shape[:-1], 1), np.nan)], -1)
    resampled = np.take_along_axis(padded[..., None, :], picks % padded.shape[-1], -1)  # -1 % (s + 1) is the padding
    return np.moveaxis(resampled, -2, 0)


class Samples(NamedTuple):
    """Networks of every combination: y (*rest, along, draw, seed), x alike or (*rest, along), picks, names of rest.

    If they are ``of_draws``, the networks of each draw are reduced, and the draws stand along seed. ``x_without`` and
    ``y_without`` end in PART, which has no values where numbers without parts are not known.
    """

    x: xr.DataArray
    y: xr.DataArray
    x_without: xr.DataArray
    y_without: xr.DataArray
    picks: xr.DataArray
    rest: list[str]
    of_draws: bool


def samples(
    dataset: xr.Dataset,
    *,
    variable: str,
    axis: str,
    along: str,
    statistic: Statistic,
    count: int,
    generator: np.random.Generator,
) -> Samples:
    """Align x and y, drop networks that lack one of them, and resample. Raises ValueError for names that do not fit."""
    x, y = _aligned(dataset, variable, axis, along)
    per_network = bool({*NETWORK_DIMS} & {*x.dims})
    y = y.where(x.notnull())
    x = x.where(y.notnull()) if per_network else x
    of_draws = y.sizes["draw"] > 1
    parts = _parts(dataset, (axis, variable))
    without = [_without(dataset, name, values, parts) for name, values in ((axis, x), (variable, y))]
    if of_draws:
        x, y = _by_draw(x, "mean"), _by_draw(y, statistic)
        without = [_by_draw(without[0], "mean"), _by_draw(without[1], statistic)]
    rest = [str(dim) for dim in y.dims if dim not in (along, *NETWORK_DIMS)]
    picks = resamples(y.notnull(), count, generator, cell=OF_DRAWS if of_draws else CELL)
    picks = picks.broadcast_like(y.isel(seed=0, drop=True)).transpose(*rest, along, "draw", "replicate", "seed")
    of_y = (*rest, along, *NETWORK_DIMS)
    of_x = (*rest, along, *(NETWORK_DIMS if per_network else ()))
    x_without, y_without = (a.transpose(*dims, PART) for a, dims in zip(without, (of_x, of_y), strict=True))
    coords = dataset[variable].coords
    labels = {name: c for name, c in coords.items() if {*c.dims} <= {*rest} and name not in y.coords}
    y = y.transpose(*of_y).assign_coords(labels)
    return Samples(x.transpose(*of_x), y, x_without, y_without, picks, rest, of_draws)


def _parts(dataset: xr.Dataset, names: Sequence[str]) -> int:
    """Return the number of parts of the test samples without which variables are known, 0 if none is."""
    without = (name + WITHOUT_PART for name in names)
    return max((dataset[name].sizes[PART] for name in without if name in dataset), default=0)


def _without(dataset: xr.Dataset, name: str, values: xr.DataArray, parts: int) -> xr.DataArray:
    """Return a variable without each part, with the dim PART; as it is if it does not depend on the test samples.

    A network that lacks a number without a part, as where the few samples that count are of this part, has its own
    number of all samples instead. A point of which all networks lack it is NaN.
    """
    if not parts or name + WITHOUT_PART not in dataset:
        return values.expand_dims({PART: parts})
    without = dataset[name + WITHOUT_PART].reset_coords(drop=True).drop_vars(PART, errors="ignore").astype(float)
    known = without.notnull().any([dim for dim in NETWORK_DIMS if dim in without.dims])
    return without.broadcast_like(values).where(values.notnull()).fillna(values).where(known)


def _by_draw(values: xr.DataArray, statistic: Statistic) -> xr.DataArray:
    """Reduce the networks of each draw to one value; the draws then lie along seed, and draw has one value."""
    if "seed" not in values.dims:
        return values
    networks = values.expand_dims("one").transpose(..., "one", "seed")
    reduced: xr.DataArray = xr.apply_ufunc(
        lambda array: reduce(array, statistic), networks, input_core_dims=[["one", "seed"]], keep_attrs=True
    )
    return reduced.rename(draw="seed").drop_vars("seed", errors="ignore").expand_dims("draw")


def _aligned(dataset: xr.Dataset, variable: str, axis: str, along: str) -> tuple[xr.DataArray, xr.DataArray]:
    """Return x and y with equal dims, but for draw and seed if networks share x."""
    for name in (variable, axis):
        if name not in dataset.variables:
            raise ValueError(f"{name!r} is not in the dataset; it has {', '.join(map(str, dataset.variables))}")
    y, x = dataset[variable], dataset[axis]
    if "seed" not in y.dims or along not in y.dims or along not in x.dims or along in NETWORK_DIMS:
        dims = f"{variable} has the dims {', '.join(map(str, y.dims))}, {axis} has {', '.join(map(str, x.dims))}"
        raise ValueError(f"{dims}; the first needs {along} and seed, the second {along}")
    x, y = (a.reset_coords(drop=True).astype(float) for a in (x, y))
    if "draw" not in y.dims:
        y = y.expand_dims("draw")
    x, y = xr.broadcast(x, y, exclude=() if {*NETWORK_DIMS} & {*x.dims} else NETWORK_DIMS)
    return x, y


class Alternatives(NamedTuple):
    """The points of a law as they might have been, x and y (b, p); NaN where there is no network."""

    x: np.ndarray
    y: np.ndarray


class Points(NamedTuple):
    """Points (p,) of a law, with ``resampled`` networks and ``without`` each part of the test samples.

    They are NaN where there is no network. ``smooth``: their errors are on a power of x.
    """

    x: np.ndarray
    y: np.ndarray
    error: np.ndarray
    networks: np.ndarray
    freedom: np.ndarray
    resampled: Alternatives
    without: Alternatives
    smooth: bool


def points(
    x: np.ndarray,
    y: np.ndarray,
    x_without: np.ndarray,
    y_without: np.ndarray,
    picks: np.ndarray,
    statistic: Statistic,
    *,
    smooth: bool = False,
) -> Points:
    """Reduce y (p, d, s) by the statistic and x (p, d, s), or (p,) if networks share it, by the mean.

    ``picks`` (p, d, b, s) serve x and y alike; ``x_without`` and ``y_without`` have one more dim, at their end. The
    error of a median is the spread of its replicates. With ``smooth`` errors are a power of x that is fitted to them.
    """
    networks, freedom = degrees(y)
    y_replicates = reduce(take(y, picks), statistic)
    if statistic == "median":
        spread = np.nanstd(np.where(networks > 0, y_replicates, 0.0), 0)  # a resample may miss a shared point
        error = np.where(freedom > 0, spread * np.sqrt(networks / np.maximum(freedom, 1)), np.nan)
    else:
        error = standard_error(y, statistic)
    shared = x.ndim == 1
    x_replicates = np.broadcast_to(x, y_replicates.shape) if shared else reduce(take(x, picks), "mean")
    x_without, y_without = (np.moveaxis(values, -1, 0) for values in (x_without, y_without))
    without = Alternatives(x_without if shared else reduce(x_without, "mean"), reduce(y_without, statistic))
    x = x if shared else reduce(x, "mean")
    error = _power(x, error) if smooth else error
    resampled = Alternatives(x_replicates, y_replicates)
    return Points(x, reduce(y, statistic), error, networks, freedom, resampled, without, smooth)


def _power(x: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Return errors (p,) on the power of x that fits them best, by least squares of logarithms.

    With few draws, which all points share, a point whose estimated error is small by chance would dominate the fit, and
    the resamples would not show it.
    """
    usable = np.isfinite(error) & (error > 0) & (x > 0)
    if usable.sum() < 3:
        return error
    line = np.polyfit(np.log(x[usable]), np.log(error[usable]), 1)
    return np.where(np.isfinite(error), np.exp(np.polyval(line, np.log(np.where(x > 0, x, 1.0)))), np.nan)
