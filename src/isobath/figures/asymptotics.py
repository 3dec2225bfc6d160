"""Gradient, distance of boundaries and excess error beyond jamming (Jacot, Geiger et al., Fig. 6)."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from isobath.plotting import charts
from isobath.settings import Count, Index

TITLES = ("gradient", "excess error and distance", "distance and its estimate", "excess error")
LAWS = (
    r"law $C_0 + C_1 N^{-1/4}$",
    r"law $c + D_0 \delta^2$",
    r"law $\propto$ estimate",
    r"law $E_0 N^{-1/2} + E_1 N^{-3/4}$",
)
EXCESS, DISTANCE = "excess test error ε − ε̄", "distance δ of boundaries"
LABELS = (
    (charts.WEIGHTS, "gradient ‖∇f‖"),
    (DISTANCE, EXCESS),
    ("estimate ‖f − f̄‖ / ‖∇f‖", DISTANCE),
    (charts.WEIGHTS, EXCESS),
)


def draw(
    cube: xr.DataTree,
    *,
    task: str,
    protocol: str,
    laws: tuple[str, str, str, str] | None = None,
    gradient: tuple[float, float] | None = None,
    excess: tuple[float, float] | None = None,
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """The four panels, ``laws`` in their order; ``gradient`` (C0, C1) and ``excess`` (E0, E1) as published.

    Dots are networks, the line their median in (a) and means elsewhere.
    """
    at: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train}
    networks, ensembles = charts.cells(cube, "networks", **at), charts.cells(cube, "ensembles", **at)
    figure, axes = charts.panels(TITLES)
    if "gradient_norm" not in ensembles:
        for axis in axes:
            charts.absent(axis, "gradients")
        return figure
    ensembles = ensembles.reindex(width=networks.width)
    n, fraction = charts.n_weights(networks), charts.fraction_fitted(networks)
    means = ensembles[["excess_error", "distance", "distance_estimate"]].mean("seed")
    means = means.where(means > 0)  # an excess that is noise may be negative, and has no logarithm
    median = ensembles.gradient_norm.median("seed")
    look = {"color": charts.BLUE, "linestyle": "none"}
    gap, estimate = means.distance.values, means.distance_estimate.values
    charts.dots(axes[0], n, ensembles.gradient_norm, charts.BLUE)
    charts.width_curve(axes[0], n, median, fraction, color=charts.BLUE, label="median")
    charts.width_curve(axes[1], gap, means.excess_error, fraction, label="mean of a width", **look)
    charts.width_curve(axes[2], estimate, gap, fraction, label="mean of a width", **look)
    charts.width_curve(axes[3], n, means.excess_error, fraction, color=charts.BLUE, label="mean")
    for axis, law, words in zip(axes, laws or [None] * 4, LAWS, strict=True):
        charts.draw_law(axis, charts.law_line(cube, law, **at), words)
    for axis, numbers, powers in ((axes[0], gradient, (0, -0.25)), (axes[3], excess, (-0.5, -0.75))):
        terms = list(zip(numbers, powers, strict=True)) if numbers else None
        charts.published(axis, terms, np.nanmin(n), np.nanmax(n))
        charts.mark_jamming(axis, charts.cells(cube, "jamming", **at))
    for axis, (x_label, y_label) in zip(axes, LABELS, strict=True):
        charts.log_scale(axis, "x", x_label)
        charts.log_scale(axis, "y", y_label)
    charts.legends(figure, axes)
    charts.explain(figure, charts.HOLLOW)
    return figure
