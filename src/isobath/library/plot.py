"""Charts of what the library returns: a variable against an axis with intervals, a law through its points, N*.

Each returns a matplotlib.figure.Figure in the style of the workflow's figures, or draws on ``axes`` of one's own.
"""

import json
import textwrap
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import xarray as xr
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import MaxNLocator

from isobath.library import arguments
from isobath.library.intervals import averages
from isobath.plotting.axes import panels, set_log_scale
from isobath.plotting.laws import draw_law, law_line, mark_jamming
from isobath.plotting.legends import add_legend
from isobath.plotting.style import BLUE, MARKERS, ORANGE, PURPLE, STYLE, depth_color

__all__ = ["curve", "law", "threshold"]

LINE = 28  # characters of a line of a label, about the height of an axis with a legend below


def curve(
    data: xr.Dataset,
    variable: str = "test_error",
    *,
    x: str,
    hue: str | None = None,
    log: bool = False,
    axes: Axes | None = None,
    **options: Any,
) -> Figure:
    """Draw the mean of a variable against the axis ``x``, a curve per value of ``hue``, with 95 % intervals as bars.

    Means and intervals are those of ``interval``, which takes ``options``: over, status, n_test, together. A point is
    hollow where some networks do not count, and absent, with a warning, where none does. Of other dims than x and hue,
    if they are longer than one, a value must have been selected. ``log`` scales x. Raises ValueError, one sentence.
    """
    means = averages(data, variable, **options)
    _require_axes([str(dim) for dim in means.value.dims], x, hue)
    means = _selected(means, means.value, variable, (x, hue), hint=", or make it x or hue")
    if log:
        _require_positive(means[x], x)
    if absent := int(((means.counted == 0) & (means.trained > 0)).sum()):
        hint = "; status='finite' counts those that did not fit as well" if "status" not in options else ""
        problem = f"{absent} of {means.value.size} points are not drawn: none of their networks counts{hint}"
        warnings.warn(problem, stacklevel=2)
    with _drawing(axes) as axis:
        for i, value in enumerate(means[hue].values.tolist() if hue else [None]):
            points = means if hue is None else means.sel({hue: value})
            look = {"marker": MARKERS[i % len(MARKERS)], "color": _color(hue, value, i), "label": _label(hue, value)}
            axis.errorbar(points[x].values, points.value.values, yerr=_bars(points), **look)
            partly = (points.counted < points.trained).values
            hollow = look | {"label": None, "linestyle": "none", "markerfacecolor": "white", "zorder": 4}
            axis.plot(points[x].values[partly], points.value.values[partly], **hollow)
        _name_axes(axis, means[x], data[variable], log=log)
    return _figure(axis)


def _require_axes(dims: list[str], x: str, hue: str | None) -> None:
    """Refuse an x and a hue that are no dims of the means, or the same one (ValueError)."""
    arguments.one_of(x, dims, "x")
    if hue == x:
        raise ValueError(f"hue is {hue!r}, and so is x; they must be different dims")
    if hue is not None:
        arguments.one_of(hue, dims, "hue")


def _selected(data: xr.Dataset, drawn: xr.DataArray, name: str, kept: Collection[Any], *, hint: str = "") -> xr.Dataset:
    """Return data without the dims of one value that are not ``kept``.

    Raises ValueError, with a hint, where what is drawn, called ``name``, has further dims.
    """
    data = data.squeeze([dim for dim in drawn.dims if data.sizes[dim] == 1 and dim not in kept])
    dims = [str(dim) for dim in drawn.dims if dim in data.dims]
    if unselected := [dim for dim in dims if dim not in kept]:
        values = f"select a value of {' and of '.join(unselected)}{hint}"
        raise ValueError(f"{name} has the dims {', '.join(dims)}; {values}")
    return data


def _require_positive(values: xr.DataArray, x: str) -> None:
    """Refuse values of an axis that have no logarithm (ValueError)."""
    if not (values.dtype.kind in "fiu" and (values > 0).all()):
        some = ", ".join(map(str, values.values.tolist()[:3]))
        raise ValueError(f"log is True, and x is {x!r}, whose values are {some}; they must be positive numbers")


