"""The numbers behind a figure: tidy tables of its cube, a row per cell, averaged over networks."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd
import xarray as xr

from isobath import results
from isobath.analysis.over_networks import over_networks
from isobath.results import cubes
from isobath.statuses import FITTED, UNFITTED

ORDER = [
    *(group for groups in results.having("GROUPS").values() for group in groups),
    *cubes.DERIVED,
]  # of groups; others after them
REPEATED = ("draw", "seed", "subset")  # what is averaged over
# Samples and the pixels of planes: too many for a table.
SAMPLED = {"test_sample", "output", "point", "position", "plane_row", "plane_column", "corner", "axis"}
COUNTS = ("networks", "trained")
AXES = dict.fromkeys(axis for axes in results.axes().values() for axis in axes if axis not in REPEATED)
CELL = (*AXES, "over")


class Table(NamedTuple):
    """A title, and a column per dim and per variable; ``<variable>_sd`` is the spread of what is averaged."""

    title: str
    frame: pd.DataFrame


def averages(cube: xr.DataTree) -> dict[str, xr.Dataset]:
    """The groups of a cube averaged over networks: path -> means and standard deviations, in the order of ORDER."""
    groups = {n.path.removeprefix("/"): n.to_dataset(inherit=False) for n in cube.subtree if n.data_vars}
    families = {path: path.split("/")[0] for path in groups}
    rank = {path: ORDER.index(name) if name in ORDER else len(ORDER) for path, name in families.items()}
    return {path: _averaged(groups[path]) for path in sorted(groups, key=lambda path: (rank[path], path))}


def of_figure(averaged: Mapping[str, xr.Dataset], settings: Mapping[str, Any]) -> list[Table]:
    """What a figure with these settings shows of the ``averages``: the places it selects, the laws it names."""
    laws = settings.get("laws") or [settings.get("law")]
    found = []
    for path, group in averaged.items():
        family, _, name = path.rpartition("/")
        if family == "laws" and name not in laws:
            continue
        title = f"law {name}" if family == "laws" else name
        for along, frame in _frames(_selected(group, settings)):
            found.append(Table(f"{title} by {', '.join(along)}" if along else title, frame))
    return found


def _selected(group: xr.Dataset, settings: Mapping[str, Any]) -> xr.Dataset:
    """The part of a group that settings such as ``task: x`` or ``tasks: [x, y]`` name."""
    for dim in map(str, group.dims):
        asked = settings.get(dim, settings.get(f"{dim}s"))
        if asked is not None and dim in group.coords:
            wanted = asked if isinstance(asked, list) else [asked]
            group = group.sel({dim: [value for value in group[dim].values if value in wanted]})
    return group


def _averaged(group: xr.Dataset) -> xr.Dataset:
    """Means over REPEATED, with standard deviations; of networks as ``summaries`` has it.

    A cell in which some networks did not fit has a second row, over all that did not diverge.
    """
    kept = [n for n, v in group.items() if not SAMPLED & set(v.dims) and not str(n).endswith("_pseudo")]
    group = group[kept].drop_vars([c for c in group.coords if c not in group.dims])
    if "status" not in group:
        return _spread(group)
    fitted = _over(group)
    finished = _over(group.assign(status=group.status.where(group.status != UNFITTED, FITTED)))
    rows = [fitted.where(fitted.trained > 0), finished.where(finished.networks > fitted.networks)]
    return xr.concat(rows, pd.Index(["fitted", "not diverged"], name="over"), data_vars="all", join="exact")


def _over(networks: xr.Dataset) -> xr.Dataset:
    """Every number of networks over those that are fitted."""
    numbers = [n for n, v in networks.items() if "seed" in v.dims and v.dtype != object]
    averaged = {str(name): over_networks(networks, str(name)) for name in numbers}
    columns = {name: summary["mean"] for name, summary in averaged.items()}
    columns |= {f"{name}_sd": summary.sd for name, summary in averaged.items()}
    counts = next(iter(averaged.values()))
    return xr.Dataset({"networks": counts.fitted, "trained": counts.trained, **columns})


def _spread(group: xr.Dataset) -> xr.Dataset:
    """Means and standard deviations (n - 1) over whatever a variable is repeated over; words that are not repeated."""
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
    """A frame for every set of dims that variables have besides those of a cell; what depends on less is repeated."""
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
    """Counts first, then every variable before its standard deviation."""
    return sorted(names, key=lambda name: (COUNTS.index(name) if name in COUNTS else len(COUNTS), name))


def _frame(data: xr.Dataset, dims: list[str]) -> pd.DataFrame:
    """Rows and columns that say something."""
    frame = data.to_dataframe(dim_order=dims).reset_index()
    numbers = [name for name in map(str, data) if frame[name].dtype != object]
    frame = frame.dropna(how="all", subset=numbers) if numbers else frame
    constant = [f"{name}_sd" for name in numbers if f"{name}_sd" in frame and _is_constant(frame, name)]
    frame = frame.drop(columns=constant).dropna(axis="columns", how="all")
    return frame.astype({name: int for name in COUNTS if name in frame}).reset_index(drop=True)


def _is_constant(frame: pd.DataFrame, name: str) -> bool:
    """Whether a variable is the same in all that it was averaged over, but for rounding."""
    return not (frame[f"{name}_sd"] > 1e-12 * frame[name].abs()).any()
