"""Cells that the claims of Malach & Shalev-Shwartz compare: shallow and deep, wide, from coarse to fine; theory."""

from itertools import pairwise

import numpy as np
import xarray as xr

from isobath.analysis.cell_sizes import parameters
from isobath.analysis.cells import At, Cells
from isobath.fractals import approximation_curves, sets

COARSE = 1  # the curve of Fig. 5 whose negatives lie at coarse levels more than those of the others do


def grid_of(tree: xr.DataTree, grid: str) -> Cells:
    """Return the cells of a grid; its networks have one protocol and one n_train."""
    return Cells.of(tree, grid, first=("protocol", "n_train"))


def curve_of(cells: Cells, task: str) -> np.ndarray:
    """Return P(j) of a task, (n + 1,), for j = 0 .. n."""
    return approximation_curves.of_task(cells.settings(task))


def maps_and_dimensions(cells: Cells, task: str) -> tuple[int, int]:
    """Return the number r of maps of a task's fractal, and its dimension d."""
    r, d = sets.of_task(cells.settings(task)).maps.offsets.shape
    return r, d


def fineness(cells: Cells, task: str) -> float:
    """Return 1 - P(j), mean over levels: the larger, the more of a task's negatives lie at fine levels."""
    return float(1 - curve_of(cells, task)[1:].mean())


def from_coarse_to_fine(cells: Cells, **settings: str) -> list[str]:
    """List the tasks with these settings that have networks at the axes that are fixed, by their fineness."""
    tasks = [task for task in cells.tasks("networks", **settings) if cells.shapes(task)]
    return sorted(tasks, key=lambda task: fineness(cells, task))


def cells_of(cells: Cells, task: str) -> list[At]:
    """List all cells of a task, by depth and width."""
    pairs = ((depth, width) for depth, widths in cells.shapes(task).items() for width in widths)
    return [{"task": task, "depth": depth, "width": width} for depth, width in pairs]


def labelled(tasks: list[str]) -> list[tuple[str, str]]:
    """Pair each task with what its labels begin with: its name, if there are several."""
    return [(task, f"{task}: " if len(tasks) > 1 else "") for task in tasks]


def ends(cells: Cells, task: str, width: int) -> tuple[At, At]:
    """Return the cells of the shallowest and of the deepest networks of a width."""
    depths = cells.shapes(task)
    shallow, deep = ({"task": task, "depth": depth, "width": width} for depth in (min(depths), max(depths)))
    return shallow, deep


def steps(cells: Cells, task: str, width: int) -> list[tuple[str, At, At]]:
    """List the steps of depth of networks of a width: the shallower cell and the next deeper, with a label."""
    depths = [depth for depth, widths in cells.shapes(task).items() if width in widths]
    places = [{"task": task, "depth": depth, "width": width} for depth in depths]
    return [(f"width {width}, depth {a['depth']} to {b['depth']}", a, b) for a, b in pairwise(places)]


def shared_widths(cells: Cells, task: str) -> list[int]:
    """List the widths of both the shallowest and the deepest networks."""
    widths = cells.shapes(task)
    return [w for w in widths[min(widths)] if w in widths[max(widths)]] if len(widths) > 1 else []


def widest(cells: Cells, task: str) -> At:
    """Return the cell of the widest of the deepest networks."""
    depth, widths = max(cells.shapes(task).items())
    return {"task": task, "depth": depth, "width": max(widths)}


def deep_as_the_fractal(cells: Cells, task: str) -> list[At]:
    """List the widest cell with as many hidden layers as the fractal of a task has levels, if there is one."""
    levels = int(cells.settings(task)["levels"])
    widths = cells.shapes(task).get(levels, [])
    return [{"task": task, "depth": levels, "width": max(widths)}] if widths else []


def within_budget(cells: Cells, task: str) -> list[tuple[str, At, At]]:
    """List, for each larger depth, its widest cell with no more parameters than the widest shallowest networks have.

    Each comes with a label, and with the cell of these shallow networks. A cell whose jobs failed, so that
    its parameters are not known, is no reason to take another.
    """
    least, widths = min(cells.shapes(task).items())
    shallow = {"task": task, "depth": least, "width": max(widths)}
    sizes = {(place["depth"], place["width"]): parameters(cells, place) for place in cells_of(cells, task)}
    budget = sizes[least, max(widths)]
    affordable = {depth: width for (depth, width), size in sizes.items() if depth > least and not size > budget}
    return [
        (f"depth {depth}, width {width}", shallow, {"task": task, "depth": depth, "width": width})
        for depth, width in affordable.items()
    ]


def extremes(cells: Cells, system: str) -> tuple[At, At] | None:
    """Return the widest deepest cells of a fractal on its finest and on its coarsest curve; None if it has one."""
    tasks = from_coarse_to_fine(cells, system=system)
    return (widest(cells, tasks[-1]), widest(cells, tasks[0])) if len(tasks) > 1 else None
