"""Test error at a training compute: one large network or an ensemble of small ones (section 7; no figure there)."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.figure import Figure

from isobath.plotting import charts
from isobath.settings import Count, Index

OPERATIONS = 6  # per weight, sample and epoch: a multiplication and an addition, forward and twice backward


def draw(
    cube: xr.DataTree,
    *,
    task: str,
    protocol: str,
    sizes: tuple[Count, ...] = (2, 5, 10, 20),
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """Single networks and ensembles of ``sizes`` that the cube has, a point per width, and their lower envelope."""
    at: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train}
    networks, ensembles = charts.cells(cube, "networks", **at), charts.cells(cube, "ensembles", **at)
    n, fraction = charts.n_weights(networks), charts.fraction_fitted(networks)
    epochs = charts.trained(networks, "epochs").mean("seed").values
    one = OPERATIONS * n * epochs * float(networks.n_train)
    curves = {1: charts.trained(networks, "test_error").mean("seed").values}
    if "ensemble_error" in ensembles:
        error = ensembles.ensemble_error.reindex(width=networks.width)
        curves |= {size: error.sel(size=size).values for size in sizes if size in error["size"].values}
    figure, (axis,) = charts.panels([""])
    for i, (size, error) in enumerate(curves.items()):
        label = "single networks" if size == 1 else f"ensembles of {size}"
        color = charts.BLUE if size == 1 else colormaps["viridis_r"](0.15 + 0.8 * i / max(len(curves) - 1, 1))
        charts.width_curve(axis, size * one, error, fraction, color=color, label=label, marker=charts.MARKERS[i % 8])
    spent, error = np.concatenate([size * one for size in curves]), np.concatenate(list(curves.values()))
    order = np.argsort(spent)
    best = np.fmin.accumulate(error[order])
    axis.step(spent[order], best, where="post", color="black", label="best at this compute", zorder=2)
    charts.log_scale(axis, "x", f"compute: {OPERATIONS} N × epochs × samples × n operations")
    axis.set_ylabel("test error")
    charts.legends(figure, [axis], columns=2)
    charts.explain(figure, charts.HOLLOW)
    return figure
