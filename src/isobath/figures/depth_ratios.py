"""Errors of deeper kernels on the sphere over that of two layers with a bias, on the same draws (Bietti & Bach).

- ``references``: pairs of a family and the kernel that its errors are divided by
"""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from isobath.analysis.estimates import Estimate
from isobath.plotting.axes import panels, set_log_ticks
from isobath.plotting.cells import kernel_title, select
from isobath.plotting.legends import add_legend, explain, note_absence
from isobath.plotting.style import depth_marker, layers_color
from isobath.settings import CalculationName

MARKS = "bars: 95 % intervals over draws, which all kernels share · L counts the readout"


def draw(cube: xr.DataTree, *, calculation: CalculationName, references: tuple[tuple[str, str], ...]) -> Figure:
    """Draw a panel per family, whose kernel of ``references`` (family, kernel) the errors are divided by."""
    table = select(cube, f"calculations/{calculation}", draw=..., n_train=...)
    figure, axes = panels([kernel_title(family) for family, _ in references])
    for axis, (family, reference) in zip(axes, references, strict=True):
        if not table or reference not in table.kernel.values:
            note_absence(axis, reference)
            continue
        bias = " with bias" if family.endswith("_bias") else ", no bias"
        reference_error = table.chosen_error.sel(kernel=reference)
        for i, kernel in enumerate(table.kernel.values[table.family.values == family]):
            row = table.sel(kernel=kernel)
            logs = np.log(row.chosen_error / reference_error).transpose("n_train", "draw").values
            estimates = [Estimate.over(ratios) for ratios in logs]
            x = table.n_train.values * 1.03 ** (i - 1)
            y = np.exp([estimate.value for estimate in estimates])
            bars = np.abs(np.exp(np.array([estimate.interval() for estimate in estimates]).T) - y)
            layers = int(row.layers)
            look = {"color": layers_color(layers), "marker": depth_marker(layers - 1), "linewidth": 0.8}
            words = bias if layers == int(table.layers.sel(kernel=reference)) else ""
            axis.errorbar(x, y, yerr=bars, label=f"L = {layers}{words}", **look)
        axis.axhline(1, color="#999999", linewidth=0.6)
        set_log_ticks(axis, table.n_train.values, "number of samples n")
        axis.set_ylabel(f"error over that of\n{kernel_title(reference)}")
    add_legend(figure, axes, ordered=True)
    explain(figure, MARKS)
    return figure
