"""Scatter and change of tangent kernels, and what they predict (Jacot, Geiger et al., sections 5 and C.2)."""

from typing import Any

import xarray as xr
from matplotlib.figure import Figure

from isobath.plotting.axes import WEIGHTS, panels, set_log_scale
from isobath.plotting.cells import fraction_fitted, n_weights, select
from isobath.plotting.curves import draw_dots, draw_width_curve
from isobath.plotting.laws import draw_law, law_line, mark_jamming
from isobath.plotting.legends import HOLLOW, add_legends, explain, note_absence
from isobath.plotting.style import BLUE
from isobath.settings import Count, Index, LawName, ProtocolName, TaskName

TITLES = ("scatter at the start", "change in training", "prediction of f − f̄")
VARIABLES = ("kernel_fluctuation", "kernel_change", "predicted_correlation")
LABELS = ("|Θ − mean| / |mean|", "|Θ(t) − Θ(0)| / |Θ(0)|", "correlation with f − f̄")


def draw(
    cube: xr.DataTree,
    *,
    task: TaskName,
    protocol: ProtocolName,
    laws: tuple[LawName, LawName] | None = None,
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """Draw the three panels against N, with ``laws`` of the first two; dots are networks, points their means."""
    cell: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train}
    networks, kernels = select(cube, "networks", **cell), select(cube, "tangent_kernels", **cell)
    figure, axes = panels(TITLES)
    if "kernel_change" not in kernels:
        for axis in axes:
            note_absence(axis, "tangent kernels")
        return figure
    kernels = kernels.reindex(width=networks.width)
    n, fraction = n_weights(networks), fraction_fitted(networks)
    for axis, name, label in zip(axes, VARIABLES, LABELS, strict=True):
        draw_dots(axis, n, kernels[name], BLUE)
        draw_width_curve(axis, n, kernels[name].mean("seed"), fraction, color=BLUE, label="mean")
        mark_jamming(axis, select(cube, "jamming", **cell))
        set_log_scale(axis, "x", WEIGHTS)
        axis.set_ylabel(label)
    for axis, law in zip(axes, laws or [None] * 2, strict=False):
        draw_law(axis, law_line(cube, law, **cell))
        set_log_scale(axis, "y", axis.get_ylabel())
    axes[2].axhline(0, color="0.6", linewidth=0.6)
    add_legends(figure, axes)
    explain(figure, HOLLOW)
    return figure
