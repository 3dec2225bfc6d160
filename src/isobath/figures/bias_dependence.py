"""Test error of kernel regression against the bias strength beta: the parities that a shallow kernel can learn.

The paper has no such figure. The ReLU NTK of one hidden layer without bias has eigenvalue zero on the odd degrees
from 3 on, and beta = 0.1 hardly increases it; the figure shows the beta at which the failure at L = 1 ends.
"""

import itertools

import xarray as xr
from matplotlib.figure import Figure

from isobath.plotting.axes import panels, set_error_axes, task_title
from isobath.plotting.cells import has_two_classes
from isobath.plotting.legends import add_legend
from isobath.plotting.style import depth_color
from isobath.settings import TaskName


def draw(cube: xr.DataTree, *, tasks: tuple[TaskName, ...]) -> Figure:
    """Draw a panel per task with a curve per (depth, N) against the beta of the kernels of the grid."""
    kernels = cube["kernels"].to_dataset().swap_dims(kernel="kernel_beta").sortby("kernel_beta")
    panel_tasks = [task for task in tasks if task in kernels.task]
    figure, axes = panels([task_title(kernels, task) for task in panel_tasks])
    depths = kernels.depth.values.tolist()
    styles = dict(zip(kernels.n_train.values.tolist(), itertools.cycle(("-", "--", ":", "-.")), strict=False))
    for axis, task in zip(axes, panel_tasks, strict=True):
        errors = kernels.test_error.sel(task=task).mean("draw").dropna("n_train", how="all")
        for n in errors.n_train.values.tolist():
            for depth in depths:
                points = errors.sel(depth=depth, n_train=n).dropna("kernel_beta")
                color = depth_color(depth)
                label = f"NTK, L = {depth}, N = {n}"
                axis.plot(points.kernel_beta, points, styles[n], marker="o", color=color, label=label)
        axis.set_xlabel("bias strength β")
    set_error_axes(axes, two_classes=has_two_classes(cube))
    add_legend(figure, axes)
    return figure
