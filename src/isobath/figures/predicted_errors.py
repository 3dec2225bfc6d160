"""Test errors of a kernel against those that its eigenvalues predict without a regression."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.estimates import Estimate
from isobath.plotting.axes import panels
from isobath.plotting.cells import select
from isobath.plotting.curves import half_widths
from isobath.plotting.legends import INTERVALS, add_legend, explain, join, note_absence
from isobath.plotting.style import GREY, depth_color, marker
from isobath.settings import CalculationName, TaskName

MARKS = "a point per bias β, N and L, the hidden layers · shaded: within 0.02"


def draw(cube: xr.DataTree, *, calculation: CalculationName, tasks: tuple[TaskName, ...]) -> Figure:
    """Draw a panel per task: measured against predicted errors, averaged over draws."""
    predicted = select(cube, f"calculations/{calculation}", n_train=...)
    measured = select(cube, "kernels", depth=..., n_train=..., draw=...)
    figure, axes = panels([f"{task} labels" for task in tasks])
    for axis, task in zip(axes, tasks, strict=True):
        if predicted and measured and task in predicted.task.values:
            _panel(axis, predicted.predicted_error.sel(task=task), measured.test_error.sel(task=task))
        else:
            note_absence(axis, task)
        axis.set(xlabel="predicted error", ylabel="measured error")
    add_legend(figure, axes)
    explain(figure, join(MARKS, INTERVALS))
    return figure


def _panel(axis: Axes, predicted: xr.DataArray, measured: xr.DataArray) -> None:
    ends = [0.5]
    for kernel in predicted.kernel.values:
        row = predicted.sel(kernel=kernel)
        family, depth = str(row.family.item()), int(row.layers) - 1
        if family not in measured.kernel.values or depth not in measured.depth.values:
            continue
        for i, n in enumerate(n for n in row.n_train.values if n in measured.n_train.values):
            errors = Estimate.over(measured.sel(kernel=family, depth=depth, n_train=n).values)
            x, y, look = float(row.sel(n_train=n)), errors.value, {"marker": marker(i), "color": depth_color(depth)}
            axis.errorbar(x, y, half_widths([errors]), linestyle="none", **look, label=f"L = {depth}, N = {n}")
            ends += [x, y]
    line = np.array([min(ends) - 0.02, max(ends) + 0.02])
    axis.plot(line, line, color="black", linewidth=0.8)
    axis.fill_between(line, line - 0.02, line + 0.02, color=GREY, alpha=0.15, linewidth=0)
