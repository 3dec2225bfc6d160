"""Cells of a cube, as figures draw them: selected groups, errors of kernels, statistics of a width."""

import json
import re
from typing import Any

import numpy as np
import xarray as xr

from isobath import plugins
from isobath.statuses import FINITE, FITTED, UNTRAINED

KERNELS = {  # words for the names of kernels, and of their families, in the studies
    "ntk": "NTK",
    "nngp": "NNGP",
    "rf": "random features",
    "step": "step activations",
    "laplace": "Laplace",
}
CLASSES = 2  # outputs of networks that tell two classes apart, at most


def select(cube: xr.DataTree, group: str, **cell: Any) -> xr.Dataset:
    """Return a group of a cube, such as ``laws/norm``, at the values of dims in ``cell``.

    For depth, n_train and draw, None (or no value) selects the first value and ``...`` all values. The dataset is
    empty if the cube has no such group. Raises ValueError for a value that the cube does not have.
    """
    node = cube
    for part in group.split("/"):
        if part not in node.children:
            return xr.Dataset()
        node = node.children[part]
    data = node.to_dataset()
    for dim, value in ({"depth": None, "n_train": None, "draw": None} | cell).items():
        if dim not in data.dims or value is ...:
            continue
        if value is not None and value not in data[dim].values:
            raise ValueError(f"{dim} is {value!r}; the cube has {', '.join(map(str, data[dim].values))}")
        data = data.isel({dim: 0}) if value is None else data.sel({dim: value})
    return data


def ensembles_of_one_width(cube: xr.DataTree, **cell: Any) -> tuple[xr.Dataset, dict[str, Any]]:
    """Return the ensembles of a cube at the values of dims in ``cell``, by default of the first width, and the cell."""
    ensembles = select(cube, "ensembles", **cell)
    if cell["width"] is None and "width" in ensembles.dims:
        cell |= {"width": ensembles.width.values[0].item()}
        ensembles = ensembles.isel(width=0)
    return ensembles, cell


def networks_of_all_draws(cube: xr.DataTree, **cell: Any) -> xr.Dataset:
    """Return the networks of a cube at the values of dims in ``cell``, those of all draws along seed."""
    networks = select(cube, "networks", draw=..., **cell)
    if "draw" not in networks.dims:
        return networks
    return (
        networks.stack(network=("draw", "seed"), create_index=False).drop_vars(["draw", "seed"]).rename(network="seed")
    )


def has_two_classes(cube: xr.DataTree) -> bool:
    """Tell whether all tasks of a cube, by the settings that it was made from, have two classes; True for none."""
    tasks = json.loads(cube.attrs.get("spec", "{}")).get("tasks", {}).values()
    known = [plugins.ends(task) for task in tasks if task.get("kind") in plugins.kinds("task")]
    return all(ends.outputs <= CLASSES and not ends.real for ends in known)


def tasks_of_wave(data: xr.Dataset, *, triangles: int, folds: int | None = None) -> list[str]:
    """Return the tasks of a group of a cube whose labels are a wave of ``triangles``, composed ``folds`` times or any.

    Raises ValueError if there is none.
    """
    settings = zip(data.task.values, data.task_folds.values, data.task_triangles.values, strict=True)
    waves = {str(task): (int(k), int(t)) for task, k, t in settings if np.isfinite([k, t]).all()}  # NaN: another kind
    tasks = [task for task, (k, t) in waves.items() if t == triangles and folds in (k, None)]
    if not tasks:
        asked = f"triangles is {triangles}" if folds is None else f"folds is {folds} and triangles is {triangles}"
        there = ", ".join(f"{k} and {t}" for k, t in sorted({*waves.values()}))
        raise ValueError(f"{asked}; the cube has folds and triangles {there}")
    return tasks


def width_at_depths(networks: xr.Dataset, width: int) -> xr.DataArray:
    """Return the width (depth) of networks of a width, 0 where there is no hidden layer."""
    widths = [0 if depth == 0 and 0 in networks.width else width for depth in networks.depth.values.tolist()]
    return xr.DataArray(widths, {"depth": networks.depth.values}, dims="depth")


def at_their_widths(networks: xr.Dataset) -> xr.Dataset:
    """Return networks without the dim width, each task at the one width that it was trained at.

    Raises ValueError for a task that was trained at several: a figure without a width has one curve for them.
    """
    trained = ~networks.status.isin(UNTRAINED)
    there = trained.any([dim for dim in trained.dims if dim not in ("task", "width")])
    for task in there.task.values:
        widths = networks.width.values[there.sel(task=task).values]
        if len(widths) > 1:
            raise ValueError(f"{task} has networks of width {', '.join(map(str, widths))}; this figure takes one width")
    return networks.isel(width=there.argmax("width"))


def kernel_errors(cube: xr.DataTree, kernel: str | None, **cell: Any) -> xr.DataArray | None:
    """Return the test errors of a kernel regression at the values of dims in ``cell``; None if the cube has none.

    Those of a kernel without a depth have no such dim, and are the same for each depth.
    """
    for group in (node.to_dataset() for node in cube.children.values()):
        if "test_error" in group and "kernel" in group.dims and kernel in group.kernel.values:
            errors = group.test_error
            place = {dim: value for dim, value in cell.items() if dim in errors.dims}
            there = all(value in errors[dim].values for dim, value in place.items())
            return errors.sel(kernel=kernel, **place) if there else None
    return None


def kernel_title(kernel: str) -> str:
    """Return the name of a kernel of a study, or of a family, as titles and legends have it: 'NTK, β = 0.1'."""
    name, *settings = re.split("[_ ]", kernel)
    if name not in KERNELS:
        return kernel
    return KERNELS[name] + "".join(map(_setting, settings))


def _setting(word: str) -> str:
    """Return a part of a kernel's name, such as bias, beta0.1 or L=2, in words."""
    if word == "bias":
        return " with bias"
    beta = word.removeprefix("beta")
    return f", β = {beta}" if beta != word else f", {word.replace('=', ' = ')}"


def width_label(networks: xr.Dataset) -> str:
    """Return what the width of networks counts, as their kind says it, such as channels; "width" for units."""
    kinds = {*networks.protocol_network.values.flat} if "protocol_network" in networks.coords else set()
    known = kinds & {*plugins.kinds("network")}
    words = {str(plugins.literal("network", kind, "WIDTH", "width")) for kind in known}
    return words.pop() if len(words) == 1 else "width"


def not_diverged(networks: xr.Dataset, variable: str) -> xr.DataArray:
    """Return a variable of the networks that did not diverge, fitted or not (below N* none fits), NaN elsewhere."""
    return networks[variable].where(networks.status.isin(FINITE))


def n_weights(networks: xr.Dataset) -> np.ndarray:
    """Return N of each width (w,), NaN where no network was trained."""
    return np.asarray(networks.n_weights.mean("seed"), dtype=float)


def fraction_fitted(networks: xr.Dataset) -> np.ndarray:
    """Return the fraction of the networks of each width (w,) that fit; diverged networks count as not fitted.

    The fraction is NaN where no network was trained.
    """
    trained = (~networks.status.isin(UNTRAINED)).sum("seed")
    return np.asarray((networks.status == FITTED).sum("seed") / trained.where(trained > 0), dtype=float)
