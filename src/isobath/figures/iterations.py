"""Iterations to a gap by method, each at the best of its own rates (Arora, Cohen & Hazan).

- ``gaps``: gaps to the least loss, as shares of that at the start
- ``task``: task that is drawn; by default the first that the cube has
"""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.convergence import Method, arrival, compared, methods, powers, short_labels
from isobath.analysis.estimates import NotRun, Undetermined
from isobath.plotting.axes import panels, set_log_scale
from isobath.plotting.cells import select
from isobath.plotting.legends import add_legend, explain
from isobath.plotting.style import BLUE, ORANGE
from isobath.settings import Count, Positive, TaskName

READS = ("recorded_loss", "protocol_loss_p")
MARKS = (
    "a point per data set: steps until the gap is reached for the first time, crosses: to stay below it, if "
    "they do, line: geometric mean of points · triangles: runs that had not arrived by their last step · "
    "below: range of the best rates, (!) at an end of those that were offered"
)


def draw(
    cube: xr.DataTree,
    *,
    gaps: tuple[Positive, ...] = (1e-3, 3e-3),
    task: TaskName | None = None,
    n_train: Count | None = None,
) -> Figure:
    """Draw a panel per power p and gap, a column per method and number of layers N."""
    networks = select(cube, "networks", task=task, n_train=n_train, depth=..., draw=...)
    networks = compared(networks, power="protocol_loss_p", optimum="newton")
    cases = [(p, gap) for p in powers(networks) for gap in gaps]
    figure, axes = panels([f"p = {p}, gap {gap:g}" for p, gap in cases])
    for axis, (p, gap) in zip(axes, cases, strict=True):
        _panel(axis, networks, methods(networks, p), gap)
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure


def _panel(axis: Axes, networks: xr.Dataset, listed: list[Method], gap: float) -> None:
    labels, deep = short_labels(listed)
    for place, method in enumerate(listed):
        look = (
            (BLUE, f"{' and '.join(deep)} with N layers")
            if method.words in deep
            else (ORANGE, "others, with one layer")
        )
        _column(axis, networks, method, gap, place, *look)
    axis.set_xticks(range(len(listed)), labels, rotation=45, ha="right")
    axis.set(yscale="log", xlim=(-0.6, len(listed) - 0.4))
    low, high = axis.get_ylim()
    axis.set_ylim(low * (low / high) ** 0.5)  # the lower third is for the rates
    set_log_scale(axis, "y", "iterations")


def _column(axis: Axes, networks: xr.Dataset, method: Method, gap: float, place: int, color: str, label: str) -> None:
    """Draw the steps of a method on each data set, with the range of its best rates; nothing where it was not run."""
    try:
        arrived, lasting = (arrival(networks, method, gap, lasting=stays) for stays in (False, True))
    except (NotRun, Undetermined):
        return
    draws = sorted(arrived.steps)
    x = place + np.linspace(-0.15, 0.15, len(draws))
    y = np.array([arrived.steps[d] for d in draws])
    censored = np.array([d in arrived.censored for d in draws])
    axis.plot(x[~censored], y[~censored], "o", color=color, markersize=3, label=label)
    stayed = np.array([d not in lasting.censored for d in draws])
    steps = np.array([lasting.steps[d] for d in draws])
    axis.plot(x[stayed], steps[stayed], "x", color=color, markersize=4, markeredgewidth=0.6)
    axis.plot(x[censored], y[censored], "^", color=color, markersize=5, markerfacecolor="white")
    axis.hlines(np.exp(np.log(y).mean()), place - 0.3, place + 0.3, color=color)
    ends = (f"{float(f'{rate:.2g}'):g}" for rate in (min(arrived.rates.values()), max(arrived.rates.values())))
    words = "–".join(dict.fromkeys(ends)) + (" (!)" if arrived.at_an_end else "")
    look: dict[str, Any] = {"fontsize": 5, "rotation": 90, "ha": "center", "va": "bottom"}
    axis.annotate(words, (place, 0.02), xycoords=("data", "axes fraction"), **look)
