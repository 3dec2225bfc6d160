"""Measures of the claims on the NTK and on learning rates: differences of errors of kernels and networks."""

import math

from isobath.analysis.cells import Cells
from isobath.analysis.combinations import average
from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.claims.locality.cells import (
    Cell,
    global_,
    largest_common_n,
    largest_n,
    local,
    narrowest_and_widest,
    swept_rates,
    tasks_of,
)
from isobath.claims.locality.measures import depth_difference, require_widening
from isobath.claims.locality.thresholds import CHANCE, COMPARABLE, DEEP, SHALLOW, SHARE


def kernel_error(cells: Cells, task: str, depth: int, *, n: int | None = None) -> Estimate:
    """Return error(NTK) at N, or at the largest."""
    return cells.regression(task=task, depth=depth, n_train=largest_n(cells, task) if n is None else n)


def kernel_excess(cells: Cells, task: str, depth: int) -> Estimate:
    """Return error(NTK) - error(widest networks of the same depth) at the largest N."""
    coords: Cell = {"task": task, "depth": depth, "n_train": largest_n(cells, task, depth=depth)}
    width = cells.values("width", **coords)[-1]
    return cells.regression(**coords) - cells.error(width=width, **coords)


def kernel_preference(cells: Cells, k: int, depth: int) -> Estimate:
    """Return error(NTK, k-local) - error(NTK, k-global) at the largest N, each the mean over its tasks."""
    means = [
        average(kernel_error(cells, task, depth) for task in tasks)
        for tasks in (tasks_of(cells, local(k)), tasks_of(cells, global_(k)))
    ]
    return means[0] - means[1]


def bias_gain(cells: Cells, task: str, kernel: str) -> Estimate:
    """Return error(NTK) - error(NTK of another bias) of shallow networks at the largest N."""
    coords = {"task": task, "depth": SHALLOW, "n_train": int(cells.group("kernels").n_train.max())}
    return cells.regression(**coords) - cells.at(kernel=kernel).regression(**coords)


def kernel_ratio(cells: Cells, task: str, depth: int) -> Estimate:
    """Return error(NTK) / error(widest networks of the same depth) - 1 at the largest N."""
    coords: Cell = {"task": task, "depth": depth, "n_train": largest_n(cells, task, depth=depth)}
    width = cells.values("width", **coords)[-1]
    return cells.regression(**coords).over_value_of(cells.error(width=width, **coords)) - Estimate(1.0)


def kernel_depth_gain(cells: Cells, task: str, worse: int, better: int, *, n: int | None = None) -> Estimate:
    """Return error(NTK of depth ``worse``) - error(NTK of depth ``better``) at N, or at the largest."""
    return kernel_error(cells, task, worse, n=n) - kernel_error(cells, task, better, n=n)


def depth_dependence_missed(cells: Cells, task: str, worse: int, better: int) -> Estimate:
    """Return SHARE of the gain of the better depth in networks, minus its gain in the NTK, at the largest N of both."""
    n = largest_common_n(cells, task, worse, better)
    return depth_difference(cells, task, worse, better) * SHARE - kernel_depth_gain(cells, task, worse, better, n=n)


def distance_kept(cells: Cells, task: str, depth: int) -> Estimate:
    """Return the distance of the widest networks to the NTK minus SHARE of that of the narrowest, largest N with both.

    It is positive if widening has not brought networks halfway to the NTK, from the side on which they were or beyond.
    """
    pairs = narrowest_and_widest(cells, task, depth)
    if not pairs:
        raise NotRun(f"{task} has one width at L = {depth}")
    coords, narrow, wide = pairs[-1]
    require_widening(narrow, wide)
    kernel = cells.regression(**coords)
    near, far = (distance(kernel, cells.error(width=width, **coords)) for width in (wide, narrow))
    return near - far * SHARE


def distance(first: Estimate, second: Estimate) -> Estimate:
    """Return by how much two errors differ, whichever is the larger."""
    difference = first - second
    return difference * math.copysign(1, difference.value)


def error_at_lowest_rate(swept: Cells, task: str, depth: int) -> Estimate:
    """Return the error at the smallest rate of a sweep at which all networks fitted."""
    coords, rates = swept_rates(swept, task, depth)
    return swept.error(learning_rate=rates[0], **coords)


