"""Accuracy against width and against parameters, a curve per depth (Malach & Shalev-Shwartz, Figs 4, 6 and 7)."""

from itertools import product

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.selection import RULES, accuracies
from isobath.plotting import charts
from isobath.settings import Fraction

AXES = {"width": "width", "n_parameters": "number of parameters"}
MARKS = "bars: standard deviation over networks"


def draw(cube: xr.DataTree, *, task: str, protocol: str, chance: Fraction = 0.5) -> Figure:
    """A column per rule by which an accuracy is quoted; above against the width, below against the parameters."""
    networks = charts.cells(cube, "networks", task=task, protocol=protocol, depth=...)
    figure, axes = charts.panels([rule for _, rule in product(AXES, RULES)])
    for axis, (along, rule) in zip(axes, product(AXES, RULES), strict=True):
        _curves(axis, networks, rule, along)
        if along == "width":
            charts.log_ticks(axis, networks.width.values, AXES[along])
        else:
            charts.log_scale(axis, "x", AXES[along])
    charts.accuracy_axes(axes, chance)
    charts.legend(figure, axes)
    charts.explain(figure, MARKS)
    return figure


def _curves(axis: Axes, networks: xr.Dataset, rule: str, along: str) -> None:
    """Points are means over networks; nothing where nothing was trained."""
    accuracy, size = accuracies(networks, rule), networks[along]
    size = size.max([dim for dim in size.dims if dim not in ("depth", "width")])
    for depth in accuracy.depth.values:
        points = accuracy.sel(depth=depth).dropna("width", how="all")
        x = (size.sel(depth=depth) if "depth" in size.dims else size).sel(width=points.width)
        charts.network_means(axis, x, points, color=charts.depth_color(depth), label=f"depth {depth}")
