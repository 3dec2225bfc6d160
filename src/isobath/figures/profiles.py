"""The output along its gradient, from samples between two boundaries (Jacot, Geiger et al., appendix A, Fig. 9)."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.plotting import charts
from isobath.settings import Count, Index

SHARES = (0.25, 0.5, 0.75)


def draw(
    cube: xr.DataTree,
    *,
    task: str,
    protocol: str,
    widths: tuple[Count, ...],
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """A panel per width: a curve per sample, 1 - s where f is linear, and quartiles of where they vanish, in red."""
    at: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train}
    cells = [charts.cells(cube, "networks", **at, width=width) for width in widths]
    titles = [f"h = {w}, N = {float(cell.n_weights.mean()):.0f}" for w, cell in zip(widths, cells, strict=True)]
    figure, axes = charts.panels(titles, columns=3)
    for axis, width in zip(axes, widths, strict=True):
        ensembles = charts.cells(cube, "ensembles", **at, width=width)
        if "profile" in ensembles and ensembles.profile.notnull().any():
            _profiles(axis, ensembles)
        else:
            charts.absent(axis, "profiles")
        axis.set(xlabel="step s in units of the predicted distance", ylim=(-1.5, 2.2))
    axes[0].set_ylabel("f(x − s δ u) / f(x)")
    return figure


def _profiles(axis: Axes, ensembles: xr.Dataset) -> None:
    """Places of ``point`` that no sample takes are NaN throughout; a crossing that is NaN lies beyond the curve."""
    curves = ensembles.profile.transpose("point", "position").values
    there = np.isfinite(curves).any(1)
    s = ensembles.position.values
    axis.plot(s, curves[there].T, color=charts.BLUE, linewidth=0.5, alpha=min(0.8, max(0.25, 25 / there.sum())))
    axis.plot(s, 1 - s, "--", color="black", linewidth=0.8)
    axis.axhline(0, color=charts.GREY, linewidth=0.6)
    crossing = np.sort(ensembles.crossing.fillna(np.inf).values[there])
    quartiles = crossing[[int(share * (len(crossing) - 1)) for share in SHARES]]
    axis.plot(quartiles, np.zeros(3), "|", color="#d00000", markersize=14, markeredgewidth=1.4, zorder=5)
    axis.text(0.98, 0.97, f"{there.sum()} samples", transform=axis.transAxes, ha="right", va="top", fontsize=7)
