"""Accuracy against the learning rate: whether each cell's best rate lies inside of those that were offered."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.selection import chosen
from isobath.plotting.axes import panels, set_accuracy_axes, set_log_ticks, task_title
from isobath.plotting.cells import networks_of_all_draws
from isobath.plotting.curves import note_count
from isobath.plotting.legends import add_legend, add_legends, explain
from isobath.plotting.style import depth_color, marker
from isobath.settings import ProtocolName, TaskName
from isobath.statuses import UNTRAINED

READS = ("recorded_first_half_error",)
SWEPT = True
MARKS = (
    "legend: depth × width · means, without bars, over networks that did not diverge; the step is chosen on one half "
    "of the test set · hollow, n/m: n of m are left; no point: none is · large: the best of the rates at which all are "
    "left"
)


def draw(cube: xr.DataTree, *, tasks: tuple[TaskName, ...], protocol: ProtocolName) -> Figure:
    """Draw a panel per task, a curve per depth and width."""
    networks = networks_of_all_draws(cube, protocol=protocol, depth=...)
    figure, axes = panels([task_title(networks, task) for task in tasks], columns=min(3, len(tasks)))
    for axis, task in zip(axes, tasks, strict=True):
        of_task = networks.sel(task=task)
        _panel(axis, 1 - chosen(of_task, over=("step",)), ~of_task.status.isin(UNTRAINED))
        set_log_ticks(axis, networks.learning_rate.values, "learning rate")
    set_accuracy_axes(axes, 0.5)
    if len({tuple(axis.get_legend_handles_labels()[1]) for axis in axes}) == 1:
        add_legend(figure, axes)
    else:  # a mark means another width in each panel
        add_legends(figure, axes, columns=2)
    explain(figure, MARKS)
    return figure


def _panel(axis: Axes, accuracy: xr.DataArray, exists: xr.DataArray) -> None:
    rates = accuracy.learning_rate.values
    for depth in accuracy.depth.values:
        trained = accuracy.sel(depth=depth).dropna("width", how="all")
        for rank, width in enumerate(trained.width.values):
            values = trained.sel(width=width).transpose("learning_rate", "seed")
            look = {"color": depth_color(int(depth)), "marker": marker(rank)}
            means, left = values.mean("seed").values, values.notnull().sum("seed").values
            all_of_cell = exists.sel(depth=depth, width=width).sum("seed")
            asked = all_of_cell.transpose("learning_rate", ...).values
            axis.plot(rates, means, label=f"{depth} × {width}", **look)
            whole = (left == asked) & (left > 0)
            if whole.any():
                best = int(np.nanargmax(np.where(whole, means, np.nan)))
                axis.plot(rates[best], means[best], **look, markersize=8)
            for i in np.flatnonzero(~whole & (left > 0)):
                axis.plot(rates[i], means[i], **look, markerfacecolor="white", zorder=4)
                note_count(axis, (rates[i], means[i]), f"{left[i]}/{asked[i]}", look["color"])
