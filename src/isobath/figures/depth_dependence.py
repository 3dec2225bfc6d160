"""Test error against depth at fixed N and width, a curve per task (Mori & Ueda, Fig. 3)."""

import xarray as xr
from matplotlib.figure import Figure

from isobath.analysis.over_networks import over_networks
from isobath.plotting import charts


def draw(cube: xr.DataTree, *, tasks: tuple[str, ...], protocol: str, kernel: str | None = None) -> Figure:
    """Each task at its own N and width (the grid has one of each); dashed: the kernel on the same data."""
    networks = cube["networks"].to_dataset().sel(protocol=protocol)
    figure, (axis,) = charts.panels([""])
    for i, task in enumerate(t for t in tasks if t in networks.task):
        summary = over_networks(networks.sel(task=task))
        trained = summary.trained.sum("depth").stack(place=("n_train", "width"))
        n, width = trained.place.values[int(trained.values.argmax())]
        color = f"C{i}"
        title = f"{charts.task_title(networks, task)}, N = {n}, H = {width}"
        points = summary.sel(n_train=n, width=width)
        charts.network_curve(
            axis, points, along="depth", color=color, marker=charts.MARKERS[i % len(charts.MARKERS)], label=title
        )
        errors = charts.kernel_errors(cube, kernel, task=task, n_train=n)
        if errors is not None:
            charts.kernel_curve(axis, errors, along="depth", color=color, label=f"{task.split('_')[0]}, NTK")
    charts.error_axes([axis])
    axis.set_xlabel("depth L (hidden layers)")
    axis.set_xticks(networks.depth.values)
    figure.legend(loc="outside lower center", ncols=1)
    charts.explain(figure)
    return figure
