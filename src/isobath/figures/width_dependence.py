"""Test and training error against the number of weights or the width (Jacot, Geiger et al., Figs 2 and 8)."""

from typing import Any, Literal

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.plotting import charts
from isobath.settings import Count, Index


def draw(
    cube: xr.DataTree,
    *,
    task: str,
    protocol: str,
    axis: Literal["n_weights", "width"] = "n_weights",
    law: str | None = None,
    published: tuple[float, float, float] | None = None,
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """(a) single networks, early stopping and ensembles, with N*, the law and ``published`` (eps_inf, B0, B1).

    (b) the training error and the fraction of networks that fit. ``published`` needs N on the axis.
    """
    at: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train}
    networks, jamming = charts.cells(cube, "networks", **at), charts.cells(cube, "jamming", **at)
    n = charts.n_weights(networks)
    x = n if axis == "n_weights" else np.where(np.isnan(n), np.nan, networks.width)
    figure, (errors, fits) = charts.panels(["test error", "training error and fraction fitted"])
    _test_errors(errors, networks, charts.cells(cube, "ensembles", **at), x)
    line = charts.law_line(cube, law, **at)
    if axis == "n_weights":
        charts.draw_law(errors, line, r"law $\epsilon_\infty + B_0 N^{-1/2} + B_1 N^{-3/4}$")
        terms = list(zip(published, (0, -0.5, -0.75), strict=True)) if published else None
        charts.published(errors, terms, np.nanmin(n), np.nanmax(n))
    fraction = _training(fits, networks, x)
    for panel in (errors, fits):
        charts.mark_jamming(panel, jamming, lambda number: _place(float(number), n, x))
        charts.log_scale(panel, "x", charts.WEIGHTS if axis == "n_weights" else "width h")
    charts.legend(figure, [errors, fits, fraction])
    charts.explain(figure, charts.HOLLOW)
    return figure


def _test_errors(axis: Axes, networks: xr.Dataset, ensembles: xr.Dataset, x: np.ndarray) -> None:
    fraction = charts.fraction_fitted(networks)
    errors = charts.trained(networks, "test_error")
    charts.dots(axis, x, errors, charts.BLUE)
    charts.width_curve(axis, x, errors.mean("seed"), fraction, color=charts.BLUE, label="single networks")
    if "early_stopping_error" in networks:
        early = charts.trained(networks, "early_stopping_error").mean("seed")
        charts.width_curve(axis, x, early, fraction, color=charts.GREEN, label="early stopping", marker="s")
    if "ensemble_error" in ensembles:
        error = ensembles.ensemble_error
        largest = error["size"].where(error.notnull()).max("size")  # fewer networks where some diverged
        every = error.where(error["size"] == largest).max("size").reindex(width=networks.width)
        limit = ensembles.limit_error.reindex(width=networks.width)
        label = f"ensembles of n = {int(largest.max().fillna(0))}"
        charts.width_curve(axis, x, every, fraction, color=charts.ORANGE, label=label, marker="D")
        axis.plot(x, limit, ":", color=charts.ORANGE, label="n → ∞, extrapolated", zorder=2)
    axis.set_ylabel("test error")


def _training(axis: Axes, networks: xr.Dataset, x: np.ndarray) -> Axes:
    """The training error, and on an axis of its own, returned, the fraction of networks that fit."""
    fraction, right = charts.fraction_fitted(networks), axis.twinx()
    error = charts.trained(networks, "train_error").mean("seed")
    right.plot(x, fraction, "-", color=charts.GREY, marker=".", label="fraction fitted (right)")
    right.set(ylim=(-0.03, 1.03), ylabel="fraction of networks fitted")
    right.grid(visible=False)
    charts.width_curve(axis, x, error, fraction, color=charts.BLUE, label="single networks")
    axis.set_ylabel("training error")
    return right


def _place(number: float, n: np.ndarray, x: np.ndarray) -> float:
    """Where N lies on the axis x (w,) of networks of sizes n (w,), NaN outside of it."""
    if x is n:
        return number
    there = np.isfinite(n)
    place = np.interp(np.log(number), np.log(n[there]), np.log(x[there]), left=np.nan, right=np.nan)
    return float(np.exp(place))
