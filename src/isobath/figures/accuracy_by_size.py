"""Accuracy against parameters and against the compute of training, a curve per depth, a row per task."""

from itertools import product

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.budgets import spent, within
from isobath.analysis.selection import CHOICES, CLEAN, accuracies
from isobath.plotting.axes import panels, set_accuracy_axes, set_log_scale
from isobath.plotting.cells import networks_of_all_draws
from isobath.plotting.curves import draw_network_means
from isobath.plotting.legends import add_legend, explain
from isobath.plotting.style import depth_color
from isobath.settings import ProtocolName

READS = ("recorded_first_half_error",)
SWEPT = True
MARKS = (
    f"{CLEAN} of the test set, each network at its own best rate · right: best width and step within the compute · "
    "depth: hidden layers · bars: standard deviation over networks"
)
AXES = {"parameters": "number of parameters", "compute": "compute: parameters × epochs"}
POINTS = 10  # budgets of compute per curve


def draw(cube: xr.DataTree, *, protocol: ProtocolName) -> Figure:
    """Draw a row per task: accuracy against the parameters on the left, against the compute on the right."""
    networks = networks_of_all_draws(cube, protocol=protocol, depth=...)
    tasks = [str(task) for task in networks.task.values]
    figure, axes = panels([task for task, _ in product(tasks, AXES)])
    for axis, (task, along) in zip(axes, product(tasks, AXES), strict=True):
        for depth in networks.depth.values:
            cell = networks.sel(task=task, depth=depth)
            cell = cell.sel(width=cell.n_parameters.notnull().any(["seed", "learning_rate"]).values)
            if cell.sizes["width"]:
                (_by_parameters if along == "parameters" else _by_compute)(axis, cell, int(depth))
        set_log_scale(axis, "x", AXES[along])
    set_accuracy_axes(axes, 0.5)
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure


def _by_parameters(axis: Axes, cell: xr.Dataset, depth: int) -> None:
    """Draw the mean accuracy of each width of a depth."""
    size = cell.n_parameters.max(["seed", "learning_rate"])
    draw_network_means(axis, size, accuracies(cell, CLEAN), color=depth_color(depth), label=f"depth {depth}")


def _by_compute(axis: Axes, cell: xr.Dataset, depth: int) -> None:
    """Draw the mean accuracy at the best width and step within budgets of compute."""
    compute = spent(cell)
    budgets = np.geomspace(float(compute.where(compute > 0).min()), float(compute.max()), POINTS)
    best = [accuracies(within(cell, budget), CLEAN, over=(*CHOICES, "width")) for budget in budgets]
    draw_network_means(axis, budgets, xr.concat(best, "budget"), color=depth_color(depth), label=f"depth {depth}")
