"""Sweeps of the learning rate: whether they offered the best one, and which networks died at each.

The best rate of a cell is that of the smallest error by the clean rule, mean over networks. It was not found if it is
the smallest or the largest that was offered and the error still falls towards it: if it is below that at the
next rate by more than a standard error of their difference over networks, which share their starts.

A network is dead if its output is constant, as after a layer of ReLUs that are all off. Its outputs have then the same
norm over the training and over the test set, which outputs that vary do not share to one in 10^5.
"""

import numpy as np
import xarray as xr

from isobath.analysis import selection
from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Bounded, Estimate, NotRun, Undetermined, proportion, standard_error
from isobath.claims.fractals.cells import At
from isobath.claims.fractals.thresholds import SAME_NORM, USUAL_RATE
from isobath.statuses import FINITE

CLEAN = selection.chosen
RATE = "learning_rate"


def errors_by_rate(cell: xr.Dataset, *, over: tuple[str, ...] = ()) -> xr.DataArray:
    """Return the error of each network at each rate by the clean rule, which chooses the step, and ``over`` as well."""
    errors = CLEAN(cell, over=("step", *over))
    return errors.stack(network=[dim for dim in errors.dims if dim != RATE], create_index=False).transpose(RATE, ...)


def require_rate(cell: xr.Dataset, *, over: tuple[str, ...] = ()) -> None:
    """Refuse a cell whose best rate lies at an end of those that were offered, if the error still falls towards it."""
    if RATE not in cell.dims:
        return
    swept = cell.isel({RATE: cell.status.isin(FINITE).any([d for d in cell.status.dims if d != RATE]).values})
    if swept.sizes[RATE] < 2:
        return
    errors = errors_by_rate(swept.sortby(RATE), over=over)
    best = int(errors.mean("network").fillna(np.inf).argmin(RATE))
    if 0 < best < errors.sizes[RATE] - 1:
        return
    inside = 1 if best == 0 else best - 1
    gain = (errors.isel({RATE: inside}) - errors.isel({RATE: best})).values
    if np.nanmean(gain) > standard_error(gain):
        side, rate = ("smallest" if best == 0 else "largest"), float(errors[RATE][best])
        raise Undetermined(f"rate not found: {rate:g}, the {side} that was offered, is the best, and the error falls")


def usual_rate(cells: Cells, at: At) -> float:
    """Return the rate that was offered nearest to the authors' default, on a logarithmic scale."""
    cell = cells.cell(**at)
    if RATE not in cell.dims:
        raise NotRun("one rate was offered")
    rates = cell[RATE].values
    return float(rates[np.abs(np.log(rates / USUAL_RATE)).argmin()])


def lost_at_the_usual_rate(cells: Cells, at: At, *, over: tuple[str, ...] = ()) -> Estimate:
    """Return the error at the usual rate minus that at the best of all, by the clean rule, of the same networks.

    Raises Undetermined where the best rate was not found.
    """
    cell = cells.cell(**at)
    usual = cell.sel({RATE: usual_rate(cells, at)})
    require_rate(cell, over=over)
    lost = CLEAN(usual, over=("step", *over)) - CLEAN(cell, over=("step", RATE, *over))
    return cells.mean(lost, str(at["task"]))


def dead(networks: xr.Dataset) -> xr.DataArray:
    """Tell which networks end with a constant output: their norms over training and test set agree."""
    train, test = (networks[f"recorded_{part}_norm"].isel(step=-1) for part in ("train", "test"))
    constant: xr.DataArray = (abs(train - test) <= SAME_NORM * test) & networks.status.isin(FINITE)
    return constant


def dead_share(cells: Cells, at: At, *, rate: int) -> Bounded:
    """Return the share of dead networks of a cell at a rate, by its place: 0 the smallest, -1 the largest."""
    cell = cells.cell(**at)
    if RATE not in cell.dims or "recorded_train_norm" not in cell:
        raise NotRun("no rates were swept")
    there = cell.sortby(RATE).isel({RATE: rate})
    return proportion(int(dead(there).sum()), int(there.status.isin(FINITE).sum()))
