"""Test error against the number of training samples, a panel per task (Mori & Ueda, Figs. 1 and 2)."""

import xarray as xr
from matplotlib.figure import Figure

from isobath.analysis.over_networks import over_networks
from isobath.plotting import charts


def draw(cube: xr.DataTree, *, tasks: tuple[str, ...], protocol: str, kernel: str | None = None) -> Figure:
    """One curve per (depth, width) of ``protocol``, dashed ones for ``kernel``, panels in the order of ``tasks``."""
    networks = cube["networks"].to_dataset().sel(protocol=protocol)
    shown = [task for task in tasks if task in networks.task]
    figure, axes = charts.panels([charts.task_title(networks, task) for task in shown])
    depths = networks.depth.values.tolist()
    widths = [w for w in networks.width.values.tolist() if w]
    for axis, task in zip(axes, shown, strict=True):
        summary = over_networks(networks.sel(task=task))
        for depth in depths:
            color = charts.depth_color(depth)
            for width in widths if depth else [0]:
                charts.network_curve(
                    axis,
                    summary.sel(depth=depth, width=width),
                    along="n_train",
                    color=color,
                    marker=charts.width_marker(width, widths) if width else ".",
                    label=f"L = {depth}, H = {width}" if depth else "L = 0, perceptron",
                )
        errors = charts.kernel_errors(cube, kernel, task=task)
        if errors is not None:
            for depth in errors.depth.values.tolist():
                color, label = charts.depth_color(depth), f"NTK, L = {depth}"
                charts.kernel_curve(axis, errors.sel(depth=depth), along="n_train", color=color, label=label)
        charts.log_ticks(
            axis, summary.n_train.values[(summary.trained > 0).any(["depth", "width"])], "training samples N"
        )
    charts.legend(figure, axes)
    charts.error_axes(axes)
    charts.explain(figure)
    return figure
