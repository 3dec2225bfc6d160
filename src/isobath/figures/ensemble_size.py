"""Excess error and distance of boundaries against the size of ensembles (Jacot, Geiger et al., Fig. 4)."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.plotting.axes import panels, set_log_scale
from isobath.plotting.cells import ensembles_of_one_width, select
from isobath.plotting.laws import draw_law, law_group, law_line
from isobath.plotting.legends import add_legends, explain, join, networks_shown, note_absence
from isobath.plotting.style import BLUE
from isobath.settings import Count, Index, LawName, ProtocolName, TaskName

EXCESS, DISTANCE, SIZE = "excess test error", "distance δ of boundaries", "networks n in an ensemble"
MARKS = (
    "hollow: left out of the fit · excess error: less the constant of the law in its panel, or the limit of large "
    "ensembles without one · sizes share networks, so that no law has a p-value · bars: standard errors over networks, "
    "cut off at the frame"
)
VARIABLES = ("n", "n", r"\delta")  # of the laws
Estimates = tuple[np.ndarray, np.ndarray]


def draw(
    cube: xr.DataTree,
    *,
    task: TaskName,
    protocol: ProtocolName,
    laws: tuple[LawName, LawName, LawName] | None = None,
    width: Count | None = None,
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """Draw (a) error against n, (b) distance against n, (c) error against distance, with ``laws`` in this order.

    All are of one ``width``, by default the first. Excess errors are errors less the constant of their law, or less
    the limit of large ensembles if no law was fitted. Bars are standard errors over networks; points outside the
    range of a law's fit are hollow.
    """
    ensembles, cell = ensembles_of_one_width(
        cube, task=task, protocol=protocol, depth=depth, n_train=n_train, width=width
    )
    figure, axes = panels(["excess error", "distance", "excess error and distance"], columns=3)
    if "distance_pseudo" not in ensembles:
        for axis in axes:
            note_absence(axis, "distances of ensembles")
        return figure
    size = (ensembles["size"].values.astype(float), np.zeros(ensembles.sizes["size"]))
    distance = _estimates(ensembles.distance_pseudo)
    lines = [law_line(cube, law, x=x, **cell) for law, x in zip(laws or [None] * 3, VARIABLES, strict=True)]
    bases = [line.constant if line else float(ensembles.limit_error) for line in lines]
    first, last = (_estimates(ensembles.ensemble_error_pseudo - base) for base in (bases[0], bases[2]))
    curves = [(size, first, SIZE, EXCESS), (size, distance, SIZE, DISTANCE), (distance, last, DISTANCE, EXCESS)]
    for i, (axis, (x, y, x_label, y_label), line) in enumerate(zip(axes, curves, lines, strict=True)):
        _points(axis, x, y, law_group(cube, laws[i] if laws else None, **cell))
        draw_law(axis, line and line._replace(y=line.y - line.constant))
        set_log_scale(axis, "x", x_label)
        set_log_scale(axis, "y", y_label)
    add_legends(figure, axes)
    explain(figure, join(networks_shown(select(cube, "networks", **cell)), MARKS))
    return figure


def _estimates(pseudo: xr.DataArray) -> Estimates:
    """Return mean and standard error over networks of pseudo-values (seed, size); NaN where the mean is not > 0."""
    mean, error = pseudo.mean("seed"), pseudo.std("seed", ddof=1) / np.sqrt(pseudo.count("seed").clip(min=1))
    return mean.where(mean > 0).values, error.where(mean > 0).values


def _points(axis: Axes, x: Estimates, y: Estimates, law: xr.Dataset) -> None:
    """Draw points with bars. The limits fit the points: bars are long where few ensembles differ, and are cut off."""
    fitted = law.fitted.values if law else np.ones(len(x[0]), dtype=bool)
    look: dict[str, Any] = {"fmt": "o", "color": BLUE, "elinewidth": 0.6, "capsize": 0}
    for chosen, face in ((fitted, BLUE), (~fitted, "white")):
        bars = {"xerr": x[1][chosen] if x[1].any() else None, "yerr": y[1][chosen]}
        axis.errorbar(x[0][chosen], y[0][chosen], **bars, markerfacecolor=face, **look)
    for values, limit in ((x[0], axis.set_xlim), (y[0], axis.set_ylim)):
        if np.isfinite(values).any():
            limit(np.nanmin(values) / 1.5, np.nanmax(values) * 1.5)
