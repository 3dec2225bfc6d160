"""Measures of the claims on the NTK and on learning rates: differences of errors of kernels and networks."""

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, average
from isobath.claims.locality.cells import Cell, global_, largest_n, local, swept_rates, tasks_of
from isobath.claims.locality.thresholds import DEEP, SHALLOW


def kernel_error(cells: Cells, task: str, depth: int) -> Estimate:
    """Return error(NTK) at the largest N."""
    return cells.regression(task=task, depth=depth, n_train=largest_n(cells, task))


def kernel_excess(cells: Cells, task: str, depth: int) -> Estimate:
    """Return error(NTK) - error(widest networks of the same depth) at the largest N."""
    at: Cell = {"task": task, "depth": depth, "n_train": largest_n(cells, task, depth=depth)}
    width = cells.values("width", **at)[-1]
    return cells.regression(**at) - cells.error(width=width, **at)


def kernel_preference(cells: Cells, k: int, depth: int) -> Estimate:
    """Return error(NTK, k-local) - error(NTK, k-global) at the largest N, each the mean over its tasks."""
    means = [
        average(kernel_error(cells, task, depth) for task in tasks)
        for tasks in (tasks_of(cells, local(k)), tasks_of(cells, global_(k)))
    ]
    return means[0] - means[1]


def bias_gain(cells: Cells, task: str, kernel: str) -> Estimate:
    """Return error(NTK) - error(NTK of another bias) of shallow networks at the largest N."""
    at = {"task": task, "depth": SHALLOW, "n_train": int(cells.group("kernels").n_train.max())}
    return cells.regression(**at) - cells.at(kernel=kernel).regression(**at)


def error_at_lowest_rate(swept: Cells, task: str, depth: int) -> Estimate:
    """Return the error at the smallest rate of a sweep at which all networks fitted."""
    at, rates = swept_rates(swept, task, depth)
    return swept.error(learning_rate=rates[0], **at)


def error_at_searched_rate(swept: Cells, searched: Cells, task: str, depth: int) -> Estimate:
    """Return the error, in the cell of a sweep, at the rate that cross-validation chose.

    The optimum of a sweep by test error would be selected on test data.
    """
    at, _ = swept_rates(swept, task, depth)
    return searched.error(**at)


def lowest_rate_minus_kernel(swept: Cells, task: str, depth: int) -> Estimate:
    """Return error(smallest rate at which all networks fit) - error(NTK)."""
    at, _ = swept_rates(swept, task, depth)
    kernel = {axis: value for axis, value in at.items() if axis != "width"}
    return error_at_lowest_rate(swept, task, depth) - swept.regression(**kernel)


def rate_dependence(swept: Cells, searched: Cells, local: str, global_: str) -> Estimate:
    """Return how much more a shallow network loses at the smallest rate on a local task than on a global one."""
    falls = [
        error_at_lowest_rate(swept, task, SHALLOW) - error_at_searched_rate(swept, searched, task, SHALLOW)
        for task in (local, global_)
    ]
    return falls[0] - falls[1]


def depth_gain_at_lowest_rate(swept: Cells, task: str) -> Estimate:
    """Return error(L = 1) - error(L = 7) at the smallest rates of a sweep."""
    return error_at_lowest_rate(swept, task, SHALLOW) - error_at_lowest_rate(swept, task, DEEP)


def depth_loss_at_searched_rate(swept: Cells, searched: Cells, task: str) -> Estimate:
    """Return error(L = 7) - error(L = 1) at the searched rates."""
    return error_at_searched_rate(swept, searched, task, DEEP) - error_at_searched_rate(swept, searched, task, SHALLOW)
