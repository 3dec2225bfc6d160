"""Accuracy of noisy folding networks against the noise, before and after training.

- ``without_noise``: calculations of trainings at other rates, of which those without noise are drawn
"""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.plotting.axes import panels, set_accuracy_axes, set_log_ticks
from isobath.plotting.cells import select
from isobath.plotting.curves import draw_network_means
from isobath.plotting.legends import add_legend, explain, join, note_absence
from isobath.plotting.style import BLACK, marker, rank_color
from isobath.settings import CalculationName

MARKS = (
    "means and standard deviations over networks, in closed form, cut off at 1 · k: folds, and hidden layers · "
    "leftmost: no noise, those at other rates a little to the right of it"
)
ASIDE = 1.3  # factor by which a point at another rate stands beside the one before it


def draw(
    cube: xr.DataTree,
    *,
    calculation: CalculationName = "folding_basin",
    without_noise: tuple[CalculationName, ...] = (),
) -> Figure:
    """Draw a panel before and one after training, with a curve per number of folds; trainings at other rates in (b)."""
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
        for i, name in enumerate(without_noise if when == "after" else ()):
            place = least / 3 * ASIDE ** (i + 1)
            _at_another_rate(axis, select(cube, f"calculations/{name}"), place, marker(-1 - i))
        set_log_ticks(axis, places, "relative noise on all parameters", zero=least / 3)
    set_accuracy_axes(axes, 0.5)
    add_legend(figure, axes)
    explain(figure, join(MARKS, _training(table)))
    return figure


def _at_another_rate(axis: Axes, table: xr.Dataset, place: float, mark: str) -> None:
    """Draw the means of networks that began without noise and were trained at another rate, a point per k."""
    for k in table.folds.values if table else ():
        values = table.after.sel(folds=k, noise=0.0).rename(network="seed").expand_dims("noise")
        label = f"k = {k}, no noise, rate {float(table.learning_rate):g}"
        draw_network_means(axis, [place], values, color=BLACK, marker=mark, markerfacecolor="white", label=label)


def _training(table: xr.Dataset) -> str:
    """Return the rate and the steps of the training in words; "" where the calculation is not there."""
    return f"(b) {int(table.steps)} steps at a rate of {float(table.learning_rate):g}" if table else ""
