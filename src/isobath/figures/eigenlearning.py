"""Measured over predicted errors of kernel ridge regression, against the ridge (Simon et al.)."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from isobath.analysis.estimates import Estimate
from isobath.plotting.axes import panels
from isobath.plotting.cells import kernel_title, select
from isobath.plotting.curves import half_widths
from isobath.plotting.legends import add_legend, explain, note_absence
from isobath.plotting.style import GREY, layers_color, marker
from isobath.settings import CalculationName

MARKS = (
    "bars: 95 % intervals over draws, cut off at the frame · shaded: within 10 % · colour: layers L, which count the "
    "readout"
)


def draw(cube: xr.DataTree, *, calculation: CalculationName) -> Figure:
    """Draw a panel per number of samples, with a curve per kernel."""
    table = select(cube, f"calculations/{calculation}", draw=..., n_train=...)
    sizes = table.n_train.values if table else [0]
    figure, axes = panels([f"n = {n}" for n in sizes], columns=3)
    for axis, n in zip(axes, sizes, strict=True):
        if not table:
            note_absence(axis, "regressions")
            continue
        families = list(dict.fromkeys(table.family.values.tolist()))
        for i, kernel in enumerate(table.kernel.values):
            row = table.sel(kernel=kernel, n_train=n)
            ratios = [
                Estimate.over(by_draw.values)
                for by_draw in (row.error / row.predicted_error).transpose("ridge", "draw")
            ]
            look = {"color": layers_color(int(row.layers)), "marker": marker(families.index(str(row.family.item())))}
            shift = 10 ** (0.03 * (i - len(table.kernel) / 2))
            axis.errorbar(
                row.ridge * shift,
                [r.value for r in ratios],
                yerr=half_widths(ratios),
                label=kernel_title(kernel),
                linewidth=0.7,
                **look,
            )
        axis.axhspan(0.9, 1.1, color=GREY, alpha=0.15, linewidth=0)
        axis.set(xscale="log", xlabel="ridge λ", ylim=_limits(table.error / table.predicted_error))
    axes[0].set_ylabel("measured / predicted error")
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure


def _limits(ratios: xr.DataArray) -> tuple[float, float]:
    means = ratios.mean("draw").values
    return min(0.8, float(np.nanmin(means)) - 0.05), max(1.2, float(np.nanmax(means)) + 0.05)
