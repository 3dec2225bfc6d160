"""Classes that a network and the ensemble mean give to a plane of inputs (Jacot, Geiger et al., Fig. 3, a sketch)."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from isobath.plotting.axes import panels
from isobath.plotting.cells import select
from isobath.plotting.legends import note_absence
from isobath.settings import Count, Index, ProtocolName, TaskName

REGIONS = {"f, f̄ < 0": "#c6dbef", "f, f̄ > 0": "#fde0c5", "f f̄ < 0: they disagree": "#8c8c8c"}
PLANES = ("plane_network", "plane_mean")


def draw(
    cube: xr.DataTree,
    *,
    task: TaskName,
    protocol: ProtocolName,
    width: Count,
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """Draw the signs of f and fbar on the plane through three test samples, and the boundaries f = 0 and fbar = 0."""
    cell: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train, "width": width}
    ensembles = select(cube, "ensembles", **cell)
    figure, (axis,) = panels([f"width h = {width}"])
    if "plane_network" not in ensembles or not np.isfinite(ensembles.plane_network).any():
        note_absence(axis, "plane of inputs")
        return figure
    single, mean = (ensembles[name].transpose("plane_row", "plane_column").values for name in PLANES)
    x, y = ensembles.plane_first.values, ensembles.plane_second.values
    region = np.where(single * mean < 0, 2, np.where(mean > 0, 1, 0))
    colors = ListedColormap(list(REGIONS.values()))
    axis.pcolormesh(x, y, region, cmap=colors, vmin=-0.5, vmax=2.5, shading="nearest", rasterized=True)
    for values, style in ((single, "-"), (mean, "--")):
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
