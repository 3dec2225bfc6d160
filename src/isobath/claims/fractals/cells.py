"""Cells that the claims of Malach & Shalev-Shwartz compare: shallow and deep, wide, from coarse to fine; theory."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.fractals import approximation_curves, sets

At = Mapping[str, Any]  # a cell, by its task, depth and width
COARSE = 1  # the curve whose negatives are spread evenly over levels


def grid_of(tree: xr.DataTree, grid: str) -> Cells:
    """Return the cells of a grid; its networks have one protocol, one n_train and one draw."""
    return Cells.of(tree, grid, first=("protocol", "n_train", "draw"))


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
    """List the tasks with these settings by their fineness."""
    return sorted(cells.tasks("networks", **settings), key=lambda task: fineness(cells, task))


def shapes(cells: Cells, task: str) -> dict[int, list[int]]:
    """Return the widths that were asked for at each depth, both increasing."""
    depths = cells.values("depth", planned=True, task=task)
    return {int(depth): cells.values("width", planned=True, task=task, depth=depth) for depth in depths}


def cells_of(cells: Cells, task: str) -> list[At]:
    """List all cells of a task, by depth and width."""
    pairs = ((depth, width) for depth, widths in shapes(cells, task).items() for width in widths)
    return [{"task": task, "depth": depth, "width": width} for depth, width in pairs]


def ends(cells: Cells, task: str, width: int) -> tuple[At, At]:
    """Return the cells of the shallowest and of the deepest networks of a width."""
    depths = shapes(cells, task)
    shallow, deep = ({"task": task, "depth": depth, "width": width} for depth in (min(depths), max(depths)))
    return shallow, deep


def shared_widths(cells: Cells, task: str) -> list[int]:
    """List the widths of both the shallowest and the deepest networks."""
    widths = shapes(cells, task)
    return [w for w in widths[min(widths)] if w in widths[max(widths)]] if len(widths) > 1 else []


def widest(cells: Cells, task: str) -> At:
    """Return the cell of the widest of the deepest networks."""
    depth, widths = max(shapes(cells, task).items())
    return {"task": task, "depth": depth, "width": max(widths)}


def within_budget(cells: Cells, task: str) -> list[tuple[str, At, At]]:
    """List, for each larger depth, its widest cell with no more parameters than the widest shallowest networks have.

    Each with a label, and with the cell of these shallow networks.
    """
    (least, widths), *deeper = shapes(cells, task).items()
    shallow = {"task": task, "depth": least, "width": max(widths)}
    budget = _parameters(cells, shallow)
    rows: list[tuple[str, At, At]] = []
    for depth, widths in deeper:
        affordable = [w for w in widths if _parameters(cells, {"task": task, "depth": depth, "width": w}) <= budget]
        for width in affordable[-1:]:
            rows.append((f"depth {depth}, width {width}", shallow, {"task": task, "depth": depth, "width": width}))
    return rows


def _parameters(cells: Cells, at: At) -> float:
    """Return the number of weights and biases of the networks of a cell."""
    return float(cells.cell(**at).n_parameters.max())
