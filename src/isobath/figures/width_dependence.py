"""Test and training error against the number of weights or the width (Jacot, Geiger et al., Figs 2 and 8).

- ``axis``: the number of weights N or the width
- ``chance``: accuracy of guessing, to be marked
"""

from typing import Any, Literal

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.plotting.axes import WEIGHTS, panels, set_log_scale
from isobath.plotting.cells import fraction_fitted, n_weights, not_diverged, select, width_label
from isobath.plotting.curves import draw_dots, draw_width_curve
from isobath.plotting.laws import draw_law, draw_published, law_line, mark_jamming
from isobath.plotting.legends import HOLLOW, add_legend, explain
from isobath.plotting.style import BLUE, GREEN, GREY, ORANGE
from isobath.settings import Count, Fraction, Index, LawName, ProtocolName, TaskName

SWEPT = False
WIDTHS = {"width": "width h", "channels": "channels f"}  # as the source calls them
NEEDS = {"law": {"axis": "n_weights"}, "published": {"axis": "n_weights"}}


def draw(
    cube: xr.DataTree,
    *,
    task: TaskName,
    protocol: ProtocolName,
    axis: Literal["n_weights", "width"] = "n_weights",
    law: LawName | None = None,
    published: tuple[float, float, float] | None = None,
    chance: Fraction | None = None,
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """Draw (a) the test error, (b) the training error and the fraction of networks that fit, against N or the width.

    (a) has single networks, early stopping and ensembles, N*, the law, and the ``published`` fit (eps_inf, B0, B1).
    The law and the fit are drawn against N alone. ``chance`` is the accuracy of guessing, whose error is marked.
    """
    cell: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train}
    networks, jamming = select(cube, "networks", **cell), select(cube, "jamming", **cell)
    n = n_weights(networks)
    x = n if axis == "n_weights" else np.where(np.isnan(n), np.nan, networks.width)
    figure, (errors, fits) = panels(["test error", "training error and fraction fitted"])
    _test_errors(errors, networks, select(cube, "ensembles", **cell), x)
    if chance is not None:
        errors.axhline(1 - chance, color=GREY, linewidth=0.6, label="guessing")
    line = law_line(cube, law, **cell)
    if axis == "n_weights":
        draw_law(errors, line)
        terms = list(zip(published, (0, -0.5, -0.75), strict=True)) if published else None
        draw_published(errors, terms, np.nanmin(n), np.nanmax(n))
    fraction = _training(fits, networks, x)
    for panel in (errors, fits):
        mark_jamming(panel, jamming, lambda number: _place(float(number), n, x))
        set_log_scale(panel, "x", WEIGHTS if axis == "n_weights" else WIDTHS.get(units := width_label(networks), units))
    add_legend(figure, [errors, fits, fraction])
    explain(figure, HOLLOW)
    return figure


def _test_errors(axis: Axes, networks: xr.Dataset, ensembles: xr.Dataset, x: np.ndarray) -> None:
    fraction = fraction_fitted(networks)
    errors = not_diverged(networks, "test_error")
    draw_dots(axis, x, errors, BLUE)
    draw_width_curve(axis, x, errors.mean("seed"), fraction, color=BLUE, label="single networks")
    if "early_stopping_error" in networks:
        early = not_diverged(networks, "early_stopping_error").mean("seed")
        draw_width_curve(axis, x, early, fraction, color=GREEN, label="early stopping", marker="s")
    if "ensemble_error" in ensembles:
        error = ensembles.ensemble_error
        largest = error["size"].where(error.notnull()).max("size")  # smaller at a width where networks diverged
        every = error.where(error["size"] == largest).max("size").reindex(width=networks.width)
        limit = ensembles.limit_error.reindex(width=networks.width)
        label = f"ensembles of n = {int(largest.max().fillna(0))}"
        draw_width_curve(axis, x, every, fraction, color=ORANGE, label=label, marker="D")
        axis.plot(x, limit, ":", color=ORANGE, label="n → ∞, extrapolated", zorder=2)
    axis.set_ylabel("test error")


def _training(axis: Axes, networks: xr.Dataset, x: np.ndarray) -> Axes:
    """Draw the training error, and the fraction of networks that fit on a second y axis, which is returned."""
    fraction, right = fraction_fitted(networks), axis.twinx()
    error = not_diverged(networks, "train_error").mean("seed")
    right.plot(x, fraction, "-", color=GREY, marker=".", label="fraction fitted (right)")
    right.set(ylim=(-0.03, 1.03), ylabel="fraction of networks fitted")
    right.grid(visible=False)
    draw_width_curve(axis, x, error, fraction, color=BLUE, label="single networks")
    axis.set_ylabel("training error")
    return right


def _place(number: float, n: np.ndarray, x: np.ndarray) -> float:
    """Return the place of N on the axis x (w,) of networks of sizes n (w,); NaN outside of it."""
    if x is n:
        return number
    trained = np.isfinite(n)
    place = np.interp(np.log(number), np.log(n[trained]), np.log(x[trained]), left=np.nan, right=np.nan)
    return float(np.exp(place))
