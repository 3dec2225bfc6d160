"""Numbers of a figure: tidy tables of its cube with a row per cell, averaged over networks."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd
import xarray as xr

from isobath import results
from isobath.analysis.over_networks import NETWORK_DIMS, moments
from isobath.binding import plural
from isobath.results import cubes
from isobath.statuses import FITTED, UNFITTED, UNTRAINED

# The order of groups on the page; others follow.
ORDER = [*(group for groups in results.having("GROUPS").values() for group in groups), *cubes.DERIVED]
REPEATED = results.repeated_dims()
COUNTS = ("networks", "trained")
AXES = dict.fromkeys(axis for axes in results.axes().values() for axis in axes if axis not in REPEATED)
CELL = (*AXES, "over")


class Table(NamedTuple):
    """A title, and a frame with a column per dim and per variable; ``<variable>_sd`` is a standard deviation."""

    title: str
    frame: pd.DataFrame


def averages(cube: xr.DataTree) -> dict[str, xr.Dataset]:
    """Average the groups of a cube over networks: path -> means and standard deviations, in the ORDER."""
    groups = {n.path.removeprefix("/"): n.to_dataset(inherit=False) for n in cube.subtree if n.data_vars}
    families = {path: path.split("/")[0] for path in groups}
    rank = {path: ORDER.index(name) if name in ORDER else len(ORDER) for path, name in families.items()}
    return {path: _averaged(groups[path]) for path in sorted(groups, key=lambda path: (rank[path], path))}


def of_figure(averaged: Mapping[str, xr.Dataset], settings: Mapping[str, Any]) -> list[Table]:
    """Return tables of the ``averages`` that a figure with these settings shows: its selected cells, its laws."""
    laws = settings.get("laws") or [settings.get("law")]
    tables = []
    for path, group in averaged.items():
        family, _, name = path.rpartition("/")
        if family == "laws" and name not in laws:
            continue
        title = f"law {name}" if family == "laws" else name
        for along, frame in _frames(_selected(group, settings)):
            tables.append(Table(f"{title} by {', '.join(along)}" if along else title, frame))
    return tables


def _selected(group: xr.Dataset, settings: Mapping[str, Any]) -> xr.Dataset:
    """Select the part of a group that settings such as ``task: x`` or ``tasks: [x, y]`` name."""
    for dim in map(str, group.dims):
        setting = settings.get(dim, settings.get(plural(dim)))
        if setting is not None and dim in group.coords:
            names = setting if isinstance(setting, list) else [setting]
            group = group.sel({dim: [value for value in group[dim].values if value in names]})
    return group


def _averaged(group: xr.Dataset) -> xr.Dataset:
    """Return means over REPEATED with standard deviations; those of networks are of the fitted ones.

    A cell in which some networks did not fit has a second row, over all networks that did not diverge.
    """
    names = [n for n, v in group.items() if not results.long_dims() & set(v.dims) and not str(n).endswith("_pseudo")]
    group = group[names].drop_vars([c for c in group.coords if c not in group.dims], errors="ignore")
    if "status" not in group:
        return _spread(group)
    fitted = _over(group)
    rows = {"fitted": fitted.where(fitted.trained > 0)}
    unfitted = group.status == UNFITTED
    if unfitted.any():
        finished = _over(group.assign(status=group.status.where(~unfitted, FITTED)))
        rows["not diverged"] = finished.where(finished.networks > fitted.networks)
    return xr.concat(list(rows.values()), pd.Index(list(rows), name="over"), data_vars="all", join="exact")


def _over(networks: xr.Dataset) -> xr.Dataset:
    """Average every number of the networks over the fitted ones."""
    numbers = [n for n, v in networks.items() if "seed" in v.dims and v.dtype != object]
    fitted, trained = networks.status == FITTED, ~networks.status.isin(UNTRAINED)
    mean, sd = moments(networks[numbers], fitted)
    counts = {"networks": fitted.sum(NETWORK_DIMS), "trained": trained.sum(NETWORK_DIMS)}
    return mean.assign(sd.rename({name: f"{name}_sd" for name in sd})).assign(counts)


def _spread(group: xr.Dataset) -> xr.Dataset:
    """Return means and standard deviations (n - 1) over the REPEATED dims; texts that have such dims are left out."""
    columns: dict[str, xr.DataArray] = {}
    for name, values in group.items():
        dims = [dim for dim in REPEATED if dim in values.dims]
        if values.dtype == object and dims:
            continue
        columns[str(name)] = values.mean(dims) if dims else values
        if dims:
            count = values.notnull().sum(dims)
            squares = ((values - columns[str(name)]) ** 2).sum(dims)
            columns[f"{name}_sd"] = (squares / (count - 1).where(count > 1)) ** 0.5
    return xr.Dataset(columns)


def _frames(data: xr.Dataset) -> Iterator[tuple[list[str], pd.DataFrame]]:
    """Yield a frame for every set of dims that variables have besides those of a cell.

    Variables with fewer dims are repeated along the others.
    """
    dims = sorted(map(str, data.dims), key=lambda dim: CELL.index(dim) if dim in CELL else len(CELL))
    cell = set(CELL) if all("width" in v.dims for v in data.values()) else set(CELL) - {"width"}
    families: dict[tuple[str, ...], list[str]] = {}
    for name, values in data.items():
        families.setdefault(tuple(d for d in dims if d in set(values.dims) - cell), []).append(str(name))
    for along, names in families.items():
        part = data[_paired(names)]
        frame = _frame(part, [dim for dim in dims if dim in part.dims])
        if len(frame):
            yield list(along), frame


def _paired(names: list[str]) -> list[str]:
    """Sort names: counts first, then every variable before its standard deviation."""
    return sorted(names, key=lambda name: (COUNTS.index(name) if name in COUNTS else len(COUNTS), name))


def _frame(data: xr.Dataset, dims: list[str]) -> pd.DataFrame:
    """Return a frame without empty rows and columns, and without standard deviations that are zero."""
    table = data.to_dataframe(dim_order=dims) if dims else data.expand_dims("row").to_dataframe()
    frame = table.reset_index(drop=not dims)
    numbers = [name for name in map(str, data) if frame[name].dtype != object]
    frame = frame.dropna(how="all", subset=numbers) if numbers else frame
    constant = [f"{name}_sd" for name in numbers if f"{name}_sd" in frame and _is_constant(frame, name)]
    frame = frame.drop(columns=constant).dropna(axis="columns", how="all")
    return frame.astype({name: int for name in COUNTS if name in frame}).reset_index(drop=True)


def _is_constant(frame: pd.DataFrame, name: str) -> bool:
    """Tell whether a variable is constant along the dims that it was averaged over, up to rounding."""
    return not (frame[f"{name}_sd"] > 1e-12 * frame[name].abs()).any()
