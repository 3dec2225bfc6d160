"""Eigenvalues of kernels on the sphere against the degree, and what their singularities predict (Bietti & Bach).

- ``dimension``: dimension d whose eigenvalues are drawn
"""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.plotting.axes import panels, set_log_scale
from isobath.plotting.cells import kernel_title, select
from isobath.plotting.legends import add_legend, explain, note_absence
from isobath.plotting.style import layers_color
from isobath.settings import CalculationName, Count

AMONG = {"dimension": "calculation.dimensions"}
MARKS = (
    "filled: even degrees · hollow: odd degrees · dashed: predicted by the singularities of the kernel · L counts the "
    "readout"
)
FEW = 14  # degrees of each parity that have a mark


def draw(cube: xr.DataTree, *, calculation: CalculationName, dimension: Count, families: tuple[str, ...]) -> Figure:
    """Draw a panel per family, in one dimension of the sphere, with a colour per number of layers."""
    table = select(cube, f"calculations/{calculation}")
    figure, axes = panels([f"{kernel_title(family)}, d = {dimension}" for family in families])
    for axis, family in zip(axes, families, strict=True):
        kernels = table.sel(dimension=dimension, kernel=table.family == family) if table else table
        if not kernels or not kernels.sizes["kernel"]:
            note_absence(axis, family)
            continue
        for kernel in kernels.kernel.values:
            _curve(axis, kernels.sel(kernel=kernel))
        set_log_scale(axis, "x", "degree k")
        axis.set(yscale="log", ylabel="μ_k / κ(1)")
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure


def _curve(axis: Axes, row: xr.Dataset) -> None:
    color, degrees = layers_color(int(row.layers)), row.degree.values
    marked = np.unique(np.geomspace(1, degrees[-1], 2 * FEW).round().astype(int))
    for parity, fill in ((0, color), (1, "white")):
        places = np.unique(marked + (marked % 2 != parity))
        places = places[(places <= degrees[-1]) & (row.eigenvalue.values[np.minimum(places, degrees[-1])] > 0)]
        axis.plot(
            places,
            (row.eigenvalue.sel(degree=places) / row.value_at_one).values,
            "o",
            color=color,
            markerfacecolor=fill,
            markersize=3,
            label=f"L = {int(row.layers)}" if parity == 0 and int(row.layers) else None,
        )
        line = degrees[(degrees % 2 == parity) & (degrees >= degrees[-1] / 8)]
        predicted = (row.prediction.sel(degree=line) / row.value_at_one).values
        axis.plot(line, np.where(predicted > 0, predicted, np.nan), "--", color=color, linewidth=0.8)
