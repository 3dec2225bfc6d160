"""Accuracy against depth for several architectures, each network at its own best rate."""

import xarray as xr
from matplotlib.figure import Figure

from isobath.analysis.selection import CLEAN, accuracies
from isobath.plotting.axes import panels, set_accuracy_axes
from isobath.plotting.cells import networks_of_all_draws, width_at_depths
from isobath.plotting.curves import draw_network_means
from isobath.plotting.legends import add_legend, explain
from isobath.plotting.style import marker

READS = ("recorded_first_half_error",)
MARKS = f"{CLEAN} of the test set, each network at its own best rate · bars: standard deviation over networks"


def draw(cube: xr.DataTree) -> Figure:
    """Draw a panel per task with a curve per protocol, of the widest networks."""
    networks = networks_of_all_draws(cube, depth=...)
    networks = networks.sel(width=width_at_depths(networks, int(networks.width.max())))
    accuracy = accuracies(networks, CLEAN)
    tasks = [str(task) for task in networks.task.values]
    figure, axes = panels(tasks)
    for axis, task in zip(axes, tasks, strict=True):
        for i, protocol in enumerate(accuracy.protocol.values):
            points = accuracy.sel(task=task, protocol=protocol).dropna("depth", how="all")
            look = {"color": f"C{i}", "marker": marker(i), "label": str(protocol)}
            draw_network_means(axis, points.depth.values + 0.08 * i, points, **look)
        axis.set(xlabel="depth (hidden layers)", xticks=accuracy.depth.values)
    set_accuracy_axes(axes, 0.5)
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure
