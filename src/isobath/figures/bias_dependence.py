"""Test error of kernel regression against the bias strength beta: which parities a shallow kernel sees.

Not in the paper. A one-hidden-layer ReLU NTK without bias has zero eigenvalues on the odd degrees
from 3 on, and beta = 0.1 barely lifts them; here is at which beta the failure at L = 1 ends.
"""

import itertools

import xarray as xr
from matplotlib.figure import Figure

from isobath.plotting import charts


def draw(cube: xr.DataTree, *, tasks: tuple[str, ...]) -> Figure:
    """A panel per task, a curve per (depth, N); beta is that of each kernel of the grid."""
    kernels = cube["kernels"].to_dataset().swap_dims(kernel="kernel_beta").sortby("kernel_beta")
    shown = [task for task in tasks if task in kernels.task]
    figure, axes = charts.panels([charts.task_title(kernels, task) for task in shown])
    depths = kernels.depth.values.tolist()
    for axis, task in zip(axes, shown, strict=True):
        errors = kernels.test_error.sel(task=task).mean("draw").dropna("n_train", how="all")
        for style, n in zip(itertools.cycle(("-", "--", ":", "-.")), errors.n_train.values, strict=False):
            for depth in depths:
                points = errors.sel(depth=depth, n_train=n).dropna("kernel_beta")
                color = charts.depth_color(depth)
                label = f"NTK, L = {depth}, N = {n}"
                axis.plot(points.kernel_beta, points, style, marker="o", color=color, label=label)
        axis.set_xlabel("bias strength β")
    charts.error_axes(axes)
    charts.legend(figure, axes)
    return figure
