"""What the figures have in common: one look, error bars that say what they are, marks for failures."""

import json
import math
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator
from matplotlib.transforms import ScaledTranslation

from isobath.analysis.laws.law import law_of
from isobath.statuses import FINITE, FITTED, UNTRAINED

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
FEW = 60  # up to this ratio of its ends, a logarithmic axis has ticks at 1, 2 and 5
BLUE, GREEN, ORANGE, PURPLE, GREY = "#0072B2", "#009E73", "#D55E00", "#AA3377", "#777777"  # safe for the colour-blind
WEIGHTS = "number of weights N"
HOLLOW = "hollow: some networks of a width did not fit · averages are over all that did not diverge"
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
    """A curve of ``over_networks`` along a dim, with what LEGEND says: nothing where none was trained, else a gap."""
    points = summary.isel({along: (summary.trained + summary.failed > 0).values})
    if not points.trained.any():
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


def network_means(axis: Axes, x: Any, values: xr.DataArray, **look: Any) -> None:
    """Means over the networks of ``values`` (..., seed) at x, with bars of their standard deviation."""
    axis.errorbar(np.asarray(x, dtype=float), values.mean("seed"), yerr=values.std("seed"), **({"marker": "o"} | look))


def accuracy_axes(axes: Iterable[Axes], chance: float) -> None:
    """Accuracy from a little below chance, which is marked, to 1, the same in all panels."""
    for axis in axes:
        axis.set_ylim(chance - 0.06 * (1 - chance), 1 + 0.02 * (1 - chance))
        axis.axhline(chance, color="#999999", linewidth=0.6, zorder=1)
        axis.set_ylabel("accuracy")


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


def explain(figure: Figure, text: str = LEGEND) -> None:
    """Say in small print what bars and marks mean."""
    text = "\n".join(textwrap.wrap(text, int(20 * figure.get_figwidth())))
    figure.suptitle(text, fontsize=6, color="#555555", x=0.01, ha="left")


def remark(figure: Figure, text: str) -> None:
    """Add a sentence to the small print."""
    explain(figure, " · ".join([*filter(None, [figure.get_suptitle()]), text]))


def task_title(group: xr.Dataset, task: str) -> str:
    dimension = float(group.task_dimension.sel(task=task))
    return f"{task.split('_', maxsplit=1)[0]} label, d = {dimension:g}"


def cells(cube: xr.DataTree, group: str, **at: Any) -> xr.Dataset:
    """A group of a cube, such as ``laws/norm``, at one value of each dim in ``at``; empty if there is no such group.

    Of depths, numbers of training samples and draws the first is taken where none is given, all where it is ``...``.
    Raises ValueError for a value that the cube does not have.
    """
    node = cube
    for part in group.split("/"):
        if part not in node.children:
            return xr.Dataset()
        node = node.children[part]
    data = node.to_dataset()
    for dim, value in ({"depth": None, "n_train": None, "draw": None} | at).items():
        if dim not in data.dims or value is ...:
            continue
        if value is not None and value not in data[dim].values:
            raise ValueError(f"{dim} is {value!r}; the cube has {', '.join(map(str, data[dim].values))}")
        data = data.isel({dim: 0}) if value is None else data.sel({dim: value})
    return data


def trained(networks: xr.Dataset, variable: str) -> xr.DataArray:
    """A variable of the networks that did not diverge, fitted or not, NaN elsewhere: below N* none of them fits."""
    return networks[variable].where(networks.status.isin(FINITE))


def n_weights(networks: xr.Dataset) -> np.ndarray:
    """N of each width (w,), NaN where nothing was trained."""
    return np.asarray(networks.n_weights.mean("seed"), dtype=float)


def fraction_fitted(networks: xr.Dataset) -> np.ndarray:
    """The fraction of the networks of each width (w,) that fit, diverged ones counted as others; NaN for none."""
    there = (~networks.status.isin(UNTRAINED)).sum("seed")
    return np.asarray((networks.status == FITTED).sum("seed") / there.where(there > 0), dtype=float)


def width_curve(
    axis: Axes, x: np.ndarray, y: Any, fraction: np.ndarray, *, color: Any, label: str, **style: Any
) -> None:
    """A curve over widths, x, y, fraction (w,): points are hollow where some networks did not fit, NaN is a gap."""
    y, partly = np.asarray(y, dtype=float), fraction < 1
    look = {"color": color, "marker": "o", "zorder": 3} | style
    axis.plot(x, y, label=label, **look)
    axis.plot(x[partly], y[partly], **(look | {"markerfacecolor": "white", "linestyle": "none", "zorder": 4}))


