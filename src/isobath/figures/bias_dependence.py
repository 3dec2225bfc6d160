"""Test error of kernel regression against the bias strength beta: the parities that a shallow kernel can learn.

The paper has no such figure. The ReLU NTK of one hidden layer without bias has eigenvalue zero on the odd degrees
from 3 on, and beta = 0.1 hardly increases it; the figure shows the beta at which the failure at L = 1 ends.
"""

from itertools import cycle, product

import xarray as xr
from matplotlib.figure import Figure

from isobath.analysis.estimates import Estimate
from isobath.plotting.axes import panels, set_error_axes, task_title
from isobath.plotting.cells import has_two_classes, kernel_title
from isobath.plotting.curves import half_widths
from isobath.plotting.legends import INTERVALS, add_legend, explain
from isobath.plotting.style import depth_color, marker
from isobath.settings import TaskName


def draw(cube: xr.DataTree, *, tasks: tuple[TaskName, ...]) -> Figure:
    """Draw a panel per task with a curve per (kind, depth, N) against the beta of the kernels of the grid."""
    kernels = cube["kernels"].to_dataset().dropna("kernel", subset=["kernel_beta"]).sortby("kernel_beta")
    kinds = dict.fromkeys(kernels.kernel_kind.values.tolist())
    panel_tasks = [task for task in tasks if task in kernels.task]
    figure, axes = panels([task_title(kernels, task) for task in panel_tasks])
    depths = kernels.depth.values.tolist()
    styles = dict(zip(kernels.n_train.values.tolist(), cycle(("-", "--", ":", "-.")), strict=False))
    for axis, task in zip(axes, panel_tasks, strict=True):
        errors = kernels.test_error.sel(task=task).dropna("n_train", how="all")
        for (i, kind), n, depth in product(enumerate(kinds), errors.n_train.values.tolist(), depths):
            of_kind = errors.sel(depth=depth, n_train=n).isel(kernel=(errors.kernel_kind == kind).values)
            points, look = of_kind.dropna("kernel", how="all"), {"marker": marker(i), "color": depth_color(depth)}
            bars = half_widths(Estimate.over(row) for row in points.transpose("kernel", "draw").values)
            label = f"{kernel_title(kind)}, L = {depth}, N = {n}"
            axis.errorbar(points.kernel_beta, points.mean("draw"), bars, linestyle=styles[n], **look, label=label)
        axis.set_xlabel("bias strength β")
    set_error_axes(axes, two_classes=has_two_classes(cube))
    add_legend(figure, axes)
    explain(figure, INTERVALS)
    return figure
