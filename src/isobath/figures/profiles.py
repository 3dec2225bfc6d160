"""Output along its gradient, from samples between two boundaries (Jacot, Geiger et al., appendix A, Fig. 9).

- ``widths``: widths, one panel each
"""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.plotting.axes import panels
from isobath.plotting.cells import select
from isobath.plotting.legends import note_absence
from isobath.plotting.style import BLUE, GREY
from isobath.settings import Count, Index, ProtocolName, TaskName

SHARES = (0.25, 0.5, 0.75)


def draw(
    cube: xr.DataTree,
    *,
    task: TaskName,
    protocol: ProtocolName,
    widths: tuple[Count, ...],
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """Draw a panel per width: a curve per sample, the line 1 - s of a linear f, and the quartiles of zeros in red."""
    cell: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train}
    cells = [select(cube, "networks", **cell, width=width) for width in widths]
    titles = [f"h = {w}, N = {float(cell.n_weights.mean()):.0f}" for w, cell in zip(widths, cells, strict=True)]
    figure, axes = panels(titles, columns=3)
    for axis, width in zip(axes, widths, strict=True):
        ensembles = select(cube, "ensembles", **cell, width=width)
        if "profile" in ensembles and ensembles.profile.notnull().any():
            _profiles(axis, ensembles)
        else:
            note_absence(axis, "profiles")
        axis.set(xlabel="step s in units of the predicted distance", ylim=(-1.5, 2.2))
    axes[0].set_ylabel("f(x − s δ u) / f(x)")
    return figure


def _profiles(axis: Axes, ensembles: xr.Dataset) -> None:
    """Draw the curves of one width (point, position), which are NaN where there are fewer samples than points.

    A crossing is NaN if it lies beyond the end of the curve.
    """
    curves = ensembles.profile.transpose("point", "position").values
    finite = np.isfinite(curves).any(1)
    s = ensembles.position.values
    axis.plot(s, curves[finite].T, color=BLUE, linewidth=0.5, alpha=min(0.8, max(0.25, 25 / finite.sum())))
    axis.plot(s, 1 - s, "--", color="black", linewidth=0.8)
    axis.axhline(0, color=GREY, linewidth=0.6)
    crossing = ensembles.crossing.fillna(np.inf).values[finite]
    quartiles = np.quantile(crossing, SHARES, method="lower")  # no interpolation: some are infinite
    axis.plot(quartiles, np.zeros(3), "|", color="#d00000", markersize=14, markeredgewidth=1.4, zorder=5)
    beyond = f"\n{np.isinf(crossing).sum()} do not cross" if np.isinf(crossing).any() else ""
    words = f"{finite.sum()} samples{beyond}\nquartiles {', '.join(f'{q:.2f}' for q in quartiles)}"
    axis.text(0.98, 0.97, words, transform=axis.transAxes, ha="right", va="top", fontsize=7)
