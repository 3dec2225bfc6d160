"""Norm of the output beyond the jamming transition (Jacot, Geiger et al., Fig. 7)."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from isobath.plotting.axes import WEIGHTS, panels, set_log_scale
from isobath.plotting.cells import fraction_fitted, n_weights, not_diverged, select
from isobath.plotting.curves import draw_width_curve
from isobath.plotting.laws import law_group, law_line, mark_jamming
from isobath.plotting.legends import HOLLOW, add_legends, explain, note_absence
from isobath.plotting.style import BLUE, GREEN
from isobath.settings import Count, Index, LawName, ProtocolName, TaskName

READS = ("recorded_test_norm",)
BEYOND = 1 + 1e-9  # N* may be one of the sizes, up to rounding
SLOPE = -2  # of ||f||^2 against the distance from N*, section 6
REACH, ABOVE = 2.5, 1.5  # factors by which the line of that slope extends, and lies above the curves
SETS = (("train_norm", "training set", GREEN, "s"), ("test_norm", "test set", BLUE, "o"))


def draw(
    cube: xr.DataTree,
    *,
    task: TaskName,
    protocol: ProtocolName,
    law: LawName | None = None,
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """Draw ||f||^2 (a) of the training and the test set against N; (b) at the steps of ``law`` against N / N* - 1."""
    cell: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train}
    networks, jamming = select(cube, "networks", **cell), select(cube, "jamming", **cell)
    n, fraction = n_weights(networks), fraction_fitted(networks)
    figure, axes = panels(["at the end of training", "on the way, test set, beyond N*"])
    for name, label, color, marker in SETS:
        square = (not_diverged(networks, name) ** 2).mean("seed")
        draw_width_curve(axes[0], n, square, fraction, color=color, label=label, marker=marker)
    mark_jamming(axes[0], jamming)
    set_log_scale(axes[0], "x", WEIGHTS)
    threshold = float(jamming.threshold) if jamming else np.nan
    if "recorded_test_norm" in networks and (n > threshold * BEYOND).any():
        _divergence(axes[1], cube, networks, threshold, law, cell)
    else:
        note_absence(axes[1], "norms beyond N*")
    set_log_scale(axes[1], "x", "N / N* − 1")
    for axis in axes:
        set_log_scale(axis, "y", "squared norm of the output ‖f‖²")
    add_legends(figure, axes)
    explain(figure, HOLLOW)
    return figure


def _divergence(
    axis: Axes, cube: xr.DataTree, networks: xr.Dataset, threshold: float, law: str | None, cell: dict[str, Any]
) -> None:
    fitted = law_group(cube, law, **cell)
    steps = fitted.step.values.ravel() if fitted and "step" in fitted.coords else networks.step.values[-1:]
    n, fraction = n_weights(networks), fraction_fitted(networks)
    x = np.where(n > threshold * BEYOND, n / threshold - 1, np.nan)
    squares = (not_diverged(networks, "recorded_test_norm").sel(step=steps) ** 2).mean("seed")
    for i, step in enumerate(steps):
        color = colormaps["viridis"](0.85 * i / max(len(steps) - 1, 1))
        values = squares.sel(step=step)
        line = law_line(cube, law, **cell, step=step)
        remark = (line and line.goodness) or ("no law fitted" if law and line is None else "")
        words = ", ".join(filter(None, (f"after {step} epochs", remark)))
        draw_width_curve(axis, x, values, fraction, color=color, label=words)
        if line is not None:
            label = f"{line.of('‖f‖')}, squared" if step == steps[-1] else None
            axis.plot(line.x / threshold - 1, line.y**2, "--", color=color, label=label, linewidth=0.9)
    _slope(axis, float(np.nanmin(x)))


def _slope(axis: Axes, nearest: float) -> None:
    """Draw the slope of the theory above all lines of the panel, from the ``nearest`` distance from N* on."""
    reach = np.geomspace(nearest, REACH * nearest, 100)
    heights = [_between(line, reach) * reach**-SLOPE for line in axis.get_lines()]
    ends = np.array([nearest, REACH * nearest])
    axis.plot(ends, ABOVE * np.nanmax(heights) * ends**SLOPE, color="black", label=f"slope −{-SLOPE}, for the eye")


def _between(line: Line2D, x: np.ndarray) -> np.ndarray:
    """Return the height of a line at x (p,), as logarithmic axes draw it between its points; NaN beyond its ends."""
    points = np.asarray(line.get_xydata(), dtype=float)
    points = np.log(points[np.isfinite(points).all(1) & (points > 0).all(1)])
    if not len(points):
        return np.full(len(x), np.nan)
    places, heights = points[points[:, 0].argsort()].T
    return np.asarray(np.exp(np.interp(np.log(x), places, heights, left=np.nan, right=np.nan)))
