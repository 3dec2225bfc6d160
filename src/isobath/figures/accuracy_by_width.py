"""Accuracy against width and against parameters, a curve per depth (Malach & Shalev-Shwartz, Figs 4, 6 and 7).

- ``chance``: accuracy of guessing
"""

from itertools import product

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.selection import RULES, accuracies
from isobath.plotting.axes import panels, set_accuracy_axes, set_log_scale, set_log_ticks
from isobath.plotting.cells import networks_of_all_draws, width_label
from isobath.plotting.curves import draw_network_means
from isobath.plotting.legends import add_legend, budget, explain, join
from isobath.plotting.style import depth_color, depth_marker
from isobath.settings import Fraction, ProtocolName, TaskName

READS = ("recorded_first_half_error",)
AXES = ("width", "n_parameters")
MARKS = "depth: hidden layers · bars: standard deviation over networks"
LEFT_OUT = "perceptrons without hidden layers, which have no width, are left out"


def draw(cube: xr.DataTree, *, task: TaskName, protocol: ProtocolName, chance: Fraction = 0.5) -> Figure:
    """Draw a column per selection rule: accuracy against the width above, against the number of parameters below."""
    networks = networks_of_all_draws(cube, task=task, protocol=protocol, depth=...)
    units = width_label(networks)
    figure, axes = panels([f"{rule}, by {along}" for along, rule in product((units, "parameters"), RULES)])
    for axis, (along, rule) in zip(axes, product(AXES, RULES), strict=True):
        _curves(axis, networks, rule, along)
        if along == "width":
            set_log_ticks(axis, networks.width.values, units)
        else:
            set_log_scale(axis, "x", "number of parameters")
    set_accuracy_axes(axes, chance)
    add_legend(figure, axes)
    explain(figure, join(MARKS, budget(cube, protocol), LEFT_OUT if 0 in networks.width else ""))
    return figure


def _curves(axis: Axes, networks: xr.Dataset, rule: str, along: str) -> None:
    """Draw means over networks, and no point where no network was trained."""
    accuracy, size = accuracies(networks, rule), networks[along]
    size = size.max([dim for dim in size.dims if dim not in ("depth", "width")])
    for depth in accuracy.depth.values:
        points = accuracy.sel(depth=depth, width=accuracy.width > 0).dropna("width", how="all")
        if not points.sizes["width"]:
            continue
        x = (size.sel(depth=depth) if "depth" in size.dims else size).sel(width=points.width)
        draw_network_means(
            axis, x, points, color=depth_color(depth), marker=depth_marker(depth), label=f"depth {depth}"
        )
