"""A cube of results: its groups, as labelled data sets, whose ``depth`` and ``width`` are theirs and not a tree's."""

from collections.abc import Iterator, Mapping
from typing import Any

import xarray as xr

from isobath.plugins import nearest

SHOWN = 6  # dims of a group, where it is shown in one line


class NoSuchResult(KeyError):
    """Raised for a result that does not exist; the message names those that do."""

    def __str__(self) -> str:
        return str(self.args[0])


class Cube(Mapping[str, Any]):
    """Groups of a cube by name, such as ``networks``, ``kernels`` and ``laws/norm``, each an xarray.Dataset.

    ``cube["laws"]`` are the groups below that name. ``sel`` and ``isel`` select from every group that has the dim.
    """

    def __init__(self, name: str, groups: Mapping[str, xr.Dataset], attrs: Mapping[str, Any]) -> None:
        self.name, self.attrs, self._groups = name, dict(attrs), dict(groups)

    def __getitem__(self, group: str) -> Any:
        if group in self._groups:
            return self._groups[group]
        if not isinstance(group, str):
            raise NoSuchResult(f"{self.name} has no group {group!r}; {nearest(str(group), self._groups)}")
        below = {n.removeprefix(f"{group}/"): data for n, data in self._groups.items() if n.startswith(f"{group}/")}
        if not below:
            raise NoSuchResult(f"{self.name} has no group {group!r}; {nearest(group, self._groups)}")
        return Cube(f"{self.name}/{group}", below, self.attrs)

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        group = next((group for group, data in self._groups.items() if name in data), next(iter(self), "networks"))
        raise AttributeError(f"a cube has no {name!r}, its groups may: {', '.join(self)}; write cube[{group!r}].{name}")

    def __repr__(self) -> str:
        groups = (f"  {name}: {sizes(data.sizes)}" for name, data in self._groups.items())
        return "\n".join([f"<isobath cube {self.name}: {self.attrs.get('title', '')}>", *groups])

    def sel(self, **values: Any) -> "Cube":
        """Select values of dims, each in all groups that have it. Raises NoSuchResult where a value is not there."""
        for dim, value in values.items():
            self._require(dim)
            for group, data in ((group, data) for group, data in self.items() if dim in data.dims):
                try:
                    data[dim].sel({dim: value})
                except (KeyError, TypeError, IndexError):
                    available = ", ".join(map(str, data[dim].values))
                    raise NoSuchResult(f"{self.name}/{group} has no {dim} {value!r}; it has {available}") from None
        return self._map(lambda data: data.sel({dim: v for dim, v in values.items() if dim in data.dims}))

    def isel(self, **places: Any) -> "Cube":
        """Select places along dims, each in all groups that have it. Raises NoSuchResult for other dims."""
        for dim in places:
            self._require(dim)
        return self._map(lambda data: data.isel(places, missing_dims="ignore"))

    def tree(self) -> xr.DataTree:
        """Return the cube as an xarray.DataTree, whose own ``depth`` and ``width`` are those of the tree."""
        tree = xr.DataTree.from_dict(self._groups)
        tree.attrs = dict(self.attrs)
        return tree

    def _require(self, dim: str) -> None:
        dims = {str(dim) for data in self.values() for dim in data.dims}
        if dim not in dims:
            raise NoSuchResult(f"{self.name} has no dim {dim!r}; {nearest(dim, dims)}")

    def _map(self, change: Any) -> "Cube":
        return Cube(self.name, {name: change(data) for name, data in self._groups.items()}, self.attrs)


def sizes(of_dims: Mapping[Any, int]) -> str:
    """Return sizes of the first SHOWN dims as words; dims of one value are left out."""
    words = [f"{dim} {size}" for dim, size in of_dims.items() if size != 1]
    return ", ".join([*words[:SHOWN], *(["..."] if len(words) > SHOWN else [])]) or "one value"
