"""Accuracy of kernel regressions of several depths against the number of training samples (Bietti & Bach, images).

- ``kernels``: kernels that are drawn, one panel each
"""

import xarray as xr
from matplotlib.figure import Figure

from isobath.analysis.estimates import Estimate
from isobath.plotting.axes import panels, set_log_ticks
from isobath.plotting.cells import kernel_errors, kernel_title
from isobath.plotting.curves import half_widths
from isobath.plotting.legends import add_legend, explain, note_absence
from isobath.plotting.style import depth_color, depth_marker
from isobath.settings import KernelName, TaskName

OF_DEPTHS = ("kernels",)
MARKS = "bars: 95 % intervals over draws · L counts the readout"


def draw(cube: xr.DataTree, *, task: TaskName, kernels: tuple[KernelName, ...]) -> Figure:
    """Draw a panel per kernel, with a curve per number of layers."""
    figure, axes = panels([kernel_title(kernel) for kernel in kernels])
    for axis, kernel in zip(axes, kernels, strict=True):
        errors = kernel_errors(cube, kernel, task=task)
        if errors is None:
            note_absence(axis, "regressions")
            continue
        if "depth" not in errors.dims:
            raise ValueError(f"kernels has {kernel!r}, which has no depth; allowed are kernels of several depths")
        for depth in errors.depth.values.tolist():
            rows = errors.sel(depth=depth).dropna("n_train", how="all").transpose("n_train", "draw")
            estimates = [Estimate.over(1 - by_draw.values) for by_draw in rows]
            bars = half_widths(estimates)
            x = rows.n_train.values * 1.02 ** (depth - 2.5)
            look = {"color": depth_color(depth), "marker": depth_marker(depth), "linewidth": 0.8}
            axis.errorbar(x, [estimate.value for estimate in estimates], yerr=bars, label=f"L = {depth + 1}", **look)
        set_log_ticks(axis, errors.n_train.values, "number of samples N")
        axis.set_ylabel("accuracy")
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure
