"""Functions that trained networks of one input compute, beside the labels of a sawtooth (Telgarsky)."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from isobath.plotting.axes import panels
from isobath.plotting.cells import select
from isobath.plotting.legends import explain, note_absence
from isobath.plotting.style import depth_color
from isobath.separation.sawtooth import changes, pieces
from isobath.settings import CalculationName

MARKS = "one trained network of each shape at the middle rate · shaded: label 1 · f is cut at ± 2"


def draw(cube: xr.DataTree, *, calculation: CalculationName = "oscillations") -> Figure:
    """Draw a panel per shape: f against x, over the intervals of label 1."""
    table = select(cube, f"calculations/{calculation}", depth=...)
    names = (
        [f"depth {d}, width {w}" for d, w in zip(table.depth.values, table.width.values, strict=True)]
        if table
        else [""]
    )
    figure, axes = panels(names)
    for i, axis in enumerate(axes):
        if not table:
            note_absence(axis, "oscillations")
            continue
        own, ends = table.isel(shape=i), changes(pieces(folds=int(table.folds), triangles=1))
        for low, high in zip(ends[::2], ends[1::2], strict=True):
            axis.axvspan(low, high, color="#e8e8e8", linewidth=0, zorder=0)
        axis.plot(own.x, np.clip(own.output, -2, 2), color=depth_color(int(own.depth)))
        axis.axhline(0, color="#999999", linewidth=0.6)
        axis.set(xlabel="x", ylabel="f", xlim=(0, 1), ylim=(-2.1, 2.1))
        axis.grid(visible=False)
    explain(figure, MARKS)
    return figure
