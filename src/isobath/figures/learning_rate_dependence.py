"""Test error against the learning rate, with the NTK as its limit of small rates (Mori & Ueda, Fig. 4).

- ``groups``: groups of tasks, one panel each
- ``status``: networks that are averaged, ``fitted`` ones, or all that are ``finite``, as for noisy labels
"""

from typing import Literal

import xarray as xr
from matplotlib.figure import Figure

from isobath.analysis.over_networks import over_networks
from isobath.plotting.axes import panels, set_error_axes, set_log_ticks, task_title
from isobath.plotting.cells import has_two_classes, kernel_errors, kernel_title
from isobath.plotting.curves import draw_network_curve
from isobath.plotting.legends import bars, explain
from isobath.plotting.style import marker
from isobath.settings import KernelName, ProtocolName, TaskName

SWEPT = True


def draw(
    cube: xr.DataTree,
    *,
    groups: tuple[tuple[TaskName, ...], ...],
    protocol: ProtocolName,
    kernel: KernelName | None = None,
    status: Literal["fitted", "finite"] = "fitted",
) -> Figure:
    """Draw a panel per group of tasks with a curve per (task, depth), and dotted the kernel of that depth and data."""
    networks = cube["networks"].to_dataset().sel(protocol=protocol)
    two_classes = has_two_classes(cube)
    panel_groups = [[t for t in group if t in networks.task] for group in groups]
    panel_groups = [group for group in panel_groups if group]
    figure, axes = panels([", ".join(task_title(networks, t) for t in group) for group in panel_groups])
    for axis, group in zip(axes, panel_groups, strict=True):
        curve = 0
        for task in group:
            summary = over_networks(networks.sel(task=task), status=status)
            counts = summary.trained.sum("learning_rate").stack(cell=("depth", "width", "n_train"))
            for depth, width, n in counts.cell.values[counts.values > 0]:
                label = f"{task}, L = {depth}, H = {width}, N = {n}"
                color = f"C{curve}"
                points = summary.sel(depth=depth, width=width, n_train=n)
                look = {"color": color, "marker": marker(curve), "label": label}
                draw_network_curve(axis, points, along="learning_rate", two_classes=two_classes, **look)
                error = kernel_errors(cube, kernel, task=task, depth=depth, n_train=n)
                if error is not None:
                    axis.axhline(float(error.mean("draw")), color=color, linestyle=":", linewidth=1)
                curve += 1
        set_log_ticks(
            axis,
            networks.learning_rate.values,
            f"learning rate (dotted: {kernel_title(kernel)})" if kernel else "learning rate",
        )
        axis.legend(loc="lower left")
    set_error_axes(axes, two_classes=two_classes)
    explain(figure, bars(status))
    return figure
