"""Accuracy on shells against the dimension, one hidden layer against two (in the spirit of Eldan & Shamir)."""

from itertools import product

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.selection import CLEAN, accuracies, train_error
from isobath.plotting.axes import panels, set_accuracy_axes, set_log_ticks
from isobath.plotting.cells import networks_of_all_draws
from isobath.plotting.curves import draw_network_means
from isobath.plotting.legends import add_legend, explain
from isobath.plotting.style import depth_color, marker
from isobath.settings import ProtocolName

READS = ("recorded_first_half_error", "task_shells", "task_dimension")
MARKS = (
    f"{CLEAN} of the test set, each network at its own best rate; training accuracy at the same steps and rates · "
    "bars: standard deviation over networks"
)


def draw(cube: xr.DataTree, *, protocol: ProtocolName) -> Figure:
    """Draw a row per number of shells, test accuracy left and training accuracy right, a curve per depth and size."""
    networks = networks_of_all_draws(cube, protocol=protocol, depth=...)
    shells = sorted({int(s) for s in networks.task_shells.values})
    figure, axes = panels([f"{s} shells, {part} set" for s, part in product(shells, ("test", "training"))])
    for axis, (s, part) in zip(axes, product(shells, ("test", "training")), strict=True):
        group = networks.isel(task=(networks.task_shells == s).values)
        values = accuracies(group, CLEAN) if part == "test" else 1 - train_error(group)
        _curves(axis, values, group)
        set_log_ticks(axis, group.task_dimension.values, "dimension d")
    set_accuracy_axes(axes, 0.5)
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure


def _curves(axis: Axes, accuracy: xr.DataArray, networks: xr.Dataset) -> None:
    """Draw a curve for each depth and rank of width: the narrowest of each task, the next, ..."""
    for depth in accuracy.depth.values:
        of_depth = accuracy.sel(depth=depth)
        trained = of_depth.notnull().any("seed").transpose("task", "width").values
        for rank in range(int(trained.sum(1).max())):
            rows = np.flatnonzero(trained.sum(1) > rank)
            columns = [int(np.flatnonzero(trained[row])[rank]) for row in rows]
            cells = {"task": xr.DataArray(rows, dims="cell"), "width": xr.DataArray(columns, dims="cell")}
            order = np.argsort(networks.task_dimension.values[rows])
            values, x = of_depth.isel(cells).isel(cell=order), networks.task_dimension.values[rows][order]
            look = {"color": depth_color(int(depth)), "marker": marker(rank)} | ({"mfc": "white"} if rank else {})
            words = f"{depth} hidden layer{'s' if depth > 1 else ''}{_wider(networks.width.values, trained, rank)}"
            draw_network_means(axis, x, values, **look, label=words)


def _wider(widths: np.ndarray, trained: np.ndarray, rank: int) -> str:
    """Return how much wider than the narrowest ones the networks of a rank are, in words: "" for the narrowest."""
    pairs = [widths[row][[0, rank]] for row in trained if row.sum() > rank]
    factors = {round(float(wide / narrow), 1) for narrow, wide in pairs}
    return "" if not rank else f", {factors.pop():g} times as wide" if len(factors) == 1 else ", wider"
