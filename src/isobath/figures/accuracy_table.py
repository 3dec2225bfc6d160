"""Accuracies as a table, tasks and depths against widths (Malach & Shalev-Shwartz, Tables 1 and 2)."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.selection import RULES, accuracies
from isobath.plotting import charts
from isobath.settings import Count

LIGHT = 0.75  # from here on a cell is dark, and its number white
MARKS = "means over networks · empty: not trained, or none that did not diverge"


def draw(cube: xr.DataTree, *, tasks: tuple[str, ...], protocol: str, depth: Count | None = None) -> Figure:
    """A table per rule by which an accuracy is quoted; of all depths, or of one."""
    networks = [charts.cells(cube, "networks", task=t, protocol=protocol, depth=...) for t in tasks]
    wanted = [int(d) for d in networks[0].depth.values] if depth is None else [depth]
    figure, axes = charts.panels(list(RULES))
    rows = len(tasks) * len(wanted)
    figure.set_size_inches(6.8, 0.9 + 0.19 * rows)
    for axis, rule in zip(axes, RULES, strict=True):
        table = [accuracies(one, rule).mean("seed").reindex(depth=wanted) for one in networks]
        _table(axis, np.concatenate([one.transpose("depth", "width").values for one in table]))
        axis.set_xticks(range(networks[0].sizes["width"]), networks[0].width.values)
        axis.set(xlabel="width", yticks=range(rows))
        names = [task if depth is not None else f"{task}, depth {d}" for task in tasks for d in wanted]
        axis.set_yticklabels(names if axis is axes[0] else [], fontsize=6.5)
    charts.explain(figure, MARKS)
    return figure


def _table(axis: Axes, values: np.ndarray) -> None:
    axis.imshow(values, cmap="Blues", vmin=0.5, vmax=1.1, aspect="auto")
    axis.grid(visible=False)
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            color = "white" if value > LIGHT + 0.1 else "black"
            axis.text(column, row, f"{100 * value:.1f}", ha="center", va="center", fontsize=6, color=color)
