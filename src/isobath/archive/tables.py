"""The groups of a cube as tidy tables: a column per dim and per variable, a row per observation.

Variables that share their dims share a table. It has the name of its group and of the dims that it has beyond the
group's own: ``networks.csv`` (a row per network), ``networks_by_step.csv``; what has fewer dims than its group is named
after all of them: the settings of tasks are ``networks_of_task.csv``.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import xarray as xr

from isobath import results
from isobath.archive.dictionary import is_setting
from isobath.statuses import MISSING

ROWS = 2**20  # of a table, at most: what spreadsheets open. Larger ones are in the cube alone.


class Table(NamedTuple):
    """A name, and the part of a group that is its content: dims, and variables that have just these."""

    name: str
    dims: tuple[str, ...]
    content: xr.Dataset

    @property
    def rows(self) -> int:
        """Combinations of the values of all dims."""
        return int(np.prod(list(self.content.sizes.values()), dtype=np.int64))


def tables(group: xr.Dataset, name: str) -> Iterator[Table]:
    """The tables of the group ``name`` of a cube. Coordinates without a dim are columns of every table.

    Settings of plug-ins are in the tables of networks, ensembles, kernels and constructions, not again in each law.
    """
    settings = [c for c in group.coords if is_setting(str(c))] if name not in results.axes() else []
    along = [c for c in group.coords if c not in (*group.dims, *settings) and group[c].dims]
    flat = group.drop_vars(settings).reset_coords(along)
    own = results.axes().get(name) or _usual(group)
    order = list(dict.fromkeys([*own, *_order(group)]))
    found: dict[tuple[str, ...], list[str]] = {}
    for variable in sorted(map(str, flat.data_vars)):
        dims = tuple(sorted(map(str, flat[variable].dims), key=order.index))
        found.setdefault(dims, []).append(variable)
    for dims, variables in sorted(found.items()):
        beyond = [dim for dim in dims if dim not in own]
        inside = set(own) <= set(dims)
        words = ["by", *beyond] if inside and beyond else [] if inside else ["of", *dims]
        yield Table("_".join([name, *words]), dims, flat[variables])


def csv(table: Table) -> bytes:
    """A table as CSV, without the rows in which nothing was observed. Numbers are written so that they read back."""
    data, dims = table.content, list(table.dims)
    frame = data.expand_dims("row").to_dataframe() if not dims else data.to_dataframe(dim_order=dims)
    observed = frame[list(data.data_vars)].replace(MISSING, None).notna().any(axis=1)
    text: str = frame[observed].to_csv(index=bool(dims), lineterminator="\n")
    return text.encode()


def _usual(group: xr.Dataset) -> list[str]:
    """The dims that more than two of three variables have."""
    arrays = group.data_vars.values()
    return [dim for dim in _order(group) if sum(dim in array.dims for array in arrays) > 2 / 3 * len(arrays)]


def _order(group: xr.Dataset) -> list[str]:
    """All dims, in the order that the variables with most dims have: a store does not keep the order of variables."""
    arrays = sorted(group.variables.items(), key=lambda item: (-item[1].ndim, str(item[0])))
    return list(dict.fromkeys(str(dim) for _, array in arrays for dim in array.dims))
