"""Sweeps of the learning rate: whether they offered the best one.

The best rate of a cell is that of the smallest error by the clean rule, mean over networks. It was not found if it is
the smallest or the largest that was offered and the error still falls towards it: if it is below that at the
next rate by more than a standard error of their difference over networks, which share their starts.
"""

import xarray as xr

from isobath.analysis import selection
from isobath.analysis.estimates import Undetermined
from isobath.analysis.standard_errors import is_positive
from isobath.statuses import DIVERGED, FINITE, MISSING

RATE = "learning_rate"


def errors_by_rate(cell: xr.Dataset, *, over: tuple[str, ...] = ()) -> xr.DataArray:
    """Return the error of each network at each rate by the clean rule, which chooses the step, and ``over`` as well."""
    errors = selection.chosen(cell, over=("step", *over))
    return errors.stack(network=[dim for dim in errors.dims if dim != RATE], create_index=False).transpose(RATE, ...)


def require_rate(cell: xr.Dataset, *, over: tuple[str, ...] = (), diverged_ends: bool = False) -> None:
    """Refuse a cell whose best rate lies at an end of those that were offered, if the error still falls towards it.

    One rate alone at which networks do not diverge, of several, is not known to be the best: none is beside it.
    With ``diverged_ends`` the largest rate is no end if all networks diverged at a larger one that was offered.
    """
    if RATE not in cell.dims:
        return
    others = [dim for dim in cell.status.dims if dim != RATE]
    finite = cell.status.isin(FINITE).any(others).values
    if finite.sum() < 2:
        offered = int((cell.status != MISSING).any(others).sum())
        if finite.any() and offered > 1:
            rate = float(cell[RATE].values[finite][0])
            raise Undetermined(f"rate not found: of {offered} rates that were offered networks stay finite at {rate:g}")
        return
    errors = errors_by_rate(cell, over=over).isel({RATE: finite}).sortby(RATE)
    # A network that diverged at a rate has its worst error there: those that did not may be of easy data sets alone.
    best = int(errors.fillna(errors.max(RATE)).mean("network").argmin(RATE))
    if 0 < best < errors.sizes[RATE] - 1:
        return
    if diverged_ends and best > 0 and bool((cell[RATE].where(cell.status == DIVERGED) > errors[RATE].max()).any()):
        return
    inside = 1 if best == 0 else best - 1
    if is_positive(errors.isel({RATE: inside}) - errors.isel({RATE: best})):
        side, rate = ("smallest" if best == 0 else "largest"), float(errors[RATE][best])
        raise Undetermined(f"rate not found: {rate:g}, the {side} that was offered, is the best, and the error falls")
