"""Averages over the networks of each cell, with the numbers of those that fitted, were trained and failed."""

import numpy as np
import xarray as xr

from isobath.statuses import FAILED, FITTED, UNTRAINED

NETWORK_DIMS = ("draw", "seed")  # the networks of a cell lie along these


def over_networks(networks: xr.Dataset, variable: str = "test_error") -> xr.Dataset:
    """Return mean and standard deviation of a variable over the fitted networks of each cell.

    Gives ``mean``, ``sd`` (over networks, with n - 1; NaN below two), ``fitted``, ``trained`` and
    ``failed`` (counts) without the dims seed and draw. Networks that diverged or did not fit are
    counted and never averaged: their error says nothing about generalisation.
    """
    dims = list(NETWORK_DIMS)
    trained = ~networks.status.isin(UNTRAINED)
    fitted = networks.status == FITTED
    values = networks[variable].where(fitted)
    count = fitted.sum(dims)
    spread = (values - values.mean(dims)).where(fitted)
    variance = (spread**2).sum(dims) / (count - 1).where(count > 1)
    counts = {"fitted": count, "trained": trained.sum(dims), "failed": (networks.status == FAILED).sum(dims)}
    return xr.Dataset({"mean": values.mean(dims), "sd": np.sqrt(variance), **counts})
