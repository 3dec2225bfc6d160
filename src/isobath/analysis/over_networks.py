"""Averages over the networks of each cell, with the numbers of those that count, were trained and failed."""

from typing import Literal, TypeVar

import xarray as xr

from isobath.statuses import FAILED, FINITE, FITTED, UNTRAINED

Averaged = TypeVar("Averaged", xr.DataArray, xr.Dataset)
Status = Literal["fitted", "finite"]
NETWORK_DIMS = ("draw", "seed")  # the networks of a cell lie along these
COUNTING: dict[str, tuple[str, ...]] = {"fitted": (FITTED,), "finite": FINITE}  # the statuses of networks that count


def over_networks(networks: xr.Dataset, variable: str = "test_error", *, status: Status = "fitted") -> xr.Dataset:
    """Return mean and standard deviation of a variable over the networks of each cell that count.

    Gives ``mean``, ``sd`` (over networks, with n - 1; NaN below two), ``counted``, ``trained`` and
    ``failed`` (counts) without the dims seed and draw. Networks count that ``fitted``, since the error of others says
    nothing about generalisation; with ``finite`` all that did not diverge: labels with noise are hardly ever fitted.
    """
    trained, counting = ~networks.status.isin(UNTRAINED), networks.status.isin(COUNTING[status])
    dims = list(NETWORK_DIMS)
    failed = (networks.status == FAILED).sum(dims)
    counts = {"counted": counting.sum(dims), "trained": trained.sum(dims), "failed": failed}
    mean, sd = moments(networks[variable], counting)
    return xr.Dataset({"mean": mean, "sd": sd, **counts})


def with_finite_outputs(networks: xr.Dataset) -> xr.DataArray:
    """Return which networks have finite outputs; those that overflow on the test set alone have no test error."""
    finite: xr.DataArray = networks.status.isin(FINITE)
    return xr.DataArray(finite & networks.test_error.notnull()) if "test_error" in networks else finite


def moments(values: Averaged, counting: xr.DataArray) -> tuple[Averaged, Averaged]:
    """Return mean and standard deviation (n - 1; NaN below two) over the counting networks of a cell.

    ``values`` (draw, seed, ...) are a variable, or all of a data set, which is faster than one after the other;
    ``counting`` tells of each network whether it counts. Neither result has the dims seed and draw.
    """
    counted = values.where(counting)
    return counted.mean(NETWORK_DIMS), counted.std(NETWORK_DIMS, ddof=1)
