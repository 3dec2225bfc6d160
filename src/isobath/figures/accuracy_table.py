"""Table of accuracies, tasks and depths against widths (Malach & Shalev-Shwartz, Tables 1 and 2).

- ``depth``: number of hidden layers; by default all that the cube has
"""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.selection import RULES, accuracies
from isobath.plotting.axes import panels
from isobath.plotting.cells import networks_of_all_draws
from isobath.plotting.legends import budget, explain, join
from isobath.settings import Count, ProtocolName, TaskName

READS = ("recorded_first_half_error",)
DARK = 0.85  # accuracy, above which a cell is dark and its number white
MARKS = "accuracy in %, means over networks · empty: not trained, or none that did not diverge"


def draw(
    cube: xr.DataTree, *, tasks: tuple[TaskName, ...], protocol: ProtocolName, depth: Count | None = None
) -> Figure:
    """Draw a table per selection rule, of all depths or of one ``depth``."""
    networks = [networks_of_all_draws(cube, task=t, protocol=protocol, depth=...) for t in tasks]
    depths = [int(d) for d in networks[0].depth.values] if depth is None else [depth]
    figure, axes = panels(list(RULES))
    rows = len(tasks) * len(depths)
    figure.set_size_inches(6.8, 0.9 + 0.19 * rows)
    for axis, rule in zip(axes, RULES, strict=True):
        table = [accuracies(group, rule).mean("seed").reindex(depth=depths) for group in networks]
        _table(axis, np.concatenate([rows_of_task.transpose("depth", "width").values for rows_of_task in table]))
        axis.set_xticks(range(networks[0].sizes["width"]), networks[0].width.values)
        axis.set(xlabel="width", yticks=range(rows))
        names = [task if depth is not None else f"{task}, depth {d}" for task in tasks for d in depths]
        axis.set_yticklabels(names if axis is axes[0] else [], fontsize=6.5)
    explain(figure, join(MARKS, budget(cube, protocol)))
    return figure


def _table(axis: Axes, values: np.ndarray) -> None:
    axis.imshow(values, cmap="Blues", vmin=0.5, vmax=1.1, aspect="auto")
    axis.grid(visible=False)
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            color = "white" if value > DARK else "black"
            axis.text(column, row, f"{100 * value:.1f}", ha="center", va="center", fontsize=6, color=color)
