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

ZERO = 1e-24  # the ordinate of gradients that vanish exactly
MARKS = f"hollow: |f| > 1 somewhere on [0, 1] · gradients that vanish exactly are drawn at {ZERO:g} · colour: depth"


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
    axes[0].set_ylabel("norm of the gradient")
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure


def _panel(axis: Axes, table: xr.Dataset) -> None:
    for depth in table.depth.values:
        networks = table.sel(depth=depth).transpose("network", "growth", ...)
        shape = networks.gradient_norm.shape
        x = np.broadcast_to(networks.gradient_bound.values, shape)
        y, large = np.maximum(networks.gradient_norm.values, ZERO), networks.largest_output.values > 1
        look = {"color": depth_color(depth), "markersize": 3, "linestyle": "none", "marker": "o", "zorder": 3}
        axis.plot(x[~large], y[~large], label=f"depth {depth}", **look)
        axis.plot(x[large], y[large], markerfacecolor="white", **look)
    ends = np.array([table.gradient_bound.min(), table.gradient_bound.max()])
    axis.plot(ends, ends, "--", color="black", linewidth=0.9, label="the bound of Theorem 5", zorder=2)
    axis.set(xscale="log", yscale="log", ylim=(ZERO / 10, 10))
