"""Population gradients at initialisation against their bound (Malach & Shalev-Shwartz, Theorem 5)."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.plotting.axes import panels
from isobath.plotting.cells import select
from isobath.plotting.legends import add_legend, explain, note_absence
from isobath.plotting.style import depth_color
from isobath.settings import CalculationName

LEAST = 1e-24  # smaller gradients are drawn at this ordinate, and those that vanish exactly below it
MARKS = (
    f"hollow: |f| > 1 somewhere on [0, 1] · gradients below {LEAST:g} are drawn at it, and those of exactly 0 as "
    "triangles below it · colour: depth"
)


def draw(cube: xr.DataTree, *, calculation: CalculationName = "initial_gradients") -> Figure:
    """Draw a panel per initialisation: gradient norms of networks against 5 (P(n') - 1/2) of each distribution."""
    table = select(cube, f"calculations/{calculation}", depth=...)
    starts = table.start.values if table else ["no start"]
    figure, axes = panels(list(starts), columns=3)
    for axis, start in zip(axes, starts, strict=True):
        if table:
            _panel(axis, table.sel(start=start))
        else:
            note_absence(axis, "gradients")
        axis.set_xlabel("5 (P(n') − 1/2)")
    axes[0].set_ylabel("largest entry of the gradient")
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure


def _panel(axis: Axes, table: xr.Dataset) -> None:
    for depth in table.depth.values:
        networks = table.sel(depth=depth).transpose("network", "growth", ...)
        shape = networks.gradient_norm.shape
        x = np.broadcast_to(networks.gradient_bound.values, shape)
        norm, large = networks.gradient_norm.values, networks.largest_output.values > 1
        y = np.where(norm > 0, np.maximum(norm, LEAST), LEAST / 4)
        look = {"color": depth_color(depth), "markersize": 3, "linestyle": "none", "zorder": 3}
        axis.plot([], [], "o", label=f"depth {depth}", **look)
        for shape, chosen in (("o", norm > 0), ("v", norm == 0)):
            axis.plot(x[chosen & ~large], y[chosen & ~large], shape, **look)
            axis.plot(x[chosen & large], y[chosen & large], shape, markerfacecolor="white", **look)
    ends = np.array([table.gradient_bound.min(), table.gradient_bound.max()])
    axis.plot(ends, ends, "--", color="black", linewidth=0.9, label="the bound of Theorem 5", zorder=2)
    axis.set(xscale="log", yscale="log", ylim=(LEAST / 20, 10))
