"""The end-to-end rule against true steps, and what its preconditioner favours (Arora, Cohen & Hazan).

- ``rule``: calculation of the end-to-end rule
- ``step``: calculation of the overparametrised step
"""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.plotting.axes import panels
from isobath.plotting.cells import select
from isobath.plotting.legends import add_legends, explain, note_absence
from isobath.plotting.style import depth_color, depth_marker
from isobath.settings import CalculationName

MARKS = "means over draws · (a) dotted: layers that are not balanced · (b) singular values in order, the largest first"


def draw(
    cube: xr.DataTree,
    *,
    rule: CalculationName = "end_to_end_rule",
    step: CalculationName = "overparametrised_step",
) -> Figure:
    """Draw the deviation of the rule and the remainder of a step against eta, and the gain of singular directions."""
    figure, axes = panels(["deviation of the rule", "gain of directions", "remainder of w = w₁ w₂"], columns=3)
    of_rule, of_step = (select(cube, f"calculations/{name}", draw=...) for name in (rule, step))
    for axis, table, panel in zip(axes, (of_rule, of_rule, of_step), (_deviation, _gain, _remainder), strict=True):
        if table:
            panel(axis, table)
        else:
            note_absence(axis, "such numbers")
    add_legends(figure, axes)
    explain(figure, MARKS)
    return figure


def _deviation(axis: Axes, table: xr.Dataset) -> None:
    means = table.isel(decay=0).mean("draw")
    for n in means.layers.values[means.layers.values > 1]:
        look = {"color": depth_color(int(n)), "marker": depth_marker(int(n))}
        axis.plot(means.rate, means.deviation.sel(layers=n), label=f"N = {n}", **look)
        axis.plot(means.rate, means.unbalanced_deviation.sel(layers=n), linestyle=":", **look)
    axis.set(xscale="log", yscale="log", xlabel="learning rate η", ylabel="relative deviation of a step")


def _gain(axis: Axes, table: xr.Dataset) -> None:
    gain = table.gain.mean("draw")
    for n in gain.layers.values:
        values = [float(gain.sel(layers=n, left=i, right=i)) for i in gain.left.values]
        axis.plot(gain.left + 1, values, "-", color=depth_color(int(n)), marker=depth_marker(int(n)), label=f"N = {n}")
    axis.set(
        xlabel="singular direction u_r v_r'", xticks=np.arange(gain.sizes["left"]) + 1, ylabel="gain", ylim=(0, 1.1)
    )


def _remainder(axis: Axes, table: xr.Dataset) -> None:
    for i, p in enumerate(table.power.values):
        axis.plot(table.rate, table.remainder.sel(power=p).mean("draw"), "o-", color=f"C{i}", label=f"p = {p}")
    axis.set(xscale="log", yscale="log", xlabel="learning rate η", ylabel="|remainder| / |w|")
