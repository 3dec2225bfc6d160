"""The norm of the output beyond the jamming transition (Jacot, Geiger et al., Fig. 7)."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.plotting import charts
from isobath.settings import Count, Index

LAW = r"law of ‖f‖ $\propto (N - N_0)^{-1}$, squared"
BEYOND = 1 + 1e-9  # N* may be one of the sizes, to rounding
SLOPE = -2  # of ||f||^2 against the distance from N*, section 6
SETS = (("train_norm", "training set", charts.GREEN, "s"), ("test_norm", "test set", charts.BLUE, "o"))


def draw(
    cube: xr.DataTree,
    *,
    task: str,
    protocol: str,
    law: str | None = None,
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """(a) ||f||^2 on the training and the test set against N; (b) at the steps of ``law`` against N / N* - 1."""
    at: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train}
    networks, jamming = charts.cells(cube, "networks", **at), charts.cells(cube, "jamming", **at)
    n, fraction = charts.n_weights(networks), charts.fraction_fitted(networks)
    figure, axes = charts.panels(["at the end of training", "on the way, beyond N*"])
    for name, label, color, marker in SETS:
        square = (charts.trained(networks, name) ** 2).mean("seed")
        charts.width_curve(axes[0], n, square, fraction, color=color, label=label, marker=marker)
    charts.mark_jamming(axes[0], jamming)
    charts.log_scale(axes[0], "x", charts.WEIGHTS)
    threshold = float(jamming.threshold) if jamming else np.nan
    if "recorded_test_norm" in networks and (n > threshold * BEYOND).any():
        _divergence(axes[1], cube, networks, threshold, law, at)
    else:
        charts.absent(axes[1], "norms beyond N*")
    charts.log_scale(axes[1], "x", "N / N* − 1")
    for axis in axes:
        charts.log_scale(axis, "y", "norm of the output ‖f‖²")
    charts.legends(figure, axes)
    charts.explain(figure, charts.HOLLOW)
    return figure


def _divergence(
    axis: Axes, cube: xr.DataTree, networks: xr.Dataset, threshold: float, law: str | None, at: dict[str, Any]
) -> None:
    fitted = charts.cells(cube, f"laws/{law}", **at)
    steps = fitted.step.values.ravel() if fitted and "step" in fitted.coords else networks.step.values[-1:]
    n, fraction = charts.n_weights(networks), charts.fraction_fitted(networks)
    x = np.where(n > threshold * BEYOND, n / threshold - 1, np.nan)
    squares = (charts.trained(networks, "recorded_test_norm").sel(step=steps) ** 2).mean("seed")
    for i, step in enumerate(steps):
        color = colormaps["viridis"](0.85 * i / max(len(steps) - 1, 1))
        values = squares.sel(step=step)
        charts.width_curve(axis, x, values, fraction, color=color, label=f"after {step} epochs")
        line = charts.law_line(cube, law, **at, step=step)
        if line is not None:
            axis.plot(
                line.x / threshold - 1,
                line.y**2,
                "--",
                color=color,
                label=LAW if step == steps[-1] else None,
                linewidth=0.9,
            )
    first, top = np.nanmin(x), float(values.values[np.nanargmin(x)])
    reach = np.array([1.0, 4.0])
    axis.plot(first * reach, 1.5 * top * reach**SLOPE, color="black", label=f"slope −{-SLOPE}, for the eye")
