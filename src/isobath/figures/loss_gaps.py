"""Gaps to the smallest loss on the way, each method at the best of its own rates (Arora, Cohen & Hazan).

- ``gap``: gap at which the best rate is chosen
- ``task``: task that is drawn; by default the first that the cube has
"""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.convergence import Method, arrival, compared, gaps, methods, powers, short_labels
from isobath.analysis.estimates import NotRun, Undetermined
from isobath.plotting.axes import panels
from isobath.plotting.cells import select
from isobath.plotting.legends import add_legends, explain
from isobath.plotting.style import depth_color
from isobath.settings import Count, Positive, TaskName

READS = ("recorded_loss", "protocol_loss_p")
FLOOR = 1e-6  # of gaps that are drawn
MARKS = (
    "the first data set and start · step 0 is drawn at 0.8 · solid: {} with N layers · dashed: others, with one · "
    "grey: the gap; at the rate that is drawn the loss stays below it soonest · gaps below "
    f"{FLOOR:g} are not drawn"
)


def draw(
    cube: xr.DataTree, *, gap: Positive = 1e-3, task: TaskName | None = None, n_train: Count | None = None
) -> Figure:
    """Draw a panel per power p, a curve per method at the rate at which its loss stays below ``gap`` soonest."""
    networks = select(cube, "networks", task=task, n_train=n_train, depth=..., draw=...)
    networks = compared(networks, power="protocol_loss_p", optimum="newton")
    listed = powers(networks)
    figure, axes = panels([f"p = {p}" for p in listed])
    solid: dict[str, None] = {}  # in the order of the panels
    for axis, p in zip(axes, listed, strict=True):
        panel_methods = methods(networks, p)
        labels, deep = short_labels(panel_methods)
        solid |= dict.fromkeys(deep)
        for i, (method, label) in enumerate(zip(panel_methods, labels, strict=True)):
            solid_ = method.words in deep
            color = depth_color(method.layers) if solid_ else f"C{i}"
            look = {"color": color, "linestyle": "-" if solid_ else "--", "label": label}
            _curve(axis, networks, method, gap, look)
        axis.axhline(gap, color="#999999", linewidth=0.6)
        axis.set(xscale="log", yscale="log", xlabel="iterations", ylabel="(L − L*) / (L₀ − L*)", ylim=(FLOOR, 2))
    add_legends(figure, axes, columns=2)
    explain(figure, MARKS.format(" and ".join(solid) or "methods"))
    return figure


def _curve(axis: Axes, networks: xr.Dataset, method: Method, gap: float, look: dict[str, Any]) -> None:
    try:
        rate = arrival(networks, method, gap).rates
        values = gaps(networks, method)
    except (NotRun, Undetermined):
        return
    draw_ = min(rate)
    curve = values.sel(draw=draw_, learning_rate=rate[draw_]).isel(seed=0)
    y = np.maximum(curve.values, FLOOR / 10)
    axis.plot(np.maximum(curve.step.values, 0.8), y, **{**look, "label": f"{look['label']}, rate {rate[draw_]:g}"})
