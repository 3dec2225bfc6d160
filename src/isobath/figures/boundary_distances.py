"""The distance of boundaries against its estimates (Jacot, Geiger et al., Fig. 10; the second panel is ours)."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from isobath.plotting import charts
from isobath.settings import Count, Index


def draw(
    cube: xr.DataTree,
    *,
    task: str,
    protocol: str,
    width: Count | None = None,
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """(a) ensembles of one width, by size: eq. 2 against its estimate; (b) networks, along the gradient."""
    at: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train, "width": width}
    ensembles = charts.cells(cube, "ensembles", **at)
    if width is None and "width" in ensembles.dims:
        ensembles = ensembles.isel(width=0)
    figure, axes = charts.panels(["ensembles", "single networks"])
    if "ensemble_distance" not in ensembles:
        for axis in axes:
            charts.absent(axis, "distances of ensembles")
        return figure
    shown = ensembles[["ensemble_distance", "ensemble_distance_estimate"]].stack(one=("size", "subset"))
    x, y = shown.ensemble_distance_estimate.values, shown.ensemble_distance.values
    largest = int(ensembles["size"].max())
    points = axes[0].scatter(
        x, y, c=shown["size"].values, s=7, norm=LogNorm(1, largest), cmap="viridis", linewidths=0, zorder=2
    )
    ticks = [size for size in (1, 2, 5, 10, 20, 50, 100) if size <= largest]
    bar = figure.colorbar(points, ax=axes[0], label="networks n in an ensemble", ticks=ticks, format="{x:g}")
    bar.ax.minorticks_off()
    own, along = ensembles.distance.values, ensembles.distance_along_gradient.values
    axes[1].plot(along, own, "o", color=charts.BLUE, linestyle="none", label="one network")
    for axis, xs, ys in ((axes[0], x, y), (axes[1], along, own)):
        _identity(axis, xs, ys)
        charts.log_scale(axis, "y", "distance δ of boundaries, eq. 2")
    charts.log_scale(axes[0], "x", "estimate ‖f − f̄‖ / ‖∇f‖")
    charts.log_scale(axes[1], "x", "distance found along the gradient")
    charts.legends(figure, axes)
    return figure


def _identity(axis: Axes, x: np.ndarray, y: np.ndarray) -> None:
    seen = np.concatenate([x, y])
    seen = seen[np.isfinite(seen) & (seen > 0)]
    if len(seen):
        ends = [seen.min(), seen.max()]
        axis.plot(ends, ends, "-", color="black", linewidth=0.8, label="equal", zorder=3)
