"""Functions that trained networks of one input compute, beside the labels of a sawtooth (Telgarsky)."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.selection import RULES, accuracies
from isobath.plotting.axes import panels
from isobath.plotting.cells import select
from isobath.plotting.legends import explain, note_absence
from isobath.plotting.style import depth_color
from isobath.separation.sawtooth import changes, pieces
from isobath.settings import Count

READS = ("recorded_first_half_error", "task_folds")


*_, RULE = RULES
AMONG = {"folds": "tasks.folds"}
MARKS = (
    f"the first network of each shape, at the best rate of its shape ({RULE} of the test set) · shaded: label 1 · "
    "f is cut at ± 2"
)


def draw(cube: xr.DataTree, *, folds: Count = 4) -> Figure:
    """Draw a panel per shape: f against x at the best rate of the shape, over the intervals of label 1."""
    networks, counts = (select(cube, group, depth=..., draw=...) for group in ("networks", "oscillation_counts"))
    if not counts:
        figure, axes = panels([""])
        note_absence(axes[0], "oscillations")
        return figure
    with_folds = networks.task.values[(networks.task_folds == folds).values]
    if not len(with_folds):
        raise ValueError(
            f"folds is {folds}; the cube has {', '.join(f'{n:g}' for n in np.unique(networks.task_folds))}"
        )
    networks, counts = (group.sel(task=with_folds[0]).isel(protocol=0) for group in (networks, counts))
    if "draw" in networks.dims:  # the first that has networks
        there = networks.n_parameters.notnull().any([dim for dim in networks.n_parameters.dims if dim != "draw"])
        networks, counts = (group.isel(draw=int(there.values.argmax())) for group in (networks, counts))
    sizes = networks.n_parameters.stack(shape=("depth", "width"), create_index=False).dropna("shape", how="all")
    shapes = list(zip(sizes.depth.values.tolist(), sizes.width.values.tolist(), strict=True))
    figure, axes = panels([f"depth {depth}, width {width}" for depth, width in shapes])
    for axis, (depth, width) in zip(axes, shapes, strict=True):
        shape = {"depth": depth, "width": width}
        _function(axis, counts.output.sel(**shape).isel(seed=0), networks.sel(**shape), folds)
    explain(figure, MARKS)
    return figure


def _function(axis: Axes, output: xr.DataArray, networks: xr.Dataset, folds: int) -> None:
    """Draw the output (learning_rate, x) at the rate at which the networks of its shape are the most accurate."""
    accuracy = accuracies(networks, RULE, over=("step",)).mean("seed")
    rate = float(accuracy.learning_rate[int(accuracy.fillna(-np.inf).argmax("learning_rate"))])
    ends = changes(pieces(folds=folds, triangles=1))
    for low, high in zip(ends[::2], ends[1::2], strict=True):
        axis.axvspan(low, high, color="#e8e8e8", linewidth=0, zorder=0)
    axis.plot(output.x, np.clip(output.sel(learning_rate=rate), -2, 2), color=depth_color(int(networks.depth)))
    axis.axhline(0, color="#999999", linewidth=0.6)
    axis.text(0.02, -1.95, f"rate {rate:g}", fontsize=5.5)
    axis.set(xlabel="x", ylabel="f", xlim=(0, 1), ylim=(-2.1, 2.1))
    axis.grid(visible=False)