def dots(axis: Axes, x: np.ndarray, values: xr.DataArray, color: Any) -> None:
    """A dot per network: ``values`` (width, seed) at x (w,)."""
    each = values.transpose("width", "seed").values
    axis.plot(np.repeat(x, each.shape[1]), each.ravel(), ".", color=color, alpha=0.35, markersize=2.5, zorder=2)


class Line(NamedTuple):
    """A fitted law over its range, x and y (p,), what a free fit finds for its exponent, and its constant."""

    x: np.ndarray
    y: np.ndarray
    free: str
    constant: float = 0.0


def law_line(cube: xr.DataTree, name: str | None, **at: Any) -> Line | None:
    """The law ``name`` of a cube with the exponents of the theory, or None where it was not fitted."""
    group = cells(cube, f"laws/{name}", **at)
    if not group:
        return None
    law = law_of(json.loads(cube.attrs["spec"])["laws"][name]["form"], free=False)
    value, k = group.value.sel(fit="fixed", parameter=law.names).values, len(law.coefficients)
    if not np.isfinite(value).all():
        return None
    low, high = float(group.x_min), float(group.x_max)
    x = np.geomspace(low, high, 200) if low > 0 else np.linspace(low, high, 200)
    free = group[["value", "low", "high"]].sel(fit="free", parameter="exponent")
    found = f"{float(free.value):.2f} [{float(free.low):.2f}, {float(free.high):.2f}]".replace("-", "−")
    words = f"free exponent {found}" if np.isfinite(free.value) else "no free exponent justified"
    constant = value[law.names.index("constant")] if "constant" in law.names else 0.0
    return Line(x, law.basis(x, value[k:]) @ value[:k], words, float(constant))


def draw_law(axis: Axes, line: Line | None, label: str, *, square: bool = False) -> None:
    """A law, dashed, its exponent in the legend; nothing where there is none. ``square`` draws y^2."""
    if line is not None:
        y = line.y**2 if square else line.y
        axis.plot(line.x, y, "--", color="black", label=f"{label}\n{line.free}", zorder=5)


def published(axis: Axes, terms: Sequence[tuple[float, float]] | None, low: float, high: float) -> None:
    """A fit of the source, sum of c x^p over ``terms`` (c, p), from its maximum on: before, it is not meant to hold."""
    x = np.geomspace(low, high, 400)
    y = np.sum([c * x**p for c, p in terms or []], axis=0)
    if terms and y.argmax() < len(x) - 1:
        axis.plot(x[y.argmax() :], y[y.argmax() :], "-.", color=PURPLE, label="fit of the paper", zorder=5)


def mark_jamming(axis: Axes, jamming: xr.Dataset, place: Callable[[Any], Any] = float) -> None:
    """N* with its interval shaded, where they are known; ``place`` is where an N lies on the x axis."""
    if not jamming or not np.isfinite(place(jamming.threshold)):
        return
    axis.axvline(place(jamming.threshold), color=GREY, linestyle=(0, (4, 2)), linewidth=0.9, label="N*", zorder=1.6)
    low, high = place(jamming.low), place(jamming.high)
    if np.isfinite([low, high]).all():
        axis.axvspan(low, high, color=GREY, alpha=0.18, linewidth=0, zorder=1.6)


def log_scale(axis: Axes, side: str, label: str) -> None:
    """A logarithmic x or y axis, once all is drawn; of few decades with ticks at 1, 2 and 5."""
    axis.set(**{f"{side}scale": "log", f"{side}label": label})
    low, high = axis.get_xlim() if side == "x" else axis.get_ylim()
    if low <= 0:  # nothing is drawn: what is left of the linear axis has no logarithm
        axis.set(**{f"{side}lim": (1, 10)})
    elif high < FEW * low:
        ticks = axis.xaxis if side == "x" else axis.yaxis
        ticks.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ticks.set_minor_locator(NullLocator())
        ticks.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def legends(figure: Figure, axes: Sequence[Axes], *, columns: int = 1) -> None:
    """A legend below each panel, for panels that show different things; the figure grows by as much."""
    below = ScaledTranslation(0, -0.45, figure.dpi_scale_trans)
    lines = [sum(1 + label.count("\n") for label in axis.get_legend_handles_labels()[1]) for axis in axes]
    grid = axes[0].get_subplotspec()
    rows = grid.get_gridspec().nrows if grid else 1
    figure.set_figheight(figure.get_figheight() + 0.14 * rows * max(lines) / columns)
    for axis, count in zip(axes, lines, strict=True):
        if count:
            where = {"bbox_to_anchor": (0, 0), "bbox_transform": axis.transAxes + below}
            axis.legend(loc="upper left", borderaxespad=0, ncols=columns, **where)


def absent(axis: Axes, what: str) -> None:
    """Say that what a panel would show is not in the cube."""
    axis.text(0.5, 0.5, f"no {what} in this cube", transform=axis.transAxes, ha="center", va="center", color=GREY)
