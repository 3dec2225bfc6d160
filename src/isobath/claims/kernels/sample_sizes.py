"""Claims of our own on sample sizes: how many samples N(d) an error of 1/4 takes, against the dimension d."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis import axes
from isobath.analysis.cells import Cells
from isobath.analysis.combinations import slope
from isobath.analysis.crossings import crossing
from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.kernels.regimes import DEEP, SHALLOW, error
from isobath.claims.kernels.thresholds import FEWER_SAMPLES, FEWEST_DIMENSIONS, HALF_LEARNED, SAME_SAMPLES

LOCAL, GLOBAL = "k_local", "k_global"
Errors = Callable[..., Estimate]  # of a task, a depth and an n_train


def by_dimension(cells: Cells, kind: str) -> dict[int, str]:
    """Return the tasks of a kind by their dimension, increasing. Raises NotRun for fewer than two."""
    tasks = {cells.settings(task)["dimension"]: task for task in cells.tasks(kind=kind)}
    if len(tasks) < 2:
        raise NotRun(f"there are no {kind} labels of two dimensions")
    return dict(sorted(tasks.items()))


def of_networks(cells: Cells, *, task: str, depth: int) -> dict[int, Estimate]:
    """Estimate the errors of networks by N, increasing."""
    coords: dict[str, Any] = {"task": task, "depth": depth}
    return {n: error(cells, n_train=n, **coords) for n in cells.values("n_train", **coords)}


def of_kernel(cells: Cells, *, task: str, depth: int) -> dict[int, Estimate]:
    """Estimate the errors of the tangent kernel by N, increasing. Raises Undetermined where those of an N failed."""
    kernels = cells.group("kernels")
    coords = {"task": task, "depth": depth}
    present = axes.select(kernels, coords).test_error.notnull().any("draw")
    sizes = kernels.n_train.values[present.values].tolist()
    if lost := sorted(asked_of_kernel(cells, str(kernels.kernel.item()), task=task, depth=depth) - {*sizes}):
        raise Undetermined(f"the regressions of N = {', '.join(map(str, lost))} failed")
    return {n: cells.regression(n_train=n, **coords) for n in sizes}


def asked_of_kernel(cells: Cells, kernel: str, *, task: str, depth: int) -> set[int]:
    """Return the N at which the study asks for a kernel of a task and a depth; none for a made-up cube."""
    blocks = [block for block in cells.spec().get("blocks", ()) if kernel in block["kernels"]]
    return {n for block in blocks if task in block["tasks"] and depth in block["depth"] for n in block["n_train"]}


def log_samples(errors: Mapping[int, Estimate]) -> Estimate:
    """Estimate ln N at which the error reaches HALF_LEARNED."""
    if len(errors) < 2:
        raise NotRun("there are no two sizes of the training set")
    return crossing(np.log([*errors]), [*errors.values()], HALF_LEARNED)


def exponent(cells: Cells, errors: Callable[..., dict[int, Estimate]], kind: str, depth: int) -> Estimate:
    """Estimate a of N ~ d^a, the slope of ln N against ln d."""
    tasks = by_dimension(cells, kind)
    if len(tasks) < FEWEST_DIMENSIONS:
        raise Undetermined(f"{len(tasks)} dimensions are too few for an exponent; {FEWEST_DIMENSIONS} are needed")
    points = [log_samples(errors(cells, task=task, depth=depth)) for task in tasks.values()]
    return slope(np.log([*tasks]), points)


def cells_of(tree: xr.DataTree) -> Cells:
    """Return the cells of the grid, which has one protocol, one kernel and one width."""
    return Cells.of(tree, "samples", first=("protocol", "kernel", "width"))


def depths(cells: Cells) -> list[int]:
    """List the depths of the networks."""
    return [int(depth) for depth in cells.values("depth")]


def order(cells: Cells, kind: str) -> int:
    """Return k, the degree of the labels of a kind."""
    return int(cells.settings(next(iter(by_dimension(cells, kind).values())))["k"])


def _exponent_criterion(label: str, value: float, measure: Any, *args: Any) -> Criterion:
    return criterion(label, measure, *args, above=value - SAME_SAMPLES, below=value + SAME_SAMPLES)


@claim(
    f"The tangent kernel learns labels of degree k from d^(k +- {SAME_SAMPLES:g}) samples, local or global",
    statistic="a of N ~ d^a at which the error of the NTK reaches 1/4, against k = 2",
    own=True,
)
def kernel_needs_all_harmonics(tree: xr.DataTree) -> list[Criterion]:
    cells = cells_of(tree)
    places = [(kind, depth) for kind in (LOCAL, GLOBAL) for depth in depths(cells)]
    return [
        _exponent_criterion(f"{kind}, L = {depth}", order(cells, kind), exponent, cells, of_kernel, kind, depth)
        for kind, depth in places
    ]


@claim(
    "Networks learn local labels from fewer samples than there are harmonics",
    statistic="a of N ~ d^a at which the error of networks reaches 1/4 on 2-local labels",
    own=True,
)
def networks_need_fewer_samples_for_local(tree: xr.DataTree) -> list[Criterion]:
    cells = cells_of(tree)
    return [
        criterion(f"L = {depth}", exponent, cells, of_networks, LOCAL, depth, below=FEWER_SAMPLES)
        for depth in depths(cells)
    ]


@claim(
    f"Networks learn global labels of degree k from d^(k +- {SAME_SAMPLES:g}) samples, at any depth",
    statistic="a of N ~ d^a at which the error of networks reaches 1/4 on 2-global labels, against k = 2",
    own=True,
)
def networks_need_all_harmonics_for_global(tree: xr.DataTree) -> list[Criterion]:
    cells = cells_of(tree)
    k = order(cells, GLOBAL)
    return [
        _exponent_criterion(f"L = {depth}", k, exponent, cells, of_networks, GLOBAL, depth) for depth in depths(cells)
    ]


def change_with_depth(cells: Cells, kind: str) -> Estimate:
    """Estimate the exponent of L = 7 minus that of L = 1."""
    deep, shallow = (exponent(cells, of_networks, kind, depth) for depth in (DEEP, SHALLOW))
    return deep - shallow


@claim(
    f"Depth changes the exponent of the number of samples by less than {SAME_SAMPLES:g}",
    statistic="exponent a of L = 7 minus that of L = 1, for local and global labels",
    own=True,
)
def depth_leaves_the_exponent(tree: xr.DataTree) -> list[Criterion]:
    cells = cells_of(tree)
    return [_exponent_criterion(kind, 0.0, change_with_depth, cells, kind) for kind in (LOCAL, GLOBAL)]
