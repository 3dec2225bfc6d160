"""Intervals of classifiers against the folds of a sawtooth: what depth expresses (Telgarsky).

- ``counts``: calculation of the intervals of networks in closed form
"""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from isobath.plotting.axes import panels
from isobath.plotting.cells import select, tasks_of_wave
from isobath.plotting.legends import add_legend, explain, note_absence
from isobath.plotting.style import depth_color, marker
from isobath.randomness import stream
from isobath.separation.sawtooth import most_intervals, pieces
from isobath.settings import CalculationName, Count

READS = ("task_folds", "task_triangles")
AMONG = {"folds": "tasks.folds", "triangles": "tasks.triangles"}
MARKS = "counted from the kinks · (a) lines: (2t)^k + 1 · (b) a point per network, bars: Cr = (W + 1)^L + 1, the bound"


def draw(
    cube: xr.DataTree, *, counts: CalculationName = "sawtooth_counts", folds: Count = 4, triangles: Count = 1
) -> Figure:
    """Draw the intervals of networks in closed form against k, and those of all others on ``folds``, by their shape."""
    wave = f"{folds} folds" + (f" of {triangles} triangles" if triangles > 1 else "")
    figure, axes = panels(["t triangles, composed k times", f"all networks trained on {wave}"])
    constructed, trained = (
        select(cube, f"calculations/{counts}"),
        select(cube, "oscillation_counts", depth=..., draw=...),
    )
    if constructed:
        _counts(axes[0], constructed)
    else:
        note_absence(axes[0], "counts")
    if trained:
        of_wave = trained.sel(task=tasks_of_wave(trained, folds=folds, triangles=triangles))
        _networks(axes[1], of_wave, folds, triangles)
    else:
        note_absence(axes[1], "oscillations")
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure


def _counts(axis: Axes, table: xr.Dataset) -> None:
    for i, t in enumerate(table.triangles.values):
        row = table.sel(triangles=t).dropna("folds")
        look: dict[str, Any] = {"color": f"C{i}", "marker": marker(i), "linestyle": "none"}
        axis.plot(row.folds, row.intervals, label=f"t = {t}", **look)
        axis.plot(row.folds, row.expected + 1, color=f"C{i}", linewidth=0.8)
    axis.set(xlabel="folds k", ylabel="intervals of 1[f ≥ 1/2]", yscale="log")
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))


def _networks(axis: Axes, counts: xr.Dataset, folds: int, triangles: int) -> None:
    """Draw a point per network, beside each other by moment, and the bounds of their shapes."""
    shapes = counts.intervals.stack(shape=("depth", "width"), create_index=False).dropna("shape", how="all")
    places, spread = np.arange(shapes.sizes["shape"]), stream(0, "places beside each other")
    for k, (moment, label) in enumerate({"start": "at the start", "end": "trained, at all rates"}.items()):
        rows = shapes.sel(moment=moment).transpose("shape", ...).values.reshape(len(places), -1)
        x = places[:, None] + 0.3 * (k - 0.5) + spread.uniform(-0.1, 0.1, rows.shape)
        axis.plot(x.ravel(), rows.ravel(), ".", color=depth_color(6 * k), markersize=2, label=label)
    sizes = list(zip(shapes.depth.values.tolist(), shapes.width.values.tolist(), strict=True))
    bounds = [most_intervals(depth=depth, width=width) for depth, width in sizes]
    axis.plot(places, bounds, "_", color="black", markersize=20, label="the bound")
    most = pieces(folds=folds, triangles=triangles) + 1
    axis.axhline(most, color="#999999", linewidth=0.8)
    axis.set_xticks(places, [f"{depth} × {width}" for depth, width in sizes])
    axis.set(yscale="log", xlabel="hidden layers × units", ylabel="intervals of 1[f ≥ 0]")
    note = f"the labels: {2 * triangles}^{folds} + 1"
    axis.annotate(note, (places[-1], most), fontsize=5.5, ha="right", va="bottom")
