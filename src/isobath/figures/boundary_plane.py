"""How a network and the mean of all classify a plane of inputs (Jacot, Geiger et al., Fig. 3, there a sketch)."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from isobath.plotting import charts
from isobath.settings import Count, Index

REGIONS = {"f, f̄ < 0": "#c6dbef", "f, f̄ > 0": "#fde0c5", "f f̄ < 0: they disagree": "#8c8c8c"}
PLANES = ("plane_network", "plane_mean")


def draw(
    cube: xr.DataTree,
    *,
    task: str,
    protocol: str,
    width: Count,
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """Signs of f and fbar on the plane of three test samples, and the boundaries f = 0 and fbar = 0."""
    at: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train, "width": width}
    ensembles = charts.cells(cube, "ensembles", **at)
    figure, (axis,) = charts.panels([f"width h = {width}"])
    if "plane_network" not in ensembles or not np.isfinite(ensembles.plane_network).any():
        charts.absent(axis, "plane of inputs")
        return figure
    own, mean = (ensembles[name].transpose("plane_row", "plane_column").values for name in PLANES)
    x, y = ensembles.plane_first.values, ensembles.plane_second.values
    region = np.where(own * mean < 0, 2, np.where(mean > 0, 1, 0))
    colors = ListedColormap(list(REGIONS.values()))
    axis.pcolormesh(x, y, region, cmap=colors, vmin=-0.5, vmax=2.5, shading="nearest", rasterized=True)
    for values, style in ((own, "-"), (mean, "--")):
        if values.min() < 0 < values.max():
            axis.contour(x, y, values, levels=[0], colors="black", linewidths=1.1, linestyles=style)
    corners = ensembles.plane_corners.transpose("corner", "axis").values
    axis.plot(*corners.T, "o", color="white", markeredgecolor="black", linestyle="none", zorder=4)
    axis.set(xlabel="first direction of the plane", ylabel="second direction", aspect="equal")
    axis.grid(visible=False)
    lines = [
        Line2D([], [], color="black", linestyle="-", label="f = 0"),
        Line2D([], [], color="black", linestyle="--", label="f̄ = 0"),
    ]
    points = Line2D([], [], marker="o", linestyle="none", color="white", markeredgecolor="black", label="test samples")
    patches = [Patch(color=color, label=label) for label, color in REGIONS.items()]
    figure.legend(handles=[*patches, *lines, points], loc="outside lower center", ncols=2)
    return figure