def law(fit: xr.Dataset, *, log: bool = True, axes: Axes | None = None) -> Figure:
    """Draw the points of a law with standard errors, hollow where left out, and the law by both fits.

    ``fit`` is what ``fit_law`` returns, or a law of a cube, such as ``results["width/widths/laws/test_error"]``. Its
    exponents are fixed (dashed), and the leading one is free (dotted), as far as these fits are justified. Of dims
    beyond those of one fit a value must have been selected. ``log`` scales x, and shows no point left out at x <= 0.
    Raises ValueError.
    """
    if not isinstance(fit, xr.Dataset) or "form" not in fit.attrs or "fitted" not in fit:
        raise ValueError("fit is no result of isobath.fit_law and no law of a cube, or has lost its attribute form")
    if lost := [dim for dim in ("fit", "parameter") if dim not in fit.dims]:
        raise ValueError(f"fit has lost the dim {lost[0]}; a law is drawn of both its fits and all its parameters")
    fit = _selected(fit, fit.y, "fit", {*fit.y.dims} - {*fit.value.dims})
    if log:
        _require_positive(fit.x[fit.fitted.values], "x")
    tree = xr.DataTree.from_dict({"laws/law": fit})
    tree.attrs["spec"] = json.dumps({"laws": {"law": {"form": json.loads(fit.attrs["form"])}}})
    with _drawing(axes) as axis:
        for part, fill in ((fit.fitted, BLUE), (~fit.fitted, "white")):
            points = {name: fit[name].values[part.values] for name in ("x", "y", "error")}
            look: dict[str, Any] = {"color": BLUE, "marker": "o", "linestyle": "none", "markerfacecolor": fill}
            axis.errorbar(points["x"], points["y"], yerr=np.nan_to_num(points["error"]), **look)
        if line := law_line(tree, "law", x="x"):
            draw_law(axis, line._replace(exponent=""), f"{line.formula}, exponents fixed")
        if line := law_line(tree, "law", free=True):
            draw_law(axis, line._replace(goodness=""), "law, exponent free", dashes=":")
        texts = {side: textwrap.fill(fit.attrs[side], LINE) for side in ("x", "y")}
        axis.set(xlabel=texts["x"], ylabel=texts["y"])
        if log:
            set_log_scale(axis, "x", texts["x"])
    return _figure(axis)


def threshold(data: xr.Dataset, *, axes: Axes | None = None) -> Figure:
    """Draw the fraction of networks that fit against N, and N* with its interval, of ``jamming_threshold``.

    Dims beyond that of the sizes must have been selected. Raises ValueError.
    """
    if not isinstance(data, xr.Dataset) or not {"fraction", "n_weights", "threshold"} <= {*data}:
        raise ValueError("data is no result of isobath.jamming_threshold: it lacks fraction, n_weights or threshold")
    data = _selected(data, data.fraction, "data", {*data.fraction.dims} - {*data.threshold.dims})
    with _drawing(axes) as axis:
        axis.plot(data.n_weights, data.fraction, color=BLUE, marker="o")
        mark_jamming(axis, data)
        axis.set_ylabel("fraction of networks that fit")
        set_log_scale(axis, "x", "number of weights N")
    return _figure(axis)


@contextmanager
def _drawing(axes: Axes | None) -> Iterator[Axes]:
    """Yield the axes of the caller, or those of a new figure, whose legend is added at the end, in the style of all."""
    if axes is not None and not isinstance(axes, Axes):
        raise ValueError(f"axes is {type(axes).__name__}; it must be one Axes of matplotlib, such as axes[0]")
    if axes is not None:
        yield axes
        return
    with style.context(["default", STYLE]):
        figure, (axis,) = panels([""])
        yield axis
        add_legend(figure, [axis], by_length=True)


def _figure(axis: Axes) -> Figure:
    figure = axis.figure
    while isinstance(figure, SubFigure):
        figure = figure.figure
    return figure


def _bars(points: xr.Dataset) -> np.ndarray:
    """Return the lengths (2, p) of bars below and above, 0 where there is no interval."""
    return np.asarray(np.nan_to_num(np.stack([points.value - points.low, points.high - points.value])))


def _color(hue: str | None, value: Any, place: int) -> Any:
    """Return the colour of a curve: that of its depth, the same in every figure, or one of three."""
    return depth_color(value) if hue == "depth" else (BLUE, ORANGE, PURPLE)[place % 3]


def _label(hue: str | None, value: Any) -> str | None:
    return None if hue is None else f"{hue} {value}"


def _name_axes(axis: Axes, x: xr.DataArray, y: xr.DataArray, *, log: bool) -> None:
    """Label both axes with the long names of their data."""
    names = {side: str(values.attrs.get("long_name", values.name)) for side, values in (("x", x), ("y", y))}
    texts = {side: textwrap.fill(name, LINE) for side, name in names.items()}
    axis.set_ylabel(texts["y"])
    if log:
        set_log_scale(axis, "x", texts["x"])
    else:
        axis.set_xlabel(texts["x"])
        if x.dtype.kind in "iu":
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
