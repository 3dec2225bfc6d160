"""Distance of decision boundaries against its estimates (Jacot, Geiger et al., Fig. 10; the paper has no panel (b))."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from isobath.plotting.axes import panels, set_log_scale
from isobath.plotting.cells import ensembles_of_one_width, select
from isobath.plotting.legends import add_legends, explain, join, networks_shown, note_absence
from isobath.plotting.style import BLUE
from isobath.settings import Count, Index, ProtocolName, TaskName


def draw(
    cube: xr.DataTree,
    *,
    task: TaskName,
    protocol: ProtocolName,
    width: Count | None = None,
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """Draw (a) the distance of eq. 2 against its estimate, by size of ensemble; (b) the distance along the gradient.

    Both panels are of one ``width``, by default the first.
    """
    ensembles, cell = ensembles_of_one_width(
        cube, task=task, protocol=protocol, depth=depth, n_train=n_train, width=width
    )
    figure, axes = panels(["ensembles", "single networks"])
    if "ensemble_distance" not in ensembles:
        for axis in axes:
            note_absence(axis, "distances of ensembles")
        return figure
    pairs = ensembles[["ensemble_distance", "ensemble_distance_estimate"]].stack(ensemble=("size", "subset"))
    x, y = pairs.ensemble_distance_estimate.values, pairs.ensemble_distance.values
    largest = int(ensembles["size"].max())
    points = axes[0].scatter(
        x, y, c=pairs["size"].values, s=7, norm=LogNorm(1, largest), cmap="viridis", linewidths=0, zorder=2
    )
    ticks = [size for size in (1, 2, 5, 10, 20, 50, 100) if size <= largest]
    bar = figure.colorbar(points, ax=axes[0], label="networks n in an ensemble", ticks=ticks, format="{x:g}")
    bar.ax.minorticks_off()
    distance, along = ensembles.distance.values, ensembles.distance_along_gradient.values
    axes[1].plot(along, distance, "o", color=BLUE, linestyle="none", label="one network")
    for axis, xs, ys in ((axes[0], x, y), (axes[1], along, distance)):
        _identity(axis, xs, ys)
        set_log_scale(axis, "y", "distance δ of boundaries, eq. 2")
    set_log_scale(axes[0], "x", "estimate ‖f − f̄‖ / ‖∇f‖")
    set_log_scale(axes[1], "x", "distance found along the gradient")
    add_legends(figure, axes)
    drawn = f"(a) up to {ensembles.sizes['subset']} ensembles of each size, drawn from the networks"
    explain(figure, join(networks_shown(select(cube, "networks", **cell)), drawn))
    return figure


def _identity(axis: Axes, x: np.ndarray, y: np.ndarray) -> None:
    values = np.concatenate([x, y])
    values = values[np.isfinite(values) & (values > 0)]
    if len(values):
        ends = [values.min(), values.max()]
        axis.plot(ends, ends, "-", color="black", linewidth=0.8, label="equal", zorder=3)
