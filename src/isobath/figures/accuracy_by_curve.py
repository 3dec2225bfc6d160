"""Approximation curves and the accuracies of deep networks on them (Malach & Shalev-Shwartz, Fig. 5).

- ``depth``: number of hidden layers; by default the greatest that the cube has
"""

import json
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.selection import CHOICES, RULES, accuracies
from isobath.fractals.approximation_curves import of_task
from isobath.plotting.axes import panels, set_accuracy_axes
from isobath.plotting.cells import networks_of_all_draws
from isobath.plotting.curves import draw_network_means
from isobath.plotting.legends import add_legend, budget, explain, join
from isobath.plotting.style import BLUE, GREY, ORANGE
from isobath.settings import Count, ProtocolName, TaskName

READS = ("recorded_first_half_error",)
AS_MANY = {"published": "tasks"}
LEVELS = 3  # the last levels are drawn, as in the paper
LOOKS = ({"marker": "o", "color": ORANGE}, {"marker": "s", "color": BLUE})
MARKS = (
    "grey: P(j) at the last levels j · points: means over networks, each at its best width; bars: standard deviation"
)


def draw(
    cube: xr.DataTree,
    *,
    tasks: tuple[TaskName, ...],
    protocol: ProtocolName,
    depth: Count | None = None,
    published: tuple[float, ...] | None = None,
) -> Figure:
    """Draw P(j) of each task as bars, and the accuracies of networks of ``depth`` by both selection rules.

    ``depth`` is by default the greatest. ``published`` are the accuracies of the source, one per task; another number
    of them raises ValueError.
    """
    if published is not None and len(published) != len(tasks):
        raise ValueError(f"published has {len(published)} accuracies; it must have one for each of {len(tasks)} tasks")
    figure, (axis,) = panels([""])
    figure.set_figwidth(1.0 * len(tasks) + 1.5)
    _curves(axis, cube, tasks)
    deepest = max(cube["networks"].to_dataset().depth.values) if depth is None else depth
    cells = [networks_of_all_draws(cube, task=task, protocol=protocol, depth=deepest) for task in tasks]
    for shift, rule, look in zip((-0.12, 0.12), RULES, LOOKS, strict=True):
        values = xr.concat([accuracies(cell, rule, over=(*CHOICES, "width")) for cell in cells], "place")
        x = np.arange(len(tasks)) + shift
        draw_network_means(axis, x, values, linestyle="none", label=rule, zorder=4, **look)
    if published is not None:
        axis.plot(np.arange(len(tasks)), published, "_k", markersize=16, label="published", zorder=5)
    set_accuracy_axes([axis], 0.5)
    axis.set_xticks(np.arange(len(tasks)), tasks)
    add_legend(figure, [axis])
    explain(figure, join(MARKS, budget(cube, protocol)))
    return figure


def _curves(axis: Axes, cube: xr.DataTree, tasks: tuple[str, ...]) -> None:
    settings = json.loads(cube.attrs["spec"])["tasks"]
    for i, task in enumerate(settings[name] for name in tasks):
        curve = of_task(task)
        levels = np.arange(len(curve))[-LEVELS:]
        for place, j in zip(np.linspace(-0.25, 0.25, LEVELS), levels, strict=False):
            axis.bar(i + place, curve[j] - 0.5, bottom=0.5, width=0.22, color="#d8d8d8", zorder=1.5)
            look: dict[str, Any] = {"fontsize": 5.5, "color": GREY, "ha": "center", "va": "top", "zorder": 3}
            axis.annotate(f"{j}", (i + place, 0.5), xytext=(0, -2), textcoords="offset points", **look)
