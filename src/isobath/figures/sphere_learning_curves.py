"""Error of kernel ridge regression on the sphere against the number of samples, with the prediction (Bietti & Bach)."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.estimates import Estimate
from isobath.plotting.axes import panels, set_log_scale, set_log_ticks
from isobath.plotting.cells import select
from isobath.plotting.curves import half_widths
from isobath.plotting.legends import add_legends, explain, note_absence
from isobath.plotting.style import GREY, ORANGE, depth_marker, layers_color
from isobath.settings import CalculationName

MARKS = (
    "bars: 95 % intervals over draws · lines: predicted at the best ridge · dotted: unseen without a bias at L = 2 · L "
    "counts the readout"
)
GROUPS = {"random features": ("rf", "rf_bias", "laplace"), "NTK": ("ntk", "ntk_bias", "laplace")}


def draw(cube: xr.DataTree, *, calculation: CalculationName) -> Figure:
    """Draw random features and the NTK of several depths beside the Laplace kernel."""
    table = select(cube, f"calculations/{calculation}", draw=..., n_train=...)
    figure, axes = panels(list(GROUPS))
    for axis, families in zip(axes, GROUPS.values(), strict=True):
        if not table:
            note_absence(axis, "regressions")
            continue
        for kernel in table.kernel.values[np.isin(table.family.values, families)]:
            _curve(axis, table.sel(kernel=kernel))
        set_log_ticks(axis, table.n_train.values, "number of samples n")
        set_log_scale(axis, "y", "mean squared error")
    add_legends(figure, axes, columns=2)
    explain(figure, MARKS)
    return figure


def _curve(axis: Axes, row: xr.Dataset) -> None:
    family, layers = str(row.family.item()), int(row.layers)
    bias = family.endswith("_bias")
    color = ORANGE if bias else layers_color(layers)
    n = row.n_train.values
    means = [Estimate.over(row.chosen_error.sel(n_train=size).values) for size in n]
    axis.errorbar(
        n,
        [mean.value for mean in means],
        yerr=half_widths(means),
        color=color,
        marker="o" if bias else depth_marker(layers - 1) if layers else "*",
        linestyle="none",
        label=(f"L = {layers}" + (" with bias" if bias else "")) if layers else "Laplace",
    )
    axis.plot(n, row.predicted_error.min("ridge"), "-", color=color, linewidth=0.9)
    if float(row.unseen_power) > 0:
        axis.axhline(float(row.unseen_power), color=GREY, linestyle=":", linewidth=0.9)
