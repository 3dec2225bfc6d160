"""Accuracy of noisy folding networks against the noise, before and after training."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from isobath.plotting.axes import panels, set_accuracy_axes, set_log_ticks
from isobath.plotting.cells import select
from isobath.plotting.curves import draw_network_means
from isobath.plotting.legends import add_legend, explain, join, note_absence
from isobath.plotting.style import marker, rank_color
from isobath.settings import CalculationName

MARKS = (
    "means and standard deviations over networks, in closed form, cut off at 1 · k: folds, and hidden layers · "
    "leftmost: no noise"
)


def draw(cube: xr.DataTree, *, calculation: CalculationName = "folding_basin") -> Figure:
    """Draw a panel before and one after training, with a curve per number of folds."""
    figure, axes = panels(["before training", "after training"])
    table = select(cube, f"calculations/{calculation}")
    for axis, when in zip(axes, ("before", "after"), strict=True):
        if not table:
            note_absence(axis, "basin")
            continue
        noise = table.noise.values
        least = noise[noise > 0].min(initial=1.0)
        for i, k in enumerate(table.folds.values):
            color = rank_color(i, table.sizes["folds"])
            values = table[when].sel(folds=k).rename(network="seed")
            look = {"color": color, "marker": marker(i), "label": f"k = {k}"}
            draw_network_means(axis, np.where(noise > 0, noise, least / 3), values, **look)
        places = np.where(noise > 0, noise, least / 3)
        set_log_ticks(axis, places, "relative noise on all parameters", zero=least / 3)
    set_accuracy_axes(axes, 0.5)
    add_legend(figure, axes)
    explain(figure, join(MARKS, _training(table)))
    return figure


def _training(table: xr.Dataset) -> str:
    """Return the rate and the steps of the training in words; "" where the calculation is not there."""
    return f"(b) {int(table.steps)} steps at a rate of {float(table.learning_rate):g}" if table else ""
