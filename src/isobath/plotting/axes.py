"""Axes of a figure: lettered panels, their titles, scales, ticks and limits."""

import itertools
import string
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from isobath import plugins
from isobath.plotting.curves import spread_counts
from isobath.syntax import plugin_errors

WEIGHTS = "number of weights N"
FEW = 100  # a logarithmic axis with a smaller ratio of its ends, and maybe one power of ten, has ticks at 1, 2 and 5
FEWER = 8  # and evenly spaced ticks, as a linear one, if the ratio is smaller still
POWERS = 1e-3, 1e5  # numbers outside are labelled as powers of ten on a logarithmic axis
HIGHEST = 0.56  # of the axis of errors near 1/2, which two classes have by chance
NEAR, TOP = 0.2, 0.25  # shares of the way from chance to 1: accuracies up to the first have an axis up to the second
SMALL = 1e-2  # smaller numbers are labelled as 3e-3: five characters have no room between values that differ by 3
ROOM = 0.11  # of a logarithmic axis, for the label of a measured value


def panels(titles: Sequence[str], *, columns: int = 2) -> tuple[Figure, list[Axes]]:
    """Make a figure with a panel per title; several panels are lettered (a), (b), ... Raises ValueError for none."""
    if not titles:
        raise ValueError("the cube has nothing that this figure would draw: none of the tasks or groups that it names")
    columns = min(columns, len(titles))
    rows = -(-len(titles) // columns)
    figure = Figure(figsize=(3.4 * columns + 0.2, 2.6 * rows + 0.5), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis in axes[len(titles) :]:
        axis.remove()
    axes = axes[: len(titles)]
    for title, axis, letter in zip(titles, axes, itertools.islice(_letters(), len(titles)), strict=True):
        axis.set_title(f"({letter}) {title}" if len(titles) > 1 else title, loc="left")
    return figure, list(axes)


def _letters() -> Iterator[str]:
    """Yield a, b, ..., z, aa, ab, ..."""
    lengths = (itertools.product(string.ascii_lowercase, repeat=n) for n in itertools.count(1))
    yield from map("".join, itertools.chain.from_iterable(lengths))


def task_title(group: xr.Dataset, task: str) -> str:
    """Return the title of a task's panel: its label rule, by the ``TITLE`` of its kind or its name, and its d."""
    coordinates = group.sel(task=task).coords
    settings = {
        str(name).removeprefix("task_"): coordinate.item()
        for name, coordinate in coordinates.items()
        if not coordinate.ndim
    }
    kind = settings.get("kind")
    dimension = [f"d = {settings['dimension']:g}"] if np.isfinite(settings.get("dimension", np.nan)) else []
    if kind not in plugins.kinds("task"):
        return ", ".join([task, *dimension])
    with plugin_errors(f"{plugins.path('task', kind)}: TITLE fails"):
        return ", ".join([plugins.literal("task", kind, "TITLE", task).format_map(settings), *dimension])


def set_error_axes(axes: Iterable[Axes], *, two_classes: bool = True) -> None:
    """Scale test errors from 0 to the largest drawn, equally in all panels.

    Those of two classes end a little above chance, which is marked and where bars may not end. Of mean squares and of
    more classes all bars are shown.
    """
    axes = list(axes)
    top = 1.05 * max(axis.get_ylim()[1] for axis in axes)
    top = min(HIGHEST, top) if two_classes and max(map(_highest_mean, axes)) <= HIGHEST else top
    for axis in axes:
        axis.set_ylim(0, top)
        if two_classes and 0.5 < top <= HIGHEST:
            axis.axhline(0.5, color="#999999", linewidth=0.6, zorder=1)
        axis.set_ylabel("test error")
        spread_counts(axis)


def _highest_mean(axis: Axes) -> float:
    """Return the largest number that is drawn, the ends of bars left out; 0 for none."""
    ends = {end for bars in axis.containers if isinstance(bars, ErrorbarContainer) for end in bars.lines[1]}
    drawn = [np.asarray(line.get_ydata(), dtype=float) for line in axis.lines if line not in ends]
    return max((float(values.max()) for values in (y[np.isfinite(y)] for y in drawn) if values.size), default=0.0)


def set_accuracy_axes(axes: Iterable[Axes], chance: float) -> None:
    """Scale accuracies equally in all panels: from a little below chance, which is marked, or the lowest drawn to 1.

    Where all that is drawn is near chance, the axis ends above it, since most of an axis up to 1 would be empty.
    """
    axes = list(axes)
    highest = max((axis.dataLim.y1 for axis in axes if axis.has_data()), default=1)
    top = chance + TOP * (1 - chance) if highest <= chance + NEAR * (1 - chance) else 1 + 0.02 * (1 - chance)
    low = min([chance - 0.06 * (1 - chance), *(axis.dataLim.y0 - 0.01 for axis in axes)])
    for axis in axes:
        axis.set_ylim(low, top)
        axis.axhline(chance, color="#999999", linewidth=0.6, zorder=1)
        axis.set_ylabel("accuracy")


def set_log_ticks(axis: Axes, values: Iterable[float], label: str, *, zero: float | None = None) -> None:
    """Make the x axis logarithmic, with ticks at the measured values, the first, the last and those that have room.

    The value ``zero`` stands for 0, which such an axis does not have.
    """
    ticks = [tick for tick in np.unique(np.asarray(list(values), dtype=float)).tolist() if tick > 0]
    chosen = ticks[:1]
    for tick in ticks[1:-1]:
        if min(tick / chosen[-1], ticks[-1] / tick) >= (ticks[-1] / ticks[0]) ** ROOM:
            chosen.append(tick)
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(FixedLocator([*chosen, *ticks[1:][-1:]]))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda x, _: "0" if x == zero else _short(x)))
    axis.set_xlabel(label)


def _short(x: float) -> str:
    """Return a number as the label of a tick: 3e-4 takes less room than 0.0003."""
    return f"{x:g}" if abs(x) >= SMALL else np.format_float_scientific(x, precision=2, trim="-", exp_digits=1)


def set_log_scale(axis: Axes, side: str, label: str) -> None:
    """Make the x or y axis (``side``) logarithmic, with ticks at 1, 2 and 5, or even ones, if it spans little.

    Labels are numbers where all of the axis lies within ``POWERS``, so that panels side by side read alike. Call this
    after drawing: the ticks depend on the limits.
    """
    axis.set(**{f"{side}scale": "log", f"{side}label": label})
    low, high = axis.get_xlim() if side == "x" else axis.get_ylim()
    ticks = axis.xaxis if side == "x" else axis.yaxis
    if low <= 0:  # the panel is empty, and the limits of its linear axis have no logarithm
        axis.set(**{f"{side}lim": (1, 10)})
    elif high < FEW * low:
        coarse = LogLocator(subs=(1, 2, 5))
        enough = sum(low <= tick <= high for tick in coarse.tick_values(low, high)) > 2
        ticks.set_major_locator(coarse if high > FEWER * low and enough else MaxNLocator(4))
        ticks.set_minor_locator(NullLocator())
    if high < FEW * low or (POWERS[0] <= low and high <= POWERS[1]):
        ticks.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
