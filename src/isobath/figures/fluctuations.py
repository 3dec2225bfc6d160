"""Variance of the output over networks against the number of weights (Jacot, Geiger et al., Fig. 5)."""

from typing import Any

import xarray as xr
from matplotlib.figure import Figure

from isobath.plotting.axes import WEIGHTS, panels, set_log_scale
from isobath.plotting.cells import fraction_fitted, n_weights, select
from isobath.plotting.curves import draw_width_curve
from isobath.plotting.laws import draw_law, law_line, mark_jamming
from isobath.plotting.legends import HOLLOW, add_legends, explain, note_absence
from isobath.plotting.style import BLUE, GREEN, PURPLE
from isobath.settings import Count, Index, LawName, ProtocolName, TaskName

LOOKS = {
    "test": ("test set", BLUE, "o"),
    "train": ("training set", GREEN, "s"),
    "normal": ("normal inputs", PURPLE, "D"),
}


def draw(
    cube: xr.DataTree,
    *,
    task: TaskName,
    protocol: ProtocolName,
    law: LawName | None = None,
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """Draw the unbiased variance on each set of inputs, N*, and the squared law of ||f - fbar|| on the test set."""
    cell: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train}
    networks, ensembles = select(cube, "networks", **cell), select(cube, "ensembles", **cell)
    n, fraction = n_weights(networks), fraction_fitted(networks)
    figure, (axis,) = panels([""])
    if "variance_unbiased" not in ensembles:
        note_absence(axis, "ensembles")
        return figure
    variance = ensembles.variance_unbiased.reindex(width=networks.width)
    for measure in variance.measure.values:
        label, color, marker = LOOKS[measure]
        values = variance.sel(measure=measure)
        draw_width_curve(axis, n, values.where(values > 0), fraction, color=color, label=label, marker=marker)
    if line := law_line(cube, law, **cell):
        draw_law(axis, line, f"{line.of('‖f − f̄‖')}, test set", square=True)
    mark_jamming(axis, select(cube, "jamming", **cell))
    set_log_scale(axis, "x", WEIGHTS)
    set_log_scale(axis, "y", "variance over networks ‖f − f̄‖²")
    add_legends(figure, [axis])
    explain(figure, HOLLOW)
    return figure
