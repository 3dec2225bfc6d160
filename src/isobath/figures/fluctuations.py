"""Variance of the output over networks against the number of weights (Jacot, Geiger et al., Fig. 5)."""

from typing import Any

import xarray as xr
from matplotlib.figure import Figure

from isobath.plotting import charts
from isobath.settings import Count, Index

LOOKS = {
    "test": ("test set", charts.BLUE, "o"),
    "train": ("training set", charts.GREEN, "s"),
    "normal": ("normal inputs", charts.PURPLE, "D"),
}


def draw(
    cube: xr.DataTree,
    *,
    task: str,
    protocol: str,
    law: str | None = None,
    depth: Index | None = None,
    n_train: Count | None = None,
) -> Figure:
    """The unbiased variance by measure, N*, and the law of ||f - fbar|| on the test set, squared."""
    at: dict[str, Any] = {"task": task, "protocol": protocol, "depth": depth, "n_train": n_train}
    networks, ensembles = charts.cells(cube, "networks", **at), charts.cells(cube, "ensembles", **at)
    n, fraction = charts.n_weights(networks), charts.fraction_fitted(networks)
    figure, (axis,) = charts.panels([""])
    if "variance_unbiased" not in ensembles:
        charts.absent(axis, "ensembles")
        return figure
    variance = ensembles.variance_unbiased.reindex(width=networks.width)
    for measure in variance.measure.values:
        label, color, marker = LOOKS[measure]
        values = variance.sel(measure=measure)
        charts.width_curve(axis, n, values.where(values > 0), fraction, color=color, label=label, marker=marker)
    charts.draw_law(axis, charts.law_line(cube, law, **at), r"law ‖f − f̄‖ $\propto N^{-1/4}$, test set", square=True)
    charts.mark_jamming(axis, charts.cells(cube, "jamming", **at))
    charts.log_scale(axis, "x", charts.WEIGHTS)
    charts.log_scale(axis, "y", "variance over networks ‖f − f̄‖²")
    charts.legends(figure, [axis])
    charts.explain(figure, charts.HOLLOW)
    return figure
