"""Test error against the compute of training: one large network or an ensemble of small ones (section 7).

- ``sizes``: sizes of the ensembles
"""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.figure import Figure

from isobath.plotting.axes import panels, set_log_scale
from isobath.plotting.cells import fraction_fitted, n_weights, not_diverged, select
from isobath.plotting.curves import draw_width_curve
from isobath.plotting.legends import HOLLOW, add_legends, explain
from isobath.plotting.style import BLUE, marker
from isobath.settings import Count, Index, ProtocolName, TaskName

OPERATIONS = 6  # per weight, sample and epoch: multiply and add, once forward and twice backward


def draw(
    cube: xr.DataTree,
    *,
    task: TaskName,
    protocol: ProtocolName,
    sizes: tuple[Count, ...] = (2, 5, 10, 20),
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """Draw single networks, and ensembles of those ``sizes`` that the cube has, by width, and their lower envelope."""
    cell: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train}
    networks, ensembles = select(cube, "networks", **cell), select(cube, "ensembles", **cell)
    n, fraction = n_weights(networks), fraction_fitted(networks)
    epochs = not_diverged(networks, "epochs").mean("seed").values
    operations = OPERATIONS * n * epochs * float(networks.n_train)
    curves = {1: not_diverged(networks, "test_error").mean("seed").values}
    if "ensemble_error" in ensembles:
        error = ensembles.ensemble_error.reindex(width=networks.width)
        curves |= {size: error.sel(size=size).values for size in sizes if size in error["size"].values}
    figure, (axis,) = panels([""])
    for i, (size, error) in enumerate(curves.items()):
        label = "single networks" if size == 1 else f"ensembles of {size}"
        color = BLUE if size == 1 else colormaps["viridis_r"](0.15 + 0.8 * i / max(len(curves) - 1, 1))
        draw_width_curve(axis, size * operations, error, fraction, color=color, label=label, marker=marker(i))
    spent, error = np.concatenate([size * operations for size in curves]), np.concatenate(list(curves.values()))
    order = np.argsort(spent)
    best = np.fmin.accumulate(error[order])
    axis.step(spent[order], best, where="post", color="black", label="best at this compute", zorder=2)
    set_log_scale(axis, "x", f"compute: {OPERATIONS} N × epochs × samples × n operations")
    axis.set_ylabel("test error")
    add_legends(figure, [axis], columns=2)
    explain(figure, HOLLOW)
    return figure
