"""Deviation of the tangent kernels of finite networks from their limit, against the width."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from isobath.plotting.axes import panels, set_log_scale, set_log_ticks
from isobath.plotting.cells import select
from isobath.plotting.legends import add_legend, explain, join, note_absence
from isobath.plotting.style import depth_color
from isobath.settings import CalculationName

MARKS = (
    "points: mean over networks, bars: their standard deviation · dotted: the mean kernel · grey: H^(-1/2) · "
    "L: hidden layers"
)
CUT = "bars that would reach zero are cut off"


def draw(cube: xr.DataTree, *, calculation: CalculationName) -> Figure:
    """Draw a curve per depth, and that of the kernel that is averaged over networks."""
    table = select(cube, f"calculations/{calculation}", depth=...)
    figure, (axis,) = panels(["tangent kernels of finite networks"])
    if not table:
        note_absence(axis, calculation)
        return figure
    widths = table.width.values
    for depth in table.depth.values:
        row, look = table.sel(depth=depth), {"color": depth_color(int(depth))}
        deviation = row.deviation.transpose("width", "network")
        bars = deviation.std("network", ddof=1)  # NaN, which draws no bar, of one network
        axis.errorbar(widths, deviation.mean("network"), bars, marker="o", label=f"L = {depth}", **look)
        axis.plot(widths, row.mean_deviation, ":", **look)
    middle = float(np.exp(np.log(table.deviation.mean(["depth", "network"])).mean()))
    axis.plot(widths, middle * (widths / np.exp(np.log(widths).mean())) ** -0.5, color="#999999", linewidth=0.6)
    set_log_scale(axis, "y", "|Θ of width H − Θ| / |Θ|")
    set_log_ticks(axis, widths, "width H")
    add_legend(figure, [axis])
    reach_zero = (table.deviation.std("network", ddof=1) >= table.deviation.mean("network")).any()
    explain(figure, join(MARKS, CUT if reach_zero else ""))
    return figure
