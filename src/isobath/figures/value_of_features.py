"""The value of features, error at the largest alpha minus error at the smallest, against the terms of a label."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from isobath.analysis.estimates import Estimate
from isobath.analysis.selection import chosen
from isobath.plotting.axes import panels
from isobath.plotting.cells import at_their_widths, select
from isobath.plotting.curves import half_widths
from isobath.plotting.legends import add_legend, explain, note_absence
from isobath.plotting.style import depth_color

READS = ("recorded_first_half_error", "protocol_network_alpha")
ONE_WIDTH = True
MARKS = (
    "step and rate: chosen on one half of the test set and judged on the other · bars: 95 % intervals over data sets · "
    "L: hidden layers"
)


def draw(cube: xr.DataTree) -> Figure:
    """Draw a panel per order k and dimension d of the labels, a curve per depth; m = 1 is local, m = d global.

    Each task has networks of one width.
    """
    networks = select(cube, "networks", depth=..., draw=...)
    if not networks or "task_terms" not in networks.coords:
        figure, axes = panels(["labels of m terms"])
        note_absence(axes[0], "labels of m terms")
        return figure
    errors = chosen(at_their_widths(networks)).mean("seed").sortby(["protocol_network_alpha", "task_terms"])
    lazy = np.flatnonzero(np.isfinite(errors.protocol_network_alpha.values))  # alpha is NaN of networks without it
    values = errors.isel(protocol=lazy[-1], drop=True) - errors.isel(protocol=lazy[0], drop=True)
    places = sorted({*zip(values.task_k.values.tolist(), values.task_dimension.values.tolist(), strict=True)})
    figure, axes = panels([f"k = {k:g}, d = {d:g}" for k, d in places])
    for axis, (k, d) in zip(axes, places, strict=True):
        gains = values[{"task": np.flatnonzero((values.task_k == k) & (values.task_dimension == d))}]
        for depth in gains.depth.values:
            rows = gains.sel(depth=depth).transpose("task", "draw").values
            estimates = [Estimate.over(row) for row in rows if np.isfinite(row).any()]
            terms = gains.task_terms.values[np.isfinite(rows).any(axis=1)]
            look = {"color": depth_color(int(depth)), "marker": "o", "label": f"L = {depth}"}
            axis.errorbar(terms, [estimate.value for estimate in estimates], yerr=half_widths(estimates), **look)
        axis.axhline(0, color="#999999", linewidth=0.6, zorder=1)
        axis.set_xscale("log", base=2)
        axis.set_xticks(np.unique(gains.task_terms.values), [f"{m:g}" for m in np.unique(gains.task_terms.values)])
        axis.set(xlabel="number of terms m", ylabel="error(largest α) − error(smallest α)")
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure
