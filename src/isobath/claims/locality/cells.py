"""Cells that the claims of Mori & Ueda compare: tasks by label, common and extreme widths, rates of a sweep.

They are those that the run was asked for: where jobs of one failed, a claim says so and takes no other in its place.
"""

from typing import Any

import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import NotRun, Undetermined
from isobath.claims.locality.thresholds import PAPER_BIAS
from isobath.statuses import FAILED, FITTED, MISSING, UNTRAINED

Cell = dict[str, Any]  # values of axes
Label = tuple[str, int]  # kind and k of a task


def grid_of(tree: xr.DataTree, grid: str, *, protocol: str = "sgd") -> Cells:
    """Return the cells of a grid in the regime of the paper, trained by a protocol, with the kernel of the paper."""
    return overparametrised(grid_of_any_size(tree, grid, protocol=protocol))


def grid_of_any_size(tree: xr.DataTree, grid: str, *, protocol: str) -> Cells:
    """Return the cells of a grid, also of networks that have fewer parameters than samples."""
    return Cells.of(tree, grid, protocol=protocol, kernel="ntk")


def overparametrised(cells: Cells) -> Cells:
    """Mark networks that have no more parameters than samples as missing, as if the grid had not asked for them.

    The paper restricts itself to the others (section 2.2). Its perceptrons (L = 0) are compared all the same.
    """

    def restricted(networks: xr.Dataset) -> xr.Dataset:
        others = [dim for dim in networks.n_parameters.dims if dim not in ("task", "depth", "width")]
        size = networks.n_parameters.max(others)  # of networks whose jobs failed as well, where others were trained
        unknown = size.isnull() & (networks.status == FAILED)
        inside = (size > networks.n_train) | (networks.depth == 0) | unknown
        return networks.assign(status=networks.status.where(inside, MISSING))

    return cells.mapped("networks", restricted)


def local(*ks: int) -> list[Label]:
    """Return the k-local labels."""
    return [("k_local", k) for k in ks]


def global_(*ks: int) -> list[Label]:
    """Return the k-global labels."""
    return [("k_global", k) for k in ks]


def tasks_of(cells: Cells, labels: list[Label]) -> list[str]:
    """List the tasks of a grid with these labels; where there is none, a name for the criterion that was not run."""
    names = ((cells.tasks(kind=kind, k=k), f"{k}-{kind.removeprefix('k_')}") for kind, k in labels)
    return [task for tasks, fallback in names for task in tasks or [fallback]]


def common_widths(cells: Cells, task: str, *depths: int) -> list[int]:
    """List the widths at which all of the depths were trained, increasing."""
    return sorted(set.intersection(*(set(cells.values("width", task=task, depth=depth)) for depth in depths)))


def common_cells(cells: Cells, task: str, *depths: int) -> list[Cell]:
    """List the (task, width, n_train) at which all of the depths were trained; a grid need not be a full product."""
    return [
        {"task": task, "width": width, "n_train": n}
        for width in common_widths(cells, task, *depths)
        for n in cells.values("n_train", task=task, width=width)
        if all(n in cells.values("n_train", task=task, width=width, depth=depth) for depth in depths)
    ]


def largest_common_n(cells: Cells, task: str, *depths: int) -> int:
    """Return the largest N at which all of the depths were trained at a common width."""
    common = common_cells(cells, task, *depths)
    if not common:
        raise NotRun(f"no width and N of {task} has networks of the depths {' and '.join(map(str, depths))}")
    return max(int(cell["n_train"]) for cell in common)


def largest_n(cells: Cells, task: str, **coords: Any) -> int:
    """Return the largest N at which networks were trained for a task."""
    sizes = cells.values("n_train", task=task, **coords)
    if not sizes:
        raise NotRun(f"no networks were trained on {task}")
    return int(sizes[-1])


def narrowest_and_widest(cells: Cells, task: str, depth: int) -> list[tuple[Cell, int, int]]:
    """List, for every N with several widths, the cell without its width, and the extreme widths."""
    pairs = []
    for n in cells.values("n_train", task=task, depth=depth):
        cell = {"task": task, "depth": depth, "n_train": n}
        widths = cells.values("width", **cell)
        if len(widths) > 1:
            pairs.append((cell, widths[0], widths[-1]))
    return pairs


def larger_biases(cells: Cells) -> list[str]:
    """List the kernels with a larger bias beta than the paper's, in the order of beta; none without kernels."""
    if not cells.has("kernels"):
        return []
    kernels = cells.free("kernel").group("kernels").sortby("kernel_beta")
    return [str(kernel) for kernel in kernels.kernel.values[kernels.kernel_beta.values > PAPER_BIAS]]


def swept_rates(cells: Cells, task: str, depth: int, *, n: int | None = None) -> tuple[Cell, list[float]]:
    """Return the widest cell of a sweep, at N or at the largest, and the rates at which all of its networks fitted.

    Rates increase. Raises NotRun where nothing was trained, and Undetermined where there is no such rate.
    """
    sizes = cells.values("n_train", task=task, depth=depth)
    if not sizes:
        raise NotRun(f"no networks of depth {depth} were trained on {task}")
    coords: Cell = {"task": task, "depth": depth, "n_train": int(sizes[-1]) if n is None else n}
    coords["width"] = cells.values("width", **coords)[-1]
    cell = cells.cell(**coords)
    trained = ~cell.status.isin(UNTRAINED)
    fitted = ((cell.status == FITTED) | ~trained).all(["draw", "seed"]) & trained.any(["draw", "seed"])
    rates = cell.learning_rate.values[fitted.values].tolist()
    if not rates:
        raise Undetermined(f"there is no rate at which all networks of depth {depth} fit {task}")
    return coords, rates
