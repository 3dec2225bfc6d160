"""Eigenvalues of Gram matrices against their rank, and those of the kernel with their multiplicities."""

import xarray as xr
from matplotlib.figure import Figure

from isobath.plotting.axes import panels
from isobath.plotting.cells import kernel_title, select
from isobath.plotting.legends import add_legend, explain, note_absence
from isobath.plotting.style import BLUE
from isobath.settings import CalculationName

MARKS = "blue: Gram matrices, one line per draw · black: the kernel · L counts the readout"


def draw(cube: xr.DataTree, *, calculation: CalculationName) -> Figure:
    """Draw a panel per kernel."""
    table = select(cube, f"calculations/{calculation}", draw=...)
    kernels = table.kernel.values if table else ["Gram matrices"]
    figure, axes = panels([kernel_title(str(kernel)) for kernel in kernels], columns=3)
    for axis, kernel in zip(axes, kernels, strict=True):
        if not table:
            note_absence(axis, "Gram matrices")
            continue
        row, ranks = table.sel(kernel=kernel), table["rank"].values + 1
        for draw_ in row.draw.values:
            axis.plot(ranks, row.gram_eigenvalue.sel(draw=draw_).values, color=BLUE, linewidth=0.7, alpha=0.6)
        axis.step(ranks, row.eigenvalue.values, color="black", linewidth=0.9, where="mid")
        axis.set(xscale="log", yscale="log", xlabel="rank")
    axes[0].set_ylabel(f"eigenvalue, n = {int(table.n_train)}" if table else "eigenvalue")
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure
