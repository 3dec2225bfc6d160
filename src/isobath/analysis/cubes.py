"""Results of many jobs as one labelled cube per grid: a tree with groups such as ``networks`` and ``kernels``."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from isobath.statuses import FAILED, MISSING

LABELS = ("task", "n_train", "draw")  # what the labels of a test set depend on


def gather(results: Iterable[xr.Dataset], axes: list[str]) -> xr.Dataset:
    """Results as one dataset with the dims ``axes``, and whatever other dims they have.

    The ``test_labels`` that some have are those of a task, n_train and draw, and have these dims alone.

    Each result has some of the axes as dims, the others as scalar coordinates. The cube spans
    the product of the values that occur; combinations that no result covers are NaN, and their
    ``status`` is "missing". Raises ValueError where two results claim one place.
    """
    parts = list(results)
    if any("test_labels" in part for part in parts):
        having = [part for part in parts if "test_labels" in part]
        labels = {tuple(part[axis].item() for axis in LABELS): part[["test_labels"]] for part in having}
        known = gather([_alone(part.rename(test_labels="known")) for part in labels.values()], list(LABELS)).known
        return gather([part.drop_vars("test_labels", errors="ignore") for part in parts], axes).assign(
            test_labels=known
        )
    rows = xr.concat(
        [_rows(result, axes) for result in parts],
        dim="row",
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
    """The cube of all ``cells``, though some have no result: their numbers are NaN, their ``status`` is "failed".

    A cell has a value of each of its axes, or a list of values, as of its seeds.
    """
    places = [{axis: np.atleast_1d(values).tolist() for axis, values in cell.items()} for cell in cells]
    axes = {a: sorted({*cube[a].values.tolist(), *(v for place in places for v in place[a])}) for a in places[0]}
    filled = cube.reindex(axes, fill_value={n: MISSING for n, v in cube.items() if v.dtype == object})
    if "status" in filled:
        status = filled.status.copy()
        for place in places:
            status.loc[place] = status.loc[place].where(status.loc[place] != MISSING, FAILED)
        filled = filled.assign(status=status)
    return filled


def failures(cube: xr.DataTree) -> str:
    """What a cube is without because it failed, in a few words; nothing where nothing did."""
    failed = cube["networks"].status == FAILED if "networks" in cube else xr.DataArray(False)
    networks, cells = (
        int(failed.sum()),
        int(failed.any([d for d in ("seed", "learning_rate") if d in failed.dims]).sum()),
    )
    if networks:
        return f"{networks} networks of {cells} cell{'s' if cells > 1 else ''} failed"
    return f"{cube.attrs['failed']} results failed" if "failed" in cube.attrs else ""


def _alone(result: xr.Dataset) -> xr.Dataset:
    """Without the coordinates that labels do not depend on."""
    return result.drop_vars([name for name in result.coords if name not in (*LABELS, "test_sample")])


def _rows(result: xr.Dataset, axes: list[str]) -> xr.Dataset:
    """A result with its own axes flattened to ``row`` and all axes as coordinates along it."""
    own = [axis for axis in axes if axis in result.dims]
    flat = result.stack(row=own, create_index=False) if own else result.expand_dims("row")
    size = flat.sizes["row"]
    along = {a: ("row", np.broadcast_to(flat[a].values, size)) for a in axes}
    return flat.drop_vars(axes).assign_coords(along)


def describe(cube: xr.Dataset, families: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> xr.Dataset:
    """Add the settings of tasks, protocols and kernels as coordinates, such as ``task_dimension`` (task).

    Numbers and words only, and words where a family has both; a setting that some of its plug-ins lack is NaN or "".
    """
    for family, plugins in families.items():
        if family not in cube.dims:
            continue
        named = [plugins[str(name)] for name in cube[family].values]
        for setting in sorted({key for plugin in named for key in plugin}):
            values = [plugin.get(setting) for plugin in named]
            present = [v for v in values if v is not None]
            if not present or any(isinstance(v, bool) or not isinstance(v, int | float | str) for v in present):
                continue
            if any(isinstance(v, str) for v in present):
                column = np.array(["" if v is None else str(v) for v in values], dtype=object)
            else:
                column = np.array([np.nan if v is None else v for v in values], dtype=float)
            cube = cube.assign_coords({f"{family}_{setting}": (family, column)})
    return cube
