"""Accuracy against depth, with its proved bounds (Malach & Shalev-Shwartz, Theorems 3 and 4)."""

import json
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.selection import CLEAN, accuracies
from isobath.fractals import approximation_curves
from isobath.fractals.bounds import reachable_error, unavoidable_error
from isobath.fractals.sets import of_task
from isobath.plotting.axes import panels, set_accuracy_axes
from isobath.plotting.cells import networks_of_all_draws
from isobath.plotting.curves import draw_network_means
from isobath.plotting.legends import add_legend, explain, lines_drawn
from isobath.plotting.style import GREY, marker, rank_color
from isobath.settings import ProtocolName, TaskName

READS = ("recorded_first_half_error",)


# The clean rule: bounds hold for errors that no selection has lowered
MARKS = f"points: {CLEAN}, bars: standard deviation over networks · grey: P(j) where it exceeds chance"
BOUNDS = {
    "--": "dashed, hollow: what some network of this width reaches (Theorem 3)",
    ":": "dotted, hollow: what none exceeds (Theorem 4, d = 1)",
}
ASIDE = 0.08  # between widths, whose points would hide each other


def draw(cube: xr.DataTree, *, tasks: tuple[TaskName, ...], protocol: ProtocolName) -> Figure:
    """Draw a panel per task with a colour per width: accuracies as points, bounds as lines."""
    settings = json.loads(cube.attrs["spec"])["tasks"]
    figure, axes = panels(tasks)
    for axis, task in zip(axes, tasks, strict=True):
        networks = networks_of_all_draws(cube, task=task, protocol=protocol, depth=...)
        _panel(axis, accuracies(networks, CLEAN), settings[task])
    set_accuracy_axes(axes, 0.5)
    add_legend(figure, axes)
    explain(figure, " · ".join([MARKS, *lines_drawn(axes, BOUNDS)]))
    return figure


def _panel(axis: Axes, accuracy: xr.DataArray, task: dict[str, Any]) -> None:
    curve, depths = approximation_curves.of_task(task), accuracy.depth.values
    for j, p in ((j, p) for j, p in enumerate(curve[:-1]) if p > 0.51):
        axis.axhline(p, color="#cccccc", linewidth=0.8, zorder=1)
        axis.annotate(f"P({j})", (1, p), xycoords=("axes fraction", "data"), fontsize=5.5, color=GREY)
    maps, n_inputs = of_task(task).maps.offsets.shape
    middle = (accuracy.sizes["width"] - 1) / 2
    for i, width in enumerate(accuracy.width.values):
        points = accuracy.sel(width=width).dropna("depth", how="all")
        color = rank_color(i, accuracy.sizes["width"])
        look = {"color": color, "marker": marker(i), "linestyle": "none"}
        draw_network_means(axis, points.depth + ASIDE * (i - middle), points, label=f"width {width}", **look)
        size = {"width": int(width), "maps": maps}
        trained, bound = points.depth.values, {"color": color, "markersize": 4, "markerfacecolor": "white", "zorder": 2}
        reached = [1 - reachable_error(curve, depth=int(d), n_inputs=n_inputs, **size) for d in trained]
        axis.plot(trained, np.where(np.greater(reached, 0.5), reached, np.nan), "--", marker="^", **bound)
        if n_inputs == 1:
            allowed = [1 - unavoidable_error(curve, depth=int(d), **size) for d in trained]
            axis.plot(trained, np.where(np.less(allowed, 1), allowed, np.nan), ":", marker="v", **bound)
    axis.set(xlabel="depth (hidden layers)", xticks=depths)
