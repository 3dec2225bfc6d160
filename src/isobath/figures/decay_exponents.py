"""Fitted exponents of the decay of eigenvalues against the number of layers (Bietti & Bach)."""

import itertools
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from isobath.plotting.axes import panels
from isobath.plotting.cells import kernel_title, select
from isobath.plotting.legends import add_legend, explain, note_absence
from isobath.plotting.style import BLUE, GREEN, GREY, ORANGE, PURPLE, marker, nth
from isobath.settings import CalculationName

COLORS = (BLUE, ORANGE, GREEN, PURPLE, GREY)
MARKS = (
    "filled: even degrees · hollow: odd degrees · dashed: the theorem · bars: over windows of degrees · L counts the "
    "readout"
)


def draw(cube: xr.DataTree, *, calculation: CalculationName, families: tuple[str, ...]) -> Figure:
    """Draw a panel per dimension of the sphere, with a colour per family."""
    table = select(cube, f"calculations/{calculation}")
    dimensions = table.dimension.values if table else [0]
    figure, axes = panels([f"d = {d}" for d in dimensions])
    for axis, d in zip(axes, dimensions, strict=True):
        if not table:
            note_absence(axis, "spectra")
            continue
        for i, family in enumerate(families):
            color = nth(COLORS, i)
            rows = table.sel(dimension=d, kernel=table.family == family)
            for (parity, fill), shift in zip((("even", color), ("odd", "white")), itertools.count(-0.06, 0.12)):
                points = rows.sel(parity=parity)
                bars = np.abs(np.stack([points.low, points.high]) - points.exponent.values)
                look: dict[str, Any] = {
                    "color": color,
                    "marker": marker(i),
                    "markerfacecolor": fill,
                    "linestyle": "none",
                }
                label = kernel_title(family) if parity == "even" else None
                axis.errorbar(points.layers + shift, points.exponent, yerr=bars, label=label, **look)
            axis.plot(rows.layers, rows.expected_exponent, "--", color=color, linewidth=0.9)
        axis.set(xlabel="layers L", ylabel="exponent of k")
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure
