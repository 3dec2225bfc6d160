"""The constant of the decay of eigenvalues against the number of layers: what depth changes."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from isobath.plotting.axes import panels, set_log_scale
from isobath.plotting.cells import kernel_title, select
from isobath.plotting.legends import add_legend, explain, note_absence
from isobath.plotting.style import BLUE, GREEN, GREY, ORANGE, marker, nth
from isobath.settings import CalculationName

COLORS = (BLUE, ORANGE, GREEN, GREY)
MARKS = (
    "marks: the last even degree · dashed: predicted by the singularities · dotted: the degree 1 · L counts the readout"
)


def draw(cube: xr.DataTree, *, calculation: CalculationName, families: tuple[str, ...]) -> Figure:
    """Draw a panel per family: mu_K of L layers over that of the fewest, of normalised kernels, for each dimension."""
    table = select(cube, f"calculations/{calculation}")
    figure, axes = panels([kernel_title(family) for family in families])
    for axis, family in zip(axes, families, strict=True):
        rows = table.isel(kernel=table.family.values == family).sortby("layers") if table else table
        if not rows or not rows.sizes["kernel"]:
            note_absence(axis, family)
            continue
        last = int(rows.degree.values[-1] // 2 * 2)
        for i, d in enumerate(rows.dimension.values):
            color = nth(COLORS, i)
            measured, predicted, first = (
                _relative(rows[name].sel(dimension=d, degree=degree) / rows.value_at_one)
                for name, degree in (("eigenvalue", last), ("prediction", last), ("eigenvalue", 1))
            )
            axis.plot(rows.layers, measured, marker(i), color=color, label=f"d = {d}")
            axis.plot(rows.layers, predicted, "--", color=color, linewidth=0.8)
            axis.plot(rows.layers, first, ":", color=color, linewidth=0.8)
        axis.set(xlabel="layers L")
        set_log_scale(axis, "y", f"μ_k / κ(1), k = {last}, over that of L = {int(rows.layers[0])}")
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure


def _relative(values: xr.DataArray) -> np.ndarray:
    return np.asarray(values / values.isel(kernel=0))
