"""Functions that trained networks of one input compute, beside the labels of a sawtooth (Telgarsky).

- ``protocol``: protocol whose networks are drawn; by default the first whose oscillations are counted
"""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.selection import RULES, accuracies
from isobath.plotting.axes import panels
from isobath.plotting.cells import select, tasks_of_wave
from isobath.plotting.legends import explain, note_absence
from isobath.plotting.style import depth_color
from isobath.separation.sawtooth import changes, pieces
from isobath.settings import Count, ProtocolName

READS = ("recorded_first_half_error", "task_folds", "task_triangles")

*_, RULE = RULES
AMONG = {"folds": "tasks.folds", "triangles": "tasks.triangles"}
MARKS = (
    f"the first network of each shape, at the best rate of its shape ({RULE} of the test set) · shaded: label 1 · "
    "f is cut at ± 2"
)


def draw(cube: xr.DataTree, *, folds: Count = 4, triangles: Count = 1, protocol: ProtocolName | None = None) -> Figure:
    """Draw a panel per shape: f against x at the best rate of the shape, over the intervals of label 1."""
    counts = select(cube, "oscillation_counts", protocol=protocol, depth=..., draw=...)
    if not counts:
        figure, axes = panels([""])
        note_absence(axes[0], "oscillations")
        return figure
    networks = select(cube, "networks", protocol=counts.protocol.item(), depth=..., draw=...)
    task = tasks_of_wave(networks, folds=folds, triangles=triangles)[0]
    networks, counts = (group.sel(task=task) for group in (networks, counts))
    if "draw" in networks.dims:  # the first that has networks
        there = networks.n_parameters.notnull().any([dim for dim in networks.n_parameters.dims if dim != "draw"])
        networks, counts = (group.isel(draw=int(there.values.argmax())) for group in (networks, counts))
    sizes = networks.n_parameters.stack(shape=("depth", "width"), create_index=False).dropna("shape", how="all")
    shapes = list(zip(sizes.depth.values.tolist(), sizes.width.values.tolist(), strict=True))
    figure, axes = panels([f"depth {depth}, width {width}" for depth, width in shapes])
    jumps = changes(pieces(folds=folds, triangles=triangles))
    for axis, (depth, width) in zip(axes, shapes, strict=True):
        shape = {"depth": depth, "width": width}
        _function(axis, counts.output.sel(**shape).isel(seed=0), networks.sel(**shape), jumps)
    explain(figure, MARKS)
    return figure


def _function(axis: Axes, output: xr.DataArray, networks: xr.Dataset, jumps: np.ndarray) -> None:
    """Draw the output (learning_rate, x) at the rate at which the networks of its shape are the most accurate.

    Shaded is where the label is 1, which begins at the first of the ``jumps`` and ends at the second, and so on.
    """
    accuracy = accuracies(networks, RULE, over=("step",)).mean("seed")
    rate = float(accuracy.learning_rate[int(accuracy.fillna(-np.inf).argmax("learning_rate"))])
    for low, high in zip(jumps[::2], jumps[1::2], strict=True):
        axis.axvspan(low, high, color="#e8e8e8", linewidth=0, zorder=0)
    axis.plot(output.x, np.clip(output.sel(learning_rate=rate), -2, 2), color=depth_color(int(networks.depth)))
    axis.axhline(0, color="#999999", linewidth=0.6)
    axis.text(0.02, -1.95, f"rate {rate:g}", fontsize=5.5)
    axis.set(xlabel="x", ylabel="f", xlim=(0, 1), ylim=(-2.1, 2.1))
    axis.grid(visible=False)
