"""Budgets of compute: the operations spent when an error was recorded, and the errors within a budget."""

import xarray as xr


def spent(networks: xr.Dataset) -> xr.DataArray:
    """Return parameters times epochs at each recorded step: the operations of training over 6 n_train."""
    spent_at: xr.DataArray = networks.n_parameters * networks.step
    return spent_at


def within(networks: xr.Dataset, budget: float) -> xr.Dataset:
    """Return the networks without the numbers that were recorded after ``budget`` was spent."""
    recorded = [str(name) for name in networks.data_vars if str(name).startswith("recorded_")]
    return networks.assign({name: networks[name].where(spent(networks) <= budget) for name in recorded})
