"""Tidy tables of the groups of a cube: a column per dim and per variable, a row per observation.

Variables with the same dims share a table. Its name has the name of the group and the dims beyond those of the group:
``networks.csv`` (a row per network), ``networks_by_step.csv``. A table with fewer dims than the group is named after
all of its dims: the settings of tasks are in ``networks_of_task.csv``.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from isobath import results
from isobath.analysis.coordinates import is_setting, meaning_of
from isobath.archive.datapackage import TYPES, Field
from isobath.statuses import MISSING

ROWS = 2**20  # the largest table that spreadsheets open; larger ones are not written


class Table(NamedTuple):
    """A table: its name, its dims, and the variables of a group that have exactly these dims."""

    name: str
    dims: tuple[str, ...]
    content: xr.Dataset

    @property
    def rows(self) -> int:
        """Count the combinations of the values of all dims."""
        return int(np.prod(list(self.content.sizes.values()), dtype=np.int64))


def tables(group: xr.Dataset, name: str) -> Iterator[Table]:
    """Yield the tables of the group ``name`` of a cube. Coordinates without a dim are columns of every table.

    Settings of plug-ins are in the tables of groups that are gathered from results, and not repeated for laws.
    """
    settings = [c for c in group.coords if is_setting(str(c))] if name not in results.axes() else []
    along = [c for c in group.coords if c not in (*group.dims, *settings) and group[c].dims]
    flat = group.drop_vars(settings).reset_coords(along)
    usual = results.axes().get(name) or _usual(group)
    order = list(dict.fromkeys([*usual, *_order(group)]))
    variables_of: dict[tuple[str, ...], list[str]] = {}
    for variable in sorted(map(str, flat.data_vars)):
        dims = tuple(sorted(map(str, flat[variable].dims), key=order.index))
        variables_of.setdefault(dims, []).append(variable)
    for dims, variables in sorted(variables_of.items()):
        beyond = [dim for dim in dims if dim not in usual]
        inside = set(usual) <= set(dims)
        words = ["by", *beyond] if inside and beyond else [] if inside else ["of", *dims]
        yield Table("_".join([name, *words]), dims, flat[variables])


def frame(table: Table) -> pd.DataFrame:
    """Return a table without rows that have no observation, with a column for each dim."""
    data, dims = table.content, list(table.dims)
    rows = data.expand_dims("row").to_dataframe() if not dims else data.to_dataframe(dim_order=dims)
    observed = rows[list(data.data_vars)].replace(MISSING, None).notna().any(axis=1)
    return rows[observed].reset_index(drop=not dims)


def csv(rows: pd.DataFrame) -> bytes:
    """Return the rows of a table as CSV. Numbers are written to full precision."""
    return rows.to_csv(index=False, lineterminator="\n").encode()


def fields(rows: pd.DataFrame, table: Table) -> Iterator[Field]:
    """Yield the columns of a table with their types, meanings and units."""
    for column, kind in rows.dtypes.items():
        name = str(column)
        attrs = table.content[name].attrs
        of_type = TYPES.get(kind.kind, "string")
        unit = attrs.get("units", "1") if of_type in ("integer", "number") else ""
        yield Field(name, of_type, attrs.get("long_name") or meaning_of(name), unit)


def _usual(group: xr.Dataset) -> list[str]:
    """Return the dims that more than two thirds of the variables have."""
    arrays = group.data_vars.values()
    return [dim for dim in _order(group) if sum(dim in array.dims for array in arrays) > 2 / 3 * len(arrays)]


def _order(group: xr.Dataset) -> list[str]:
    """Return all dims in the order of the variables with most dims: a store does not keep the order of variables."""
    arrays = sorted(group.variables.items(), key=lambda item: (-item[1].ndim, str(item[0])))
    return list(dict.fromkeys(str(dim) for _, array in arrays for dim in array.dims))
