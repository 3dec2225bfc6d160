"""The reader of a grid: its groups at fixed axes, its cells, and the settings of its tasks."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Self

import xarray as xr

from isobath.analysis import axes
from isobath.analysis.estimates import NotRun
from isobath.statuses import MISSING

_NOTED: ContextVar[dict[str, None] | None] = ContextVar("noted", default=None)


@contextmanager
def noted() -> Iterator[dict[str, None]]:
    """Note the names of the grids that are read within the context, in their order, as keys."""
    grids: dict[str, None] = {}
    token = _NOTED.set(grids)
    try:
        yield grids
    finally:
        _NOTED.reset(token)


def grids_of(tree: xr.DataTree) -> list[str]:
    """List the grids whose cubes a tree holds."""
    return list(map(str, tree.children))


@dataclass(frozen=True)
class GridReader:
    """A grid of a tree of cubes, with some of its axes at one value. Whatever is not in the cube raises NotRun.

    An axis that no result has is a slip of the claim: ValueError.

    It holds the ``groups`` of the cube by their path, such as ``networks`` and ``laws/norm``, its ``attrs``, the axes
    that are ``fixed`` at a value, and those of which the ``first`` value is taken, in each group that has them.
    """

    grid: str
    groups: Mapping[str, xr.Dataset]
    attrs: Mapping[str, Any]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    first: Sequence[str] = ()
    absent: str = ""  # the reason that is given for a grid without cells

    def __post_init__(self) -> None:
        dims = [axis for group in self.groups.values() for axis in map(str, group.dims)]
        axes.require((*self.fixed, *self.first), dims)

    @classmethod
    def of(cls, tree: xr.DataTree, grid: str, *, first: Sequence[str] = (), **fixed: Any) -> Self:
        """Read a grid; one that is not in the tree has no cells."""
        if (grids := _NOTED.get()) is not None:
            grids[grid] = None
        nodes = dict(tree[grid].subtree_with_keys) if grid in tree.children else {}
        groups = {path: node.to_dataset() for path, node in nodes.items() if node.has_data}
        message = f"there is no grid {grid}{axes.suggestion(grid, tree.children)}"
        return cls(grid, groups, nodes["."].attrs if nodes else {}, fixed, first, message)

    def at(self, **fixed: Any) -> Self:
        """Fix more axes, or others than before."""
        return replace(self, fixed={**self.fixed, **fixed})

    def free(self, *axes: str) -> Self:
        """Return the cells with axes that are fixed no longer."""
        return replace(self, fixed={axis: value for axis, value in self.fixed.items() if axis not in axes})

    def has(self, path: str) -> bool:
        """Tell whether the cube has a group."""
        return path in self.groups

    def paths(self, prefix: str) -> list[str]:
        """List the groups whose paths begin with ``prefix``, such as ``calculations/``."""
        return [path for path in self.groups if path.startswith(prefix)]

    def mapped(self, path: str, change: Callable[[xr.Dataset], xr.Dataset]) -> Self:
        """Return the cells with a group changed, at all values of its axes; as they are where the cube has none."""
        return replace(self, groups={**self.groups, path: change(self.groups[path])}) if self.has(path) else self

    def group(self, path: str, *names: str) -> xr.Dataset:
        """Return a group of the cube, or some variables of it, at the axes that are fixed."""
        if path not in self.groups:
            raise NotRun(f"grid {self.grid} has no {path}" if self.groups else self.absent)
        asked = self.groups[path][list(names)] if names else self.groups[path]
        group = asked.isel(dict.fromkeys(self.first, 0), missing_dims="ignore")
        return axes.select(group, {axis: value for axis, value in self.fixed.items() if axis in group.dims})

    def cell(self, **coords: Any) -> xr.Dataset:
        """Return the networks at values of some axes; all that ``coords`` and the fixed axes leave are dims."""
        return axes.select(self.group("networks"), coords)

    def settings(self, task: str) -> dict[str, Any]:
        """Return the settings of a task, as the study has them."""
        return dict(json.loads(self._attribute("spec"))["tasks"][task])

    def spec(self) -> dict[str, Any]:
        """Return the blocks of the grid, with the settings of all that they name; empty for a made-up cube."""
        return dict(json.loads(self.attrs.get("spec", "{}")))

    def tasks(self, *groups: str, **settings: Any) -> list[str]:
        """List the tasks in any of the groups (of all, if none is named) with these settings, such as kind and k."""
        by_task = [group for path, group in self.groups.items() if "task" in group.dims and path in (groups or {path})]
        tasks = dict.fromkeys(str(task) for group in by_task for task in group.task.values)
        return [t for t in tasks if all(self.settings(t).get(name) == value for name, value in settings.items())]

    def n_test(self, task: str) -> int:
        """Return the size of the test set of a task: its own, or that of the study."""
        return int(self.settings(task).get("n_test") or self._attribute("n_test"))

    def _attribute(self, name: str) -> Any:
        """Return an attribute of the grid. Raises ValueError for one that every cube of a run has, and this one not."""
        if name not in self.attrs:
            raise ValueError(
                f"the node {self.grid} of the tree has no attribute {name}; n_test is the size of the test sets, and "
                "spec the JSON of {tasks: {name: settings}}"
            )
        return self.attrs[name]

    def values(self, axis: str, **coords: Any) -> list[Any]:
        """List the values of an axis at which networks were asked for, also those whose jobs failed; increasing."""
        return axes.present(axes.select(self.group("networks", "status").status, coords) != MISSING, axis)

    def shapes(self, task: str) -> dict[int, list[int]]:
        """Return the widths that were asked for at each depth of a task, both increasing."""
        depths = self.values("depth", task=task)
        return {int(depth): self.values("width", task=task, depth=depth) for depth in depths}
