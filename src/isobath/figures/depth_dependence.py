"""Test error against depth at fixed N and width, a curve per task (Mori & Ueda, Fig. 3).

- ``status``: networks that are averaged, ``fitted`` ones, or all that are ``finite``, as for noisy labels
"""

from typing import Literal

import xarray as xr
from matplotlib.figure import Figure

from isobath.analysis.over_networks import over_networks
from isobath.plotting.axes import panels, set_error_axes, task_title
from isobath.plotting.cells import has_two_classes, kernel_errors, kernel_title, width_at_depths
from isobath.plotting.curves import draw_kernel_curve, draw_network_curve
from isobath.plotting.legends import KERNEL_BARS, bars, explain, join
from isobath.plotting.style import marker
from isobath.settings import KernelName, ProtocolName, TaskName

SWEPT = False


def draw(
    cube: xr.DataTree,
    *,
    tasks: tuple[TaskName, ...],
    protocol: ProtocolName,
    kernel: KernelName | None = None,
    status: Literal["fitted", "finite"] = "fitted",
) -> Figure:
    """Draw a curve per task, at the N and width that the grid has for it, and dashed the kernel on the same data."""
    networks = cube["networks"].to_dataset().sel(protocol=protocol)
    two_classes = has_two_classes(cube)
    figure, (axis,) = panels([""])
    for i, task in enumerate(t for t in tasks if t in networks.task):
        summary = over_networks(networks.sel(task=task), status=status)
        trained = summary.trained.sel(width=summary.width > 0).sum("depth").stack(place=("n_train", "width"))
        n, width = trained.place.values[int(trained.values.argmax())]
        color = f"C{i}"
        title = f"{task_title(networks, task)}, N = {n}, H = {width}"
        points = summary.sel(n_train=n, width=width_at_depths(summary, width))
        look = {"color": color, "marker": marker(i), "label": title}
        draw_network_curve(axis, points, along="depth", two_classes=two_classes, **look)
        errors = kernel_errors(cube, kernel, task=task, n_train=n)
        if kernel and errors is not None:
            errors = errors if "depth" in errors.dims else errors.expand_dims(depth=networks.depth)
            draw_kernel_curve(axis, errors, along="depth", color=color, label=f"{task}, {kernel_title(kernel)}")
    set_error_axes([axis], two_classes=two_classes)
    axis.set_xlabel("depth L (hidden layers)")
    axis.set_xticks(networks.depth.values)
    figure.legend(loc="outside lower center", ncols=1)
    explain(figure, join(bars(status), KERNEL_BARS if kernel else ""))
    return figure
