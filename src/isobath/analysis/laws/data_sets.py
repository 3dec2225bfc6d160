"""Data sets behind a law: where a combination of its other dims has one alone, its networks are the units.

Blocks of a grid have draws of their own, so that one task can have several data sets beside another with one.
"""

import xarray as xr

from isobath.results import WITHOUT_PART


def with_one_data_set(dataset: xr.Dataset, variable: str, along: str) -> xr.DataArray:
    """Return for each combination whether, of several draws, one alone has networks; false where there is no draw."""
    if along == "draw" or variable not in dataset or dataset[variable].sizes.get("draw", 1) < 2:
        return xr.DataArray(False)
    return _exists(dataset[variable], along).sum("draw") == 1


def on_one_data_set(dataset: xr.Dataset, *, variable: str, axis: str, along: str) -> xr.Dataset:
    """Return the variables of a law on the first draw that has networks, in each combination, without the dim draw."""
    draw = _exists(dataset[variable], along).argmax("draw").reset_coords(drop=True)
    names = (name + ending for name in (variable, axis) for ending in ("", WITHOUT_PART))
    variables = dataset[[name for name in dict.fromkeys(names) if name in dataset.data_vars]]
    of_draws = [name for name, coordinate in variables.coords.items() if "draw" in coordinate.dims and name != axis]
    return variables.drop_vars(of_draws).isel(draw=draw)


def _exists(values: xr.DataArray, along: str) -> xr.DataArray:
    """Return whether a draw has a network, over the combinations."""
    return values.notnull().any([dim for dim in (along, "seed") if dim in values.dims]).reset_coords(drop=True)
