"""The networks of a cell, gathered from the blocks of seeds in which they were trained."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import xarray as xr

from isobath.disk import store
from isobath.statuses import DIVERGED


def converged(blocks: Iterable[Path], *, first: int, variables: Sequence[str] = ()) -> xr.Dataset:
    """Return those of the ``first`` networks of a cell, along seed, that did not diverge: all or some variables.

    Nor may their outputs overflow on the test set: such networks have no test error.
    """
    stores = (store.read(path) for path in blocks)
    networks = xr.concat(
        [block[["status", "test_error", *variables]] if variables else block for block in stores],
        "seed",
        join="outer",
        combine_attrs="drop",
        data_vars="all",
        coords="minimal",
        compat="equals",
    )
    networks = networks.sortby("seed").isel(seed=slice(0, first))
    return networks.isel(seed=((networks.status != DIVERGED) & networks.test_error.notnull()).values)
