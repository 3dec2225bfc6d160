"""The jamming transition of the networks of a cube, as labelled arrays (see variables)."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from isobath.analysis.jamming.draws import of_resamples, resamples
from isobath.analysis.jamming.survival import median_steps
from isobath.analysis.jamming.threshold import Threshold, threshold_of_known_sizes
from isobath.analysis.jamming.variables import VARIABLES
from isobath.analysis.over_networks import NETWORK_DIMS
from isobath.analysis.standard_errors import RESAMPLES
from isobath.statuses import DIVERGED, FITTED, UNTRAINED


def jamming(
    dataset: xr.Dataset,
    *,
    generator: np.random.Generator,
    axis: str = "n_weights",
    along: str = "width",
    bootstraps: int = RESAMPLES,
) -> xr.Dataset:
    """Locate the threshold in ``axis`` over the values of ``along``, for every combination of other dims of ``status``.

    ``status`` (..., along, draw, seed) has the words of statuses; ``epochs`` has the same dims, if it is in the
    dataset; a diverged network never fits. Where there are several draws, these are resampled. Returns threshold, low,
    high, reason, range, its low and high; fraction (along); median_steps and censored (along) where there are epochs.
    Raises ValueError for names that do not fit.
    """
    for name in ("status", axis):
        if name not in dataset.variables or along not in dataset[name].dims:
            names = ", ".join(map(str, dataset.variables))
            raise ValueError(f"{name!r} with the dim {along!r} is needed; the dataset has {names}")
    networks = [dim for dim in NETWORK_DIMS if dim in dataset.status.dims]
    status = dataset.status.reset_coords(drop=True)
    x = dataset[axis].reset_coords(drop=True).astype(float)
    x = x.mean([dim for dim in NETWORK_DIMS if dim in x.dims])
    fitted = (status == FITTED).astype(float).where(~status.isin(UNTRAINED))
    columns = _thresholds(fitted, x, [along, *networks], generator, bootstraps)
    if "epochs" in dataset:
        epochs = dataset.epochs.reset_coords(drop=True).astype(float).where(status != DIVERGED, np.inf)
        columns |= _median_steps(epochs.where(~status.isin(UNTRAINED)), fitted, networks)
    return labelled(xr.Dataset(columns))


def half_width_of_ratio(cells: Sequence[xr.Dataset], *, generator: np.random.Generator) -> float:
    """Return half of the 95 % interval of ln(N* / N*) of two cells with the same draws, which are resampled alike.

    Each has ``status`` (width, draw, seed) and ``n_weights`` of several draws, of which no network is missing at widths
    that were trained. NaN where the resamples say nothing of the error: where they are alike for one of the cells or
    for the ratio, as where N* lies between the same two sizes on each draw, and where too many have no threshold. A
    draw of which one of the cells has no network is left out.
    """
    there = [(~cell.status.isin(UNTRAINED)).any([dim for dim in cell.status.dims if dim != "draw"]) for cell in cells]
    common = np.logical_and.reduce([draws.values for draws in there])
    if common.sum() < 2:
        return np.nan
    taken, logs = resamples(int(common.sum()), generator, RESAMPLES), []
    for cell in (each.isel(draw=common) for each in cells):
        status = cell.status.transpose("width", "draw", "seed")
        status = status[~status.isin(UNTRAINED).all(["draw", "seed"]).values]
        sizes = cell.n_weights.sel(width=status.width)
        sizes = sizes.mean([dim for dim in sizes.dims if dim != "width"])
        middles, _ = of_resamples((status == FITTED).values.astype(float), sizes.values, taken)
        logs.append(middles)
    ratios = logs[0] - logs[1]
    if taken.lost(ratios) or any(map(taken.alike, (*logs, ratios))):
        return np.nan
    return taken.half_width(ratios)


def labelled(dataset: xr.Dataset) -> xr.Dataset:
    """Give each of VARIABLES in the dataset its long name and unit."""
    attrs = {name: {"long_name": VARIABLES[str(name)][1], "units": "1"} for name in dataset}
    return dataset.assign({name: dataset[name].assign_attrs(attrs[name]) for name in dataset})


def _thresholds(
    fitted: xr.DataArray, x: xr.DataArray, dims: list[str], generator: np.random.Generator, bootstraps: int
) -> dict[str, xr.DataArray]:
    """Locate N* for whether networks fit, with ``dims`` (along, then those of networks), at sizes x (..., along)."""
    along = dims[0]
    located = xr.apply_ufunc(
        lambda fits, sizes: threshold_of_known_sizes(fits, sizes, generator=generator, bootstraps=bootstraps),
        fitted,
        x,
        input_core_dims=[dims, [along]],
        output_core_dims=[[], [], [], [along], [], [], [], []],
        output_dtypes=[float] * 4 + [object] + [float] * 3,  # the length of words is not that of the first
        vectorize=True,
    )
    return dict(zip(Threshold._fields, located, strict=True))


def _median_steps(epochs: xr.DataArray, fitted: xr.DataArray, dims: list[str]) -> dict[str, xr.DataArray]:
    """Return the median of the steps to fit over networks, and whether it is censored."""
    medians = xr.apply_ufunc(
        lambda steps, fits: median_steps(steps.ravel(), (fits == 1).ravel()),
        epochs,
        fitted,
        input_core_dims=[dims, dims],
        output_core_dims=[[], []],
        vectorize=True,
    )
    return dict(zip(("median_steps", "censored"), medians, strict=True))
