"""The number of samples at which an error reaches a level, against the dimension, for networks and the NTK.

- ``level``: error that is to be reached
"""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.crossings import crossing
from isobath.analysis.estimates import Estimate, Undetermined
from isobath.analysis.selection import chosen
from isobath.plotting.axes import panels, set_log_scale, set_log_ticks
from isobath.plotting.cells import at_their_widths, kernel_title, select
from isobath.plotting.legends import add_legend, explain, note_absence
from isobath.plotting.style import depth_color
from isobath.settings import KernelName, Open, ProtocolName

READS = ("recorded_first_half_error", "task_dimension")
ONE_WIDTH = True
MARKS = (
    "dashed: the kernel · grey: d² up to a factor · bars: 95 % intervals over data sets; sizes between are "
    "interpolated · no point: not reached by every data set · L: hidden layers"
)


def draw(cube: xr.DataTree, *, protocol: ProtocolName, kernel: KernelName, level: Open = 0.25) -> Figure:
    """Draw a panel per kind of label, a curve per depth, of the sizes N at which the error reaches ``level``.

    Each task has networks of one width.
    """
    networks = select(cube, "networks", depth=..., n_train=..., draw=...)
    kernels = select(cube, "kernels", depth=..., n_train=..., draw=...)
    kinds = sorted({*networks.task_kind.values.tolist()}) if networks else []
    figure, axes = panels([f"{kind.removeprefix('k_')} labels" for kind in kinds] or ["labels"])
    if not kinds:
        note_absence(axes[0], "networks")
        return figure
    errors = chosen(at_their_widths(networks.sel(protocol=protocol))).mean("seed")
    for axis, kind in zip(axes, kinds, strict=True):
        of_networks = _of_kind(errors, kind)
        _curves(axis, of_networks, level, marker="o", words="L = {}")
        if kernels and kernel in kernels.kernel.values:
            of_kernel = _of_kind(kernels.test_error.sel(kernel=kernel), kind)
            _curves(axis, of_kernel, level, marker="s", linestyle="--", words=f"{kernel_title(kernel)}, L = {{}}")
        _guide(axis, of_networks.task_dimension.values)
        set_log_scale(axis, "y", f"samples N for an error of {level:g}")
        set_log_ticks(axis, of_networks.task_dimension.values, "dimension d")
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure


def _of_kind(errors: xr.DataArray, kind: str) -> xr.DataArray:
    return errors[{"task": np.flatnonzero(errors.task_kind == kind)}].sortby("task_dimension")


def _curves(axis: Axes, errors: xr.DataArray, level: float, *, words: str, **look: Any) -> None:
    """Draw a curve per depth against the dimension, of the dimensions at which each data set reaches the level."""
    for depth in errors.depth.values:
        points = []
        for task in errors.task.values:
            row = errors.sel(depth=depth, task=task)
            size = _size(row, level)
            if size is not None:
                points.append((float(row.task_dimension), size))
        if points:
            means = np.array([estimate.value for _, estimate in points])
            ends = np.array([estimate.interval() for _, estimate in points]).T
            bars = np.abs(np.exp(ends) - np.exp(means))
            color = depth_color(int(depth))
            axis.errorbar([d for d, _ in points], np.exp(means), bars, color=color, label=words.format(depth), **look)


def _size(row: xr.DataArray, level: float) -> Estimate | None:
    """Return ln N at which errors (n_train, draw) reach the level; None where some draw does not."""
    measured = row.dropna("n_train", how="all")
    if measured.sizes["n_train"] < 2:
        return None
    points = [
        Estimate(
            float(of_size.mean()), draws=dict(zip(of_size.draw.values.tolist(), of_size.values.tolist(), strict=True))
        )
        for of_size in (measured.sel(n_train=n) for n in measured.n_train.values)
    ]
    try:
        return crossing(np.log(measured.n_train.values), points, level)
    except Undetermined:
        return None


def _guide(axis: Axes, dimensions: np.ndarray) -> None:
    """Draw d^2 through the middle of the panel's curves."""
    heights = [y for line in axis.get_lines() for y in np.asarray(line.get_ydata(), dtype=float) if np.isfinite(y)]
    if heights:
        x = np.sort(dimensions.astype(float))
        factor = np.exp(np.mean(np.log(heights)) - 2 * np.mean(np.log(x)))
        axis.plot(x, factor * x**2, color="#999999", linewidth=0.6, zorder=1)
