"""The gain of seven layers over one, against the number of terms of a label, from k-local to k-global.

The paper has no such figure. Where the gain is above zero, deeper networks are better.

- ``shallow``: hidden layers of the shallow networks
- ``deep``: hidden layers of the deep networks
"""

import json
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.analysis.estimates import Estimate
from isobath.plotting.axes import panels
from isobath.plotting.cells import at_their_widths, kernel_errors, kernel_title
from isobath.plotting.curves import half_widths
from isobath.plotting.legends import add_legend, explain
from isobath.plotting.style import GREY
from isobath.settings import Index, KernelName, ProtocolName
from isobath.statuses import FITTED, UNTRAINED

READS = ("task_k", "task_dimension", "task_terms")
SWEPT = False
ONE_WIDTH = True
OF_DEPTHS = ("kernel",)
MARKS = "bars: 95 % intervals over draws · points of the kernel stand a little to the right of their m"
KERNEL_MARKERS = "sD^v"
ASIDE = 1.06  # factor by which points of the kernel stand beside those of networks


def draw(
    cube: xr.DataTree,
    *,
    protocol: ProtocolName,
    kernel: KernelName | None = None,
    shallow: Index = 1,
    deep: Index = 7,
) -> Figure:
    """Draw a panel per order k and dimension d that has both depths, a curve per number of samples.

    Each task has networks of one width at these depths. Bars are 95 % intervals over draws.
    """
    networks = cube["networks"].to_dataset().sel(protocol=protocol)
    networks = networks.isel(task=_have_both(networks, shallow, deep))
    networks = at_their_widths(networks.sel(depth=[shallow, deep]))
    fitted = networks.test_error.where(networks.status == FITTED).mean("seed")
    kernels = kernel_errors(cube, kernel)
    if kernels is not None and "depth" not in kernels.dims:
        raise ValueError(
            f"kernel is {kernel!r}, which has no depth and no gain of it; allowed is one of several depths"
        )
    places = sorted(
        {(float(k), float(d)) for k, d in zip(networks.task_k.values, networks.task_dimension.values, strict=True)}
    )
    if kernels is not None:  # those of some tasks, sizes and depths
        kernels = kernels.reindex({dim: networks[dim].values for dim in ("task", "n_train", "depth")})
        kernels = kernels.assign_coords(task_terms=("task", networks.task_terms.values))
    rotated = _rotated(cube)
    figure, axes = panels([f"k = {k:g}, d = {d:g}" for k, d in places])
    for axis, (k, d) in zip(axes, places, strict=True):
        tasks = networks.task[((networks.task_k == k) & (networks.task_dimension == d)).values]
        of_networks = fitted.sel(task=tasks.values)
        of_networks = of_networks.assign_coords(turned=("task", [task in rotated for task in tasks.values]))
        of_kernels = None if kernels is None else kernels.sel(task=tasks.values)
        _panel(axis, of_networks, of_kernels, shallow, deep, title=kernel_title(kernel or ""))
        axis.set_ylabel(f"error(L = {shallow}) − error(L = {deep})")
    add_legend(figure, axes)
    explain(figure, MARKS)
    return figure


def _have_both(networks: xr.Dataset, shallow: int, deep: int) -> np.ndarray:
    """Return which tasks have networks of both depths: a family without them would be an empty panel."""
    trained = ~networks.status.sel(depth=[shallow, deep]).isin(UNTRAINED)
    both = trained.any([dim for dim in trained.dims if dim not in ("task", "depth")]).all("depth")
    return np.flatnonzero(both.values)


def _rotated(cube: xr.DataTree) -> set[str]:
    """Return the tasks whose inputs are rotated, by the settings that the cube was made from."""
    tasks = json.loads(cube.attrs.get("spec", "{}")).get("tasks", {})
    return {name for name, settings in tasks.items() if settings.get("rotated")}


def _panel(
    axis: Axes, networks: xr.DataArray, kernels: xr.DataArray | None, shallow: int, deep: int, *, title: str
) -> None:
    """Draw the gains of networks and of the kernel on the tasks of one family."""
    axis.axhline(0, color="#999999", linewidth=0.6, zorder=1)
    turned = networks.turned.values
    for i, n in enumerate(networks.n_train.values):
        for rotated in (False, True):
            data = networks.sel(n_train=n)[{"task": np.flatnonzero(turned == rotated)}]
            label = f"networks, N = {n}{', rotated' if rotated else ''}"
            style: dict[str, Any] = {
                "color": f"C{i}",
                "marker": "o",
                "markerfacecolor": "white" if rotated else f"C{i}",
                "label": label,
            }
            _curve(axis, data, shallow, deep, linestyle="none" if rotated else "-", **style)
        if kernels is not None:
            data = kernels.sel(n_train=n)[{"task": np.flatnonzero(~turned)}]
            look: dict[str, Any] = {
                "color": GREY,
                "marker": KERNEL_MARKERS[i % len(KERNEL_MARKERS)],
                "label": f"{title}, N = {n}",
            }
            _curve(axis, data, shallow, deep, aside=ASIDE, linestyle="--", **look)
    axis.set_xscale("log", base=2)
    terms = sorted({int(m) for m in networks.task_terms.values})
    axis.set_xticks(terms, [str(m) for m in terms])
    axis.set_xlabel("number of terms m")


def _curve(axis: Axes, errors: xr.DataArray, shallow: int, deep: int, *, aside: float = 1.0, **style: Any) -> None:
    """Draw the gain of depth against the number of terms, times ``aside``, paired by draw."""
    gains = (errors.sel(depth=shallow) - errors.sel(depth=deep)).dropna("task", how="all").sortby("task_terms")
    if not gains.sizes["task"]:
        return
    estimates = [Estimate.over(gains.sel(task=task)) for task in gains.task.values]
    middle = np.array([estimate.value for estimate in estimates])
    axis.errorbar(aside * gains.task_terms.values, middle, yerr=half_widths(estimates), capsize=2, **style)
