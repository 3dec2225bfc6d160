"""Counted linear regions against their bounds (Malach & Shalev-Shwartz, Theorem 2)."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.plotting.axes import panels
from isobath.plotting.cells import select
from isobath.plotting.legends import add_legends, explain, note_absence
from isobath.plotting.style import BLUE, GREY, ORANGE, marker
from isobath.settings import CalculationName

MARKS = (
    "dots: the mean over random networks, bars from the fewest to the most · regions are those on the inputs' interval"
)


def draw(cube: xr.DataTree, *, calculation: CalculationName = "region_counts") -> Figure:
    """Draw the regions of (a) the widest random networks by depth; (b) the network of the 1D Cantor set by level."""
    counts = select(cube, f"calculations/{calculation}", depth=...)
    figure, axes = panels(["random networks at the start", "a network that knows the Cantor set"])
    if counts:
        _random(axes[0], counts.isel(width=-1))
        _constructed(axes[1], counts)
    else:
        for axis in axes:
            note_absence(axis, "linear regions")
    add_legends(figure, axes)
    explain(figure, MARKS)
    return figure


def _random(axis: Axes, counts: xr.Dataset) -> None:
    for i, start in enumerate(counts.start.values):
        regions = counts.regions.sel(start=start)
        middle = regions.mean("network")
        reach = np.abs(np.stack([regions.min("network"), regions.max("network")]) - middle.values)
        axis.errorbar(counts.depth, middle, yerr=reach, color=f"C{i}", marker=marker(i), label=start)
    axis.plot(counts.depth, counts.most_regions, "--", color=GREY, label=counts.most_regions.long_name)
    axis.plot(counts.depth, counts.region_bound, ":", color="black", label=counts.region_bound.long_name)
    axis.set(
        yscale="log", xlabel="depth (hidden layers)", xticks=counts.depth, ylabel=f"regions, width {int(counts.width)}"
    )


def _constructed(axis: Axes, counts: xr.Dataset) -> None:
    styles = {
        "known_regions": ("o-", BLUE),
        "needed_regions": ("s--", ORANGE),
        "known_bound": (":", "black"),
    }
    labels = ("width 2, n + 1 hidden layers", "needed, r^n", "the bound (e k / d)^(t d)")
    for (name, (style, color)), label in zip(styles.items(), labels, strict=True):
        axis.plot(counts.level, counts[name], style, color=color, label=label)
    axis.set(yscale="log", xlabel="levels n of the set", ylabel="regions")
