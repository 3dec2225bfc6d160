"""Test error against alpha, from the feature to the lazy regime, beside regression with the networks' own kernel."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.estimates import Estimate
from isobath.analysis.selection import chosen
from isobath.plotting.axes import panels, set_error_axes, set_log_ticks, task_title
from isobath.plotting.cells import has_two_classes, select
from isobath.plotting.curves import half_widths
from isobath.plotting.legends import add_legend, explain, lines_drawn, note_absence
from isobath.plotting.style import depth_color, marker, nth, rank_color
from isobath.settings import TaskName

READS = ("recorded_first_half_error", "protocol_network_alpha")
MARKS = (
    "step and rate: chosen on one half of the test set and judged on the other · bars: 95 % intervals over data sets "
    "· m: products of k inputs of which the label is the sign of the sum · L: hidden layers"
)
KERNELS = {"--": "dashed: regression with the tangent kernel of the same networks"}
KERNEL = "linearised"  # network whose regression is that with the tangent kernel of its start
LOOKS = ("-", ":", "-.")  # not dashed, which regressions are


def draw(cube: xr.DataTree, *, tasks: tuple[TaskName, ...]) -> Figure:
    """Draw a panel per task: a curve of lazy networks per depth (colour) and width (marker) against alpha."""
    networks = select(cube, "networks", depth=..., draw=...)
    trained_tasks = networks.task.values if networks else ()
    figure, axes = panels([task_title(networks, task) if task in trained_tasks else task for task in tasks])
    for axis, task in zip(axes, tasks, strict=True):
        if task not in trained_tasks:
            note_absence(axis, task)
            continue
        _panel(axis, networks.sel(task=task))
    set_error_axes(axes, two_classes=has_two_classes(cube))
    add_legend(figure, axes)
    explain(figure, " · ".join([MARKS, *lines_drawn(axes, KERNELS)]))
    return figure


def _panel(axis: Axes, networks: xr.Dataset) -> None:
    errors = chosen(networks).mean("seed").sortby("protocol_network_alpha")
    lazy = np.isfinite(errors.protocol_network_alpha.values)
    regressed = errors.protocol_network.values == KERNEL
    alphas = errors.protocol_network_alpha.values[lazy]
    for depth in errors.depth.values:
        for i, width in enumerate(errors.width.values):
            curve = errors.sel(depth=depth, width=width)
            color = depth_color(int(depth)) if errors.sizes["depth"] > 1 else rank_color(i, errors.sizes["width"])
            look: dict[str, Any] = {"color": color, "marker": marker(i), "linestyle": nth(LOOKS, i)}
            _curve(axis, alphas, curve[{"protocol": np.flatnonzero(lazy)}], label=f"L = {depth}, H = {width}", **look)
            for kernel in curve[{"protocol": np.flatnonzero(regressed)}].transpose("protocol", "draw").values:
                if np.isfinite(kernel).any():
                    axis.axhline(np.nanmean(kernel), color=look["color"], linestyle="--", linewidth=0.8)
    set_log_ticks(axis, alphas, "α")


def _curve(axis: Axes, alphas: np.ndarray, errors: xr.DataArray, **look: Any) -> None:
    """Draw means over draws against alpha, with their intervals."""
    rows = errors.transpose("protocol", "draw").values
    finite = np.isfinite(rows).any(axis=1)
    if not finite.any():
        return
    estimates = [Estimate.over(row) for row in rows[finite]]
    means = np.array([estimate.value for estimate in estimates])
    axis.errorbar(alphas[finite], means, yerr=half_widths(estimates), **look)
