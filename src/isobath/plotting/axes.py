"""Axes of a figure: lettered panels, their titles, scales, ticks and limits."""

from collections.abc import Iterable, Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

WEIGHTS = "number of weights N"
FEW = 60  # a logarithmic axis has ticks at 1, 2 and 5 if the ratio of its ends is smaller
TICKS = 6  # at most, where ticks are measured values


def panels(titles: Sequence[str], *, columns: int = 2) -> tuple[Figure, list[Axes]]:
    """Make a figure with a panel per title; several panels are lettered (a), (b), ..."""
    columns = min(columns, len(titles))
    rows = -(-len(titles) // columns)
    figure = Figure(figsize=(3.4 * columns + 0.2, 2.6 * rows + 0.5), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis in axes[len(titles) :]:
        axis.remove()
    for letter, title, axis in zip("abcdefghijklmnop", titles, axes, strict=False):
        axis.set_title(f"({letter}) {title}" if len(titles) > 1 else title, loc="left")
    return figure, list(axes[: len(titles)])


def task_title(group: xr.Dataset, task: str) -> str:
    """Return the title of a task's panel: its label rule and the dimension d of its inputs."""
    dimension = float(group.task_dimension.sel(task=task))
    return f"{task.split('_', maxsplit=1)[0]} label, d = {dimension:g}"


def set_error_axes(axes: Iterable[Axes]) -> None:
    """Scale test errors from 0 to the largest drawn, at most a little above chance, equally in all panels."""
    axes = list(axes)
    top = min(0.56, 1.05 * max(axis.get_ylim()[1] for axis in axes))
    for axis in axes:
        axis.set_ylim(0, top)
        if top > 0.5:
            axis.axhline(0.5, color="#999999", linewidth=0.6, zorder=1)
        axis.set_ylabel("test error")


def set_accuracy_axes(axes: Iterable[Axes], chance: float) -> None:
    """Scale accuracies from a little below chance, which is marked, to 1, equally in all panels."""
    for axis in axes:
        axis.set_ylim(chance - 0.06 * (1 - chance), 1 + 0.02 * (1 - chance))
        axis.axhline(chance, color="#999999", linewidth=0.6, zorder=1)
        axis.set_ylabel("accuracy")


def set_log_ticks(axis: Axes, values: Iterable[float], label: str) -> None:
    """Make the x axis logarithmic, with ticks at the measured values: all, or six of them."""
    ticks = np.unique(np.asarray(list(values), dtype=float))
    ticks = ticks[np.unique(np.linspace(0, len(ticks) - 1, TICKS).round().astype(int))]
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(FixedLocator(ticks.tolist()))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axis.set_xlabel(label)


def set_log_scale(axis: Axes, side: str, label: str) -> None:
    """Make the x or y axis (``side``) logarithmic, with ticks at 1, 2 and 5 if it spans few decades.

    Call this after drawing: the ticks depend on the limits.
    """
    axis.set(**{f"{side}scale": "log", f"{side}label": label})
    low, high = axis.get_xlim() if side == "x" else axis.get_ylim()
    if low <= 0:  # the panel is empty, and the limits of its linear axis have no logarithm
        axis.set(**{f"{side}lim": (1, 10)})
    elif high < FEW * low:
        ticks = axis.xaxis if side == "x" else axis.yaxis
        ticks.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ticks.set_minor_locator(NullLocator())
        ticks.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
