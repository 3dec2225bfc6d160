"""Gradient, distance of boundaries and excess error beyond jamming (Jacot, Geiger et al., Fig. 6).

- ``gradient``: C0 and C1 of the source
- ``excess``: E0 and E1 of the source
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.plotting.axes import WEIGHTS, panels, set_log_scale
from isobath.plotting.cells import fraction_fitted, n_weights, select
from isobath.plotting.curves import draw_dots, draw_width_curve
from isobath.plotting.laws import draw_law, draw_published, law_line, mark_jamming
from isobath.plotting.legends import HOLLOW, add_legends, explain, note_absence
from isobath.plotting.style import BLUE
from isobath.settings import Count, Index, LawName, ProtocolName, TaskName

TITLES = ("gradient", "excess error and distance", "distance and its estimate", "excess error")
VARIABLES = ("N", r"\delta", r"\mathrm{estimate}", "N")  # of the laws
EXCESS, DISTANCE = "excess test error ε − ε̄", "distance δ of boundaries"
LABELS = (
    (WEIGHTS, "gradient ‖∇f‖"),
    (DISTANCE, EXCESS),
    ("estimate ‖f − f̄‖ / ‖∇f‖", DISTANCE),
    (WEIGHTS, EXCESS),
)


def draw(
    cube: xr.DataTree,
    *,
    task: TaskName,
    protocol: ProtocolName,
    laws: tuple[LawName, LawName, LawName, LawName] | None = None,
    gradient: tuple[float, float] | None = None,
    excess: tuple[float, float] | None = None,
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """Draw the four panels with ``laws`` in their order, and the published ``gradient`` (C0, C1), ``excess`` (E0, E1).

    Dots are networks; the line is their median in (a), and points are means elsewhere.
    """
    cell: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train}
    networks, ensembles = select(cube, "networks", **cell), select(cube, "ensembles", **cell)
    figure, axes = panels(TITLES)
    if "gradient_norm" not in ensembles:
        for axis in axes:
            note_absence(axis, "gradients")
        return figure
    _draw_widths(axes, networks, ensembles.reindex(width=networks.width))
    n = n_weights(networks)
    for axis, law, x in zip(axes, laws or [None] * 4, VARIABLES, strict=True):
        draw_law(axis, law_line(cube, law, x=x, **cell))
    for axis, numbers, powers in ((axes[0], gradient, (0, -0.25)), (axes[3], excess, (-0.5, -0.75))):
        terms = list(zip(numbers, powers, strict=True)) if numbers else None
        draw_published(axis, terms, np.nanmin(n), np.nanmax(n))
        mark_jamming(axis, select(cube, "jamming", **cell))
    for axis, (x_label, y_label) in zip(axes, LABELS, strict=True):
        set_log_scale(axis, "x", x_label)
        set_log_scale(axis, "y", y_label)
    add_legends(figure, axes)
    explain(figure, HOLLOW)
    return figure


def _draw_widths(axes: Sequence[Axes], networks: xr.Dataset, ensembles: xr.Dataset) -> None:
    """Draw the curve of each panel over widths, and the gradients of networks as dots."""
    n, fraction = n_weights(networks), fraction_fitted(networks)
    means = ensembles[["excess_error", "distance", "distance_estimate"]].mean("seed")
    means = means.where(means > 0)  # noise can make an excess negative, and then it has no logarithm
    median = ensembles.gradient_norm.median("seed")
    look = {"color": BLUE, "linestyle": "none"}
    gap, estimate = means.distance.values, means.distance_estimate.values
    draw_dots(axes[0], n, ensembles.gradient_norm, BLUE)
    draw_width_curve(axes[0], n, median, fraction, color=BLUE, label="median")
    draw_width_curve(axes[1], gap, means.excess_error, fraction, label="mean of a width", **look)
    draw_width_curve(axes[2], estimate, gap, fraction, label="mean of a width", **look)
    draw_width_curve(axes[3], n, means.excess_error, fraction, color=BLUE, label="mean")
