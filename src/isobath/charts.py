"""What the figures have in common: one look, error bars that say what they are, marks for failures."""

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

STYLE = {
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 7.0,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.0,
    "errorbar.capsize": 2.0,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "isobath",
    "savefig.dpi": 200,
}
MARKERS = "osD^vP*X"
LEGEND = "bars: standard deviation over fitted networks · hollow, n/m: n of m networks fitted · ×: none did"


def panels(titles: Sequence[str], *, columns: int = 2) -> tuple[Figure, list[Axes]]:
    """A figure with a lettered panel per title."""
    columns = min(columns, len(titles))
    rows = -(-len(titles) // columns)
    figure = Figure(figsize=(3.4 * columns + 0.2, 2.6 * rows + 0.5), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis in axes[len(titles) :]:
        axis.remove()
    for letter, title, axis in zip("abcdefghijklmnop", titles, axes, strict=False):
        axis.set_title(f"({letter}) {title}" if len(titles) > 1 else title, loc="left")
    return figure, list(axes[: len(titles)])


def depth_color(depth: int) -> Any:
    """From light (shallow) to dark (deep): the same colour for a depth in every figure."""
    return colormaps["viridis_r"](min(1.0, 0.15 + 0.8 * math.log1p(depth) / math.log1p(10)))


def width_marker(width: int, widths: Iterable[int]) -> str:
    return MARKERS[sorted(set(widths)).index(width) % len(MARKERS)]


def network_curve(axis: Axes, summary: xr.Dataset, *, along: str, color: Any, marker: str, label: str) -> None:
    """A curve of ``over_networks`` along a dim, with what LEGEND says; nothing where nothing was trained."""
    points = summary.isel({along: (summary.trained > 0).values})
    if not points.sizes[along]:
        return
    x = points[along].values
    axis.errorbar(x, points["mean"], yerr=points.sd.fillna(0), color=color, marker=marker, label=label, zorder=3)
    for at, mean, fitted, trained in zip(
        x, points["mean"].values, points.fitted.values, points.trained.values, strict=True
    ):
        if fitted == trained:
            continue
        if fitted:
            axis.plot(at, mean, marker, color=color, markerfacecolor="white", zorder=4)
        else:
            axis.plot(at, 0.5, "x", color=color, zorder=4)
        place = {"xytext": (3, 4), "textcoords": "offset points", "fontsize": 5.5, "color": color}
        axis.annotate(f"{fitted}/{trained}", (at, mean if fitted else 0.5), **place)


def kernel_errors(cube: xr.DataTree, kernel: str | None, **at: Any) -> xr.DataArray | None:
    """The test errors of a kernel regression in a cube, or None if it was not run there."""
    if "kernels" not in cube:
        return None
    errors: xr.DataArray = cube["kernels"].to_dataset().test_error
    try:
        errors = errors.sel(kernel=kernel, **at)
    except KeyError:
        return None
    return errors


def kernel_curve(axis: Axes, errors: xr.DataArray, *, along: str, color: Any, label: str) -> None:
    """The test error of a kernel regression along a dim; of several draws the mean."""
    points = errors.mean("draw").dropna(along) if "draw" in errors.dims else errors.dropna(along)
    if points.sizes[along]:
        axis.plot(points[along], points, linestyle=(0, (4, 2)), marker="", color=color, label=label, zorder=2)


def error_axes(axes: Iterable[Axes]) -> None:
    """Test error from 0 to what is drawn, the same in all panels, and never much above chance, which is marked."""
    axes = list(axes)
    top = min(0.56, 1.05 * max(axis.get_ylim()[1] for axis in axes))
    for axis in axes:
        axis.set_ylim(0, top)
        if top > 0.5:
            axis.axhline(0.5, color="#999999", linewidth=0.6, zorder=1)
        axis.set_ylabel("test error")


def log_ticks(axis: Axes, values: Iterable[float], label: str) -> None:
    """A logarithmic x axis whose ticks are the values measured (at most six of them)."""
    ticks = np.unique(np.asarray(list(values), dtype=float))
    ticks = ticks[np.unique(np.linspace(0, len(ticks) - 1, 6).round().astype(int))]
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(FixedLocator(ticks.tolist()))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axis.set_xlabel(label)


def legend(figure: Figure, axes: Sequence[Axes]) -> None:
    """One legend for all panels, below them, each label once."""
    handles = {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    if handles:
        room = int(figure.get_figwidth() / 1.6)
        figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=min(room, len(handles)))


def explain(figure: Figure) -> None:
    """Say in small print what bars and marks mean."""
    text = "\n".join(textwrap.wrap(LEGEND, int(20 * figure.get_figwidth())))
    figure.suptitle(text, fontsize=6, color="#555555", x=0.01, ha="left")


def task_title(group: xr.Dataset, task: str) -> str:
    dimension = float(group.task_dimension.sel(task=task))
    return f"{task.split('_', maxsplit=1)[0]} label, d = {dimension:g}"
