"""Measured over predicted errors of kernel ridge regression, against the ridge (Simon et al.)."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.estimates import Estimate
from isobath.plotting.axes import panels
from isobath.plotting.cells import kernel_title, select
from isobath.plotting.curves import half_widths
from isobath.plotting.legends import add_legend, explain, note_absence
from isobath.plotting.style import GREY, marker, rank_color
from isobath.settings import CalculationName

SPREAD = 0.6  # of the distance between two ridges, over which the sizes are spread
MARKS = "bars: 95 % intervals over draws, cut off at the frame · shaded: within 10 % · L counts the readout"


def draw(cube: xr.DataTree, *, calculation: CalculationName) -> Figure:
    """Draw a panel per kernel, with a curve per number of samples; those of one ridge stand side by side."""
    table = select(cube, f"calculations/{calculation}", draw=..., n_train=...)
    kernels = table.kernel.values if table else []
    figure, axes = panels([kernel_title(kernel) for kernel in kernels] or ["kernels"], columns=3)
    if not table:
        note_absence(axes[0], "regressions")
        return figure
    ratios = (table.error / table.predicted_error).sortby("n_train")
    for axis, kernel in zip(axes, kernels, strict=True):
        _draw_sizes(axis, ratios.sel(kernel=kernel))
        axis.axhspan(0.9, 1.1, color=GREY, alpha=0.15, linewidth=0)
        axis.set(xscale="log", xlabel="ridge λ", ylim=_limits(ratios))
    axes[0].set_ylabel("measured / predicted error")
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure


def _draw_sizes(axis: Axes, ratios: xr.DataArray) -> None:
    sizes = ratios.n_train.values
    shifts = 10 ** (_decades_between(ratios.ridge.values) * SPREAD * (np.arange(len(sizes)) / len(sizes) - 0.5))
    for i, (n, shift) in enumerate(zip(sizes, shifts, strict=True)):
        found = [Estimate.over(by_draw.values) for by_draw in ratios.sel(n_train=n).transpose("ridge", "draw")]
        axis.errorbar(
            ratios.ridge * shift,
            [ratio.value for ratio in found],
            yerr=half_widths(found),
            label=f"n = {n}",
            color=rank_color(i, len(sizes)),
            marker=marker(i),
            markersize=3,
            linewidth=0.7,
        )


def _decades_between(ridges: np.ndarray) -> float:
    return float(np.diff(np.log10(np.sort(ridges))).min()) if len(ridges) > 1 else 1.0


def _limits(ratios: xr.DataArray) -> tuple[float, float]:
    means = ratios.mean("draw").values
    return min(0.8, float(np.nanmin(means)) - 0.05), max(1.2, float(np.nanmax(means)) + 0.05)
