"""Accuracy on sawtooth labels of one triangle against the folds: constructed, allowed, and trained (Telgarsky).

- ``construction``: construction that is drawn beside the trained networks
"""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.selection import CLEAN, accuracies
from isobath.plotting.axes import panels, set_accuracy_axes
from isobath.plotting.cells import networks_of_all_draws, select, tasks_of_wave
from isobath.plotting.curves import draw_network_means
from isobath.plotting.legends import add_legend, explain
from isobath.plotting.style import depth_color, depth_marker
from isobath.separation.sawtooth import ceiling, most_intervals, pieces
from isobath.settings import ConstructionName, ProtocolName

READS = ("recorded_first_half_error", "task_folds", "task_triangles")
TENT = 1  # triangle: that of the folding network
MARKS = (
    f"points: {CLEAN}, means over networks of equal size, crosses: medians, bars: standard deviation · "
    "dashed: ceiling of one hidden layer with as many parameters as the folding network"
)


def draw(cube: xr.DataTree, *, protocol: ProtocolName, construction: ConstructionName | None = None) -> Figure:
    """Draw a curve per depth of trained networks, the network in closed form, and the ceiling of its size."""
    figure, (axis,) = panels([""])
    networks = networks_of_all_draws(cube, protocol=protocol, depth=...)
    networks = networks.sel(task=tasks_of_wave(networks, triangles=TENT))
    accuracy = accuracies(networks, CLEAN)
    for depth in accuracy.depth.values:
        _depth(axis, accuracy.sel(depth=depth), networks.task_folds, int(depth))
    most = int(networks.task_folds.max())
    if construction and (constructions := select(cube, "constructions")):
        most = max(most, _constructed(axis, constructions, construction))
    folds = list(range(1, most + 1))
    limits = [float(ceiling(most_intervals(depth=1, width=2 * k), pieces(folds=k, triangles=TENT))) for k in folds]
    axis.plot(folds, limits, "--", color="black", linewidth=0.9, label="ceiling of one layer of the folding's size")
    axis.set(xlabel="folds k", xticks=folds)
    set_accuracy_axes([axis], 0.5)
    add_legend(figure, [axis])
    explain(figure, MARKS)
    return figure


def _depth(axis: Axes, accuracy: xr.DataArray, folds: xr.DataArray, depth: int) -> None:
    """Draw the accuracies of a depth, of the width that each task has."""
    stacked = accuracy.stack(cell=("task", "width"), create_index=False).dropna("cell", how="all")
    x = folds.broadcast_like(accuracy.isel(seed=0)).stack(cell=("task", "width"), create_index=False)
    x = x.isel(cell=accuracy.stack(cell=("task", "width"), create_index=False).notnull().any("seed").values)
    order = np.argsort(x.values)
    stacked, place = stacked.isel(cell=order), x.values[order]
    draw_network_means(
        axis, place, stacked, color=depth_color(depth), marker=depth_marker(depth), label=f"trained, depth {depth}"
    )
    axis.plot(place, stacked.median("seed"), "x", color="black", markersize=3.5, zorder=5)


def _constructed(axis: Axes, table: xr.Dataset, construction: str) -> int:
    """Draw the accuracy of the networks in closed form; return the most folds among them."""
    scored = table.sel(construction=construction).dropna("task", subset=["test_error"])
    tents = scored.isel(task=(scored.task_triangles == TENT).values)
    order = np.argsort(tents.task_folds.values)
    accuracy = 1 - tents.test_error.values[order]
    axis.plot(tents.task_folds.values[order], accuracy, "k*", label="in closed form, k layers of 2 units")
    return int(tents.task_folds.max()) if tents.sizes["task"] else 0
