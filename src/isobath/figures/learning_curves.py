"""Test error against the number of training samples, a panel per task (Mori & Ueda, Figs. 1 and 2).

- ``status``: networks that are averaged, ``fitted`` ones, or all that are ``finite``, as for noisy labels
"""

from typing import Literal

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.over_networks import over_networks
from isobath.plotting.axes import panels, set_error_axes, set_log_ticks, task_title
from isobath.plotting.cells import has_two_classes, kernel_errors, kernel_title
from isobath.plotting.curves import draw_kernel_curve, draw_network_curve
from isobath.plotting.legends import KERNEL_BARS, add_legend, bars, explain, join
from isobath.plotting.style import GREY, depth_color, width_marker
from isobath.settings import KernelName, ProtocolName, TaskName

SWEPT = False


def draw(
    cube: xr.DataTree,
    *,
    tasks: tuple[TaskName, ...],
    protocol: ProtocolName,
    kernel: KernelName | None = None,
    status: Literal["fitted", "finite"] = "fitted",
) -> Figure:
    """Draw a panel per task with a curve per (depth, width) of ``protocol``, and dashed the ``kernel`` by depth."""
    networks = cube["networks"].to_dataset().sel(protocol=protocol)
    two_classes = has_two_classes(cube)
    panel_tasks = [task for task in tasks if task in networks.task]
    figure, axes = panels([task_title(networks, task) for task in panel_tasks])
    depths = networks.depth.values.tolist()
    widths = [w for w in networks.width.values.tolist() if w]
    for axis, task in zip(axes, panel_tasks, strict=True):
        summary = over_networks(networks.sel(task=task), status=status)
        for depth in depths:
            color = depth_color(depth)
            for width in widths if depth else [0]:
                draw_network_curve(
                    axis,
                    summary.sel(depth=depth, width=width),
                    along="n_train",
                    two_classes=two_classes,
                    color=color,
                    marker=width_marker(width, widths) if width else ".",
                    label=f"L = {depth}, H = {width}" if depth else "L = 0, perceptron",
                )
        errors = kernel_errors(cube, kernel, task=task)
        if kernel and errors is not None:
            _kernel_curves(axis, errors, kernel_title(kernel))
        set_log_ticks(axis, summary.n_train.values[(summary.trained > 0).any(["depth", "width"])], "training samples N")
    add_legend(figure, axes, ordered=True)
    set_error_axes(axes, two_classes=two_classes)
    explain(figure, join(bars(status), KERNEL_BARS if kernel else ""))
    return figure


def _kernel_curves(axis: Axes, errors: xr.DataArray, title: str) -> None:
    """Draw a curve per depth of a kernel; a grey one if it has none."""
    if "depth" not in errors.dims:
        draw_kernel_curve(axis, errors, along="n_train", color=GREY, label=title)
        return
    for depth in errors.depth.values.tolist():
        label = f"{title}, L = {depth}"
        draw_kernel_curve(axis, errors.sel(depth=depth), along="n_train", color=depth_color(depth), label=label)
