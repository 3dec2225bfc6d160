"""Cells and measures that the claims on depth share: networks of equal size, each at its own best rate."""

from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.cell_sizes import known_parameters
from isobath.analysis.cells import At, Cells
from isobath.analysis.estimates import Estimate, NotRun
from isobath.analysis.selection import CLEAN
from isobath.analysis.sweeps import require_rate
from isobath.claims.expressivity.thresholds import EQUAL_SIZES


def grid_of(tree: xr.DataTree, grid: str, **fixed: Any) -> Cells:
    """Return the cells of a grid; its networks have one protocol and one n_train."""
    return Cells.of(tree, grid, first=("protocol", "n_train"), **fixed)


def numbers(tree: xr.DataTree, grid: str, name: str) -> xr.Dataset:
    """Return a calculation of a grid. Raises NotRun where it is not there."""
    return grid_of(tree, grid).group(f"calculations/{name}")


def accuracy(cells: Cells, coords: At) -> Estimate:
    """Return the mean test accuracy of a cell, each network at its own best rate by the clean rule.

    Raises Undetermined where the best rate was not found among those that were offered.
    """
    return Estimate(1.0) - cells.error_at_best_rate(CLEAN, **coords)


def train_accuracy(cells: Cells, coords: At) -> Estimate:
    """Return the mean training accuracy of a cell at the steps and rates that the clean rule chooses."""
    error = cells.quoted_train_error(**coords)
    require_rate(cells.cell(**coords))
    return Estimate(1.0) - error


def gain(cells: Cells, deep: At, shallow: At) -> Estimate:
    """Return the test accuracy of one cell minus that of another."""
    return accuracy(cells, deep) - accuracy(cells, shallow)


def train_gain(cells: Cells, deep: At, shallow: At) -> Estimate:
    """Return the training accuracy of one cell minus that of another."""
    return train_accuracy(cells, deep) - train_accuracy(cells, shallow)


def of_equal_size(cells: Cells, task: str, depth: int) -> At:
    """Return the cell of a depth whose parameters are nearest to those of the deepest networks, on a log scale.

    Raises NotRun where there is no such depth, and where the numbers of parameters differ by more than EQUAL_SIZES.
    """
    shapes = cells.shapes(task)
    if depth not in shapes:
        raise NotRun(f"{task} has no networks of depth {depth}")
    deepest = max(shapes)
    reference: At = {"task": task, "depth": deepest, "width": min(shapes[deepest])}
    nearest = nearest_in_size(cells, reference, depth)
    sizes = [known_parameters(cells, place) for place in (reference, nearest)]
    if max(sizes) > EQUAL_SIZES * min(sizes):
        raise NotRun(f"of {sizes[0]:g} parameters {task} has no networks of depth {depth}; {sizes[1]:g} are nearest")
    return nearest


def nearest_in_size(cells: Cells, coords: At, depth: int) -> At:
    """Return the cell of a depth whose parameters are nearest to those of another cell, on a log scale.

    Raises Undetermined where the jobs of a width failed: it might be nearer.
    """
    size = known_parameters(cells, coords)
    places = [{"task": coords["task"], "depth": depth, "width": width} for width in cells.shapes(coords["task"])[depth]]
    return min(places, key=lambda place: abs(np.log(known_parameters(cells, place) / size)))
