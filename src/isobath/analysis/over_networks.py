"""Averages over the networks of each cell, with the numbers of those that fitted, were trained and failed."""

from typing import TypeVar

import xarray as xr

from isobath.statuses import FAILED, FITTED, UNTRAINED

Averaged = TypeVar("Averaged", xr.DataArray, xr.Dataset)
NETWORK_DIMS = ("draw", "seed")  # the networks of a cell lie along these


def over_networks(networks: xr.Dataset, variable: str = "test_error") -> xr.Dataset:
    """Return mean and standard deviation of a variable over the fitted networks of each cell.

    Gives ``mean``, ``sd`` (over networks, with n - 1; NaN below two), ``fitted``, ``trained`` and
    ``failed`` (counts) without the dims seed and draw. Networks that diverged or did not fit are
    counted and never averaged: their error says nothing about generalisation.
    """
    trained, fitted = ~networks.status.isin(UNTRAINED), networks.status == FITTED
    dims = list(NETWORK_DIMS)
    counts = {"fitted": fitted.sum(dims), "trained": trained.sum(dims), "failed": (networks.status == FAILED).sum(dims)}
    mean, sd = moments(networks[variable], fitted)
    return xr.Dataset({"mean": mean, "sd": sd, **counts})


def moments(values: Averaged, counting: xr.DataArray) -> tuple[Averaged, Averaged]:
    """Return mean and standard deviation (n - 1; NaN below two) over the counting networks of a cell.

    ``values`` (draw, seed, ...) are a variable, or all of a data set, which is faster than one after the other;
    ``counting`` tells of each network whether it counts. Neither result has the dims seed and draw.
    """
    counted = values.where(counting)
    return counted.mean(NETWORK_DIMS), counted.std(NETWORK_DIMS, ddof=1)
