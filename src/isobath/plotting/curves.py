"""Curves and points of networks and kernels, with error bars and marks for networks that do not count."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.text import Annotation

from isobath.analysis.estimates import Estimate

GUESSED, TOP = 0.5, 0.97  # heights of marks: the error of guessing, and a share of the panel
COUNT, LINE = "count", 6.0  # the mark of a text that counts networks, and its height in points


def draw_network_curve(
    axis: Axes, summary: xr.Dataset, *, along: str, color: Any, marker: str, label: str, two_classes: bool = True
) -> None:
    """Draw a summary of ``over_networks`` along a dim, with the marks that ``legends.bars`` explains.

    Cells that failed are gaps of the curve; cells that were not planned are left out. A cell of which no network counts
    has its mark where networks guess one of two classes; for other tasks, of which this is no error, at the top.
    """
    points = summary.isel({along: (summary.trained + summary.failed > 0).values})
    if not points.trained.any():
        return
    x = points[along].values
    axis.errorbar(x, points["mean"], yerr=points.sd.fillna(0), color=color, marker=marker, label=label, zorder=3)
    columns = (points[name].values for name in ("mean", "counted", "trained"))
    for place, mean, counted, trained in zip(x, *columns, strict=True):
        if counted == trained:
            continue
        if counted:
            axis.plot(place, mean, marker, color=color, markerfacecolor="white", zorder=4)
        elif two_classes:
            axis.plot(place, GUESSED, "x", color=color, zorder=4)
        else:
            axis.plot(place, TOP, "x", color=color, zorder=4, transform=axis.get_xaxis_transform())
        if counted or two_classes:
            note_count(axis, (place, mean if counted else GUESSED), f"{counted}/{trained}", color)


def note_count(axis: Axes, point: tuple[float, float], words: str, color: Any) -> None:
    """Write how many networks of a cell count beside its point."""
    back = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.3}
    look: dict[str, Any] = {"fontsize": 5.5, "color": color, "bbox": back, "gid": COUNT}
    axis.annotate(words, point, xytext=(3, 4), textcoords="offset points", **look)


def spread_counts(axis: Axes) -> None:
    """Move the counts of networks apart that would lie on each other; call this when limits are set."""
    low, high = axis.get_ylim()
    points = 72 / axis.figure.dpi * axis.bbox.height / (high - low)
    counts = [text for text in axis.texts if isinstance(text, Annotation) and text.get_gid() == COUNT]
    for below, above in pairwise(sorted(counts, key=lambda text: text.xy)):
        if below.xy[0] == above.xy[0]:
            lift = below.xyann[1] + LINE - points * (above.xy[1] - below.xy[1])
            above.xyann = (above.xyann[0], max(above.xyann[1], lift))


def draw_kernel_curve(axis: Axes, errors: xr.DataArray, *, along: str, color: Any, label: str) -> None:
    """Draw the test errors of a kernel regression along a dim: their means over draws, and standard deviations as bars.

    A single point is a short line.
    """
    by_draw = (errors if "draw" in errors.dims else errors.expand_dims("draw")).dropna(along, how="all")
    if by_draw.sizes[along]:
        look: dict[str, Any] = {"marker": "_", "markersize": 16} if by_draw.sizes[along] == 1 else {"marker": ""}
        look |= {"linestyle": (0, (4, 2)), "elinewidth": 0.6, "color": color, "label": label, "zorder": 2}
        bars = by_draw.std("draw", ddof=1)  # NaN, which draws no bar, of one draw
        axis.errorbar(by_draw[along], by_draw.mean("draw"), yerr=bars if bars.notnull().any() else None, **look)


def half_widths(estimates: Iterable[Estimate]) -> np.ndarray:
    """Return half of the 95 % interval of each estimate, NaN, which draws no bar, where it has none."""
    return np.array([estimate.interval()[1] - estimate.value for estimate in estimates])


def draw_network_means(axis: Axes, x: Any, values: xr.DataArray, **look: Any) -> None:
    """Draw means over the networks of ``values`` (..., seed) at x, with their standard deviations as bars."""
    bars = values.std("seed", ddof=1)  # NaN, which draws no bar, of one network
    axis.errorbar(np.asarray(x, dtype=float), values.mean("seed"), yerr=bars, **({"marker": "o"} | look))


def draw_width_curve(
    axis: Axes, x: np.ndarray, y: Any, fraction: np.ndarray, *, color: Any, label: str, **style: Any
) -> None:
    """Draw y (w,) at x (w,), one point per width; NaN is a gap.

    A point is hollow where the ``fraction`` (w,) of fitted networks is below 1.
    """
    y, partly = np.asarray(y, dtype=float), fraction < 1
    look = {"color": color, "marker": "o", "zorder": 3} | style
    axis.plot(x, y, label=label, **look)
    axis.plot(x[partly], y[partly], **(look | {"markerfacecolor": "white", "linestyle": "none", "zorder": 4}))


def draw_dots(axis: Axes, x: np.ndarray, values: xr.DataArray, color: Any) -> None:
    """Draw a dot per network: ``values`` (width, seed) at x (w,)."""
    networks = values.transpose("width", "seed").values
    axis.plot(np.repeat(x, networks.shape[1]), networks.ravel(), ".", color=color, alpha=0.35, markersize=2.5, zorder=2)