def error_at_searched_rate(swept: Cells, searched: Cells, task: str, depth: int, *, n: int | None = None) -> Estimate:
    """Return the error, in the cell of a sweep at N or at the largest, at the rate that cross-validation chose.

    The optimum of a sweep by test error would be selected on test data.
    """
    coords, _ = swept_rates(swept, task, depth, n=n)
    return searched.error(**coords)


def error_at_large_rate(swept: Cells, searched: Cells, task: str, depth: int) -> Estimate:
    """Return the error at the searched rate; where none was searched, at the largest at which all networks fitted."""
    try:
        return error_at_searched_rate(swept, searched, task, depth)
    except NotRun:
        coords, rates = swept_rates(swept, task, depth)
        if len(rates) < 2:
            raise Undetermined(f"there are no two rates at which all networks of depth {depth} fit {task}") from None
        return swept.error(learning_rate=rates[-1], **coords)


def lowest_rate_against_kernel(swept: Cells, task: str, depth: int) -> Estimate:
    """Return error(smallest rate at which all networks fit) / error(NTK) - 1.

    Raises Undetermined where an error of chance is comparable with the NTK's as well.
    """
    kernel = _kernel_of_sweep(swept, task, depth)
    if kernel.value * (1 + COMPARABLE) >= CHANCE:
        raise Undetermined(f"the NTK errs by {kernel.value:.3f}: networks that guess are as close to it")
    return error_at_lowest_rate(swept, task, depth).over_value_of(kernel) - Estimate(1.0)


def approach_to_kernel(swept: Cells, searched: Cells, task: str, depth: int) -> Estimate:
    """Return SHARE of the distance to the NTK at a large rate, minus the distance at the smallest rate.

    The large rate is the searched one, if there is one.
    """
    kernel = _kernel_of_sweep(swept, task, depth)
    far = distance(error_at_large_rate(swept, searched, task, depth), kernel)
    near = distance(error_at_lowest_rate(swept, task, depth), kernel)
    return far * SHARE - near


def _kernel_of_sweep(swept: Cells, task: str, depth: int) -> Estimate:
    """Return error(NTK) at the N of a sweep."""
    coords, _ = swept_rates(swept, task, depth)
    return swept.regression(**{axis: value for axis, value in coords.items() if axis != "width"})


def rate_dependence(swept: Cells, searched: Cells, local: str, global_: str) -> Estimate:
    """Return how much more a shallow network loses at the smallest rate on a local task than on a global one."""
    falls = [
        error_at_lowest_rate(swept, task, SHALLOW) - error_at_searched_rate(swept, searched, task, SHALLOW)
        for task in (local, global_)
    ]
    return falls[0] - falls[1]


def rate_dependence_of_depths(swept: Cells, searched: Cells, task: str) -> Estimate:
    """Return how much more a shallow network loses than a deep one from the searched rate to the smallest of a sweep.

    The smallest is that at which all networks of both depths fit.
    """
    return depth_gain_at_lowest_rate(swept, task) + depth_loss_at_searched_rate(swept, searched, task)


def n_of_both_depths(swept: Cells, task: str) -> int:
    """Return the largest N of a sweep at which networks of both depths were trained."""
    shallow, deep = (set(swept.values("n_train", task=task, depth=depth)) for depth in (SHALLOW, DEEP))
    if not shallow & deep:
        raise NotRun(f"no networks of both depths were trained on {task} at one N")
    return int(max(shallow & deep))


def depth_gain_at_lowest_rate(swept: Cells, task: str) -> Estimate:
    """Return error(L = 1) - error(L = 7) at the smallest rate at which all networks of both depths fit.

    Raises Undetermined where there are no two such rates.
    """
    n = n_of_both_depths(swept, task)
    cells, rates = zip(*(swept_rates(swept, task, depth, n=n) for depth in (SHALLOW, DEEP)), strict=True)
    common = set(rates[0]) & set(rates[1])
    if len(common) < 2:
        raise Undetermined(f"there are no two rates at which all networks of both depths fit {task}")
    shallow, deep = (swept.error(learning_rate=min(common), **cell) for cell in cells)
    return shallow - deep


def depth_loss_at_searched_rate(swept: Cells, searched: Cells, task: str) -> Estimate:
    """Return error(L = 7) - error(L = 1) at the searched rates."""
    n = n_of_both_depths(swept, task)
    shallow, deep = (error_at_searched_rate(swept, searched, task, depth, n=n) for depth in (SHALLOW, DEEP))
    return deep - shallow
