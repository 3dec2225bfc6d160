"""Cubes: the results of many jobs in one labelled data set per group, such as ``networks`` and ``kernels``."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from isobath.cell_labels import flat
from isobath.results import TRUTHS
from isobath.statuses import FAILED, MISSING

OF_A_TEST_SET = ("task", "n_train", "draw")  # axes that these depend on


def gather(results: Iterable[xr.Dataset], axes: list[str]) -> xr.Dataset:
    """Gather results into one dataset with the dims ``axes``, and all other dims that they have.

    Each result has some of the axes as dims, the others as scalar coordinates. The cube spans
    the product of the values that occur; combinations that no result covers are NaN, and their
    ``status`` is MISSING. The TRUTHS that some have are those of a task, n_train and draw, and
    have these dims alone besides their own. Raises ValueError where two results claim one place.
    """
    results = list(results)
    cube = _product([result.drop_vars(TRUTHS, errors="ignore") for result in results], axes)
    return cube.assign({name: _truth(name, results) for name in TRUTHS if any(name in result for result in results)})


def _truth(name: str, results: list[xr.Dataset]) -> xr.DataArray:
    """Gather a variable of TRUTHS once for each task, n_train and draw: all results of these have the same values."""
    sources = [result for result in results if name in result]
    distinct = {tuple(result[axis].item() for axis in OF_A_TEST_SET): result[[name]] for result in sources}
    coords = {*OF_A_TEST_SET, *sources[0][name].dims}
    alone = [
        result.drop_vars([coord for coord in result.coords if coord not in coords]) for result in distinct.values()
    ]
    return _product(alone, list(OF_A_TEST_SET))[name]


def _product(results: list[xr.Dataset], axes: list[str]) -> xr.Dataset:
    """Arrange results over the product of the values of their axes."""
    words = {name: MISSING for result in results for name, values in result.items() if values.dtype.kind in "OUT"}
    rows = xr.concat(
        [_rows(result, axes) for result in results],
        dim="row",
        fill_value=words,  # where results have other rates than others, as protocols of a sweep have
        data_vars="all",
        coords="minimal",
        compat="equals",
        join="outer",
        combine_attrs="override",  # long_name and units; the attributes of the results themselves are dropped
    ).drop_attrs(deep=False)
    index = pd.MultiIndex.from_arrays([rows[axis].values for axis in axes], names=axes)
    if index.has_duplicates:
        place = zip(axes, index[index.duplicated()][0], strict=True)
        raise ValueError("two results claim " + ", ".join(f"{axis} {value}" for axis, value in place))
    rows = rows.drop_vars(axes).assign_coords(xr.Coordinates.from_pandas_multiindex(index, "row"))
    cube = rows.unstack("row", fill_value={n: MISSING for n, v in rows.items() if v.dtype == object})
    extra = [dim for dim in cube.dims if dim not in axes]
    return cube.transpose(*axes, *extra)


def with_gaps(cube: xr.Dataset, cells: Iterable[Mapping[str, Any]]) -> xr.Dataset:
    """Extend a cube to all ``cells``, though some have no result: their numbers are NaN, their ``status`` is FAILED.

    A cell has a value of each of its axes, or a list of values, as of its seeds. Along other dims, as that of the
    learning rates, a result may have values where others have none: those were not asked for, and stay MISSING.
    """
    places = [{axis: np.atleast_1d(values).tolist() for axis, values in cell.items()} for cell in cells]
    axes = {a: sorted({*cube[a].values.tolist(), *(v for place in places for v in place[a])}) for a in places[0]}
    filled = cube.reindex(axes, fill_value={n: MISSING for n, v in cube.items() if v.dtype == object})
    if "status" in filled:
        status = filled.status.copy()
        unnamed = [dim for dim in status.dims if dim not in axes]
        for place in places:
            absent = (status.loc[place] == MISSING).all(unnamed)
            status.loc[place] = status.loc[place].where(~absent, FAILED)
        filled = filled.assign(status=status)
    return filled


def failures(cube: xr.DataTree) -> str:
    """Say how many results of a cube failed, "" for none."""
    failed = cube["networks"].status == FAILED if "networks" in cube else xr.DataArray(False)
    networks = int(failed.sum())
    cells = int(failed.any([dim for dim in ("seed", "learning_rate") if dim in failed.dims]).sum())
    if networks:
        return f"{networks} network{'s' if networks > 1 else ''} of {cells} cell{'s' if cells > 1 else ''} failed"
    return f"{cube.attrs['failed']} results failed" if "failed" in cube.attrs else ""


def _rows(result: xr.Dataset, axes: list[str]) -> xr.Dataset:
    """Flatten the axes that are dims of a result to ``row``, with all axes as coordinates along it."""
    dims = [axis for axis in axes if axis in result.dims]
    flat = result.stack(row=dims, create_index=False) if dims else result.expand_dims("row")
    size = flat.sizes["row"]
    along = {a: ("row", np.broadcast_to(flat[a].values, size)) for a in axes}
    return flat.drop_vars(axes).assign_coords(along)


def describe(cube: xr.Dataset, families: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> xr.Dataset:
    """Add the settings of tasks, protocols and kernels as coordinates, such as ``task_dimension`` (task).

    A coordinate holds numbers, or words where a family has both; other settings are left out. A setting that some
    plug-ins of the family lack is NaN or "" there. A plug-in within a plug-in is known by its kind: ``protocol_loss``,
    ``protocol_loss_margin``.
    """
    for family, plugins in families.items():
        if family not in cube.dims:
            continue
        entries = [flat(plugins[str(name)]) for name in cube[family].values]
        for setting in sorted({key for plugin in entries for key in plugin}):
            column = _column([plugin.get(setting) for plugin in entries])
            if column is not None:
                cube = cube.assign_coords({f"{family}_{setting}": (family, column)})
    return cube


def _column(values: list[Any]) -> np.ndarray | None:
    """Return the values of a setting as words or as numbers, None if they are neither."""
    entries = [value for value in values if value is not None]
    if not entries or any(isinstance(v, bool) or not isinstance(v, int | float | str) for v in entries):
        return None
    if any(isinstance(value, str) for value in entries):
        return np.array(["" if value is None else str(value) for value in values], dtype=object)
    return np.array([np.nan if value is None else value for value in values], dtype=float)
