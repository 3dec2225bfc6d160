"""Measures of the claims on networks: differences of test errors between depths, widths and labels."""

import numpy as np

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, NotRun, average
from isobath.claims.locality.cells import (
    Cell,
    common_cells,
    common_widths,
    global_,
    largest_n,
    local,
    narrowest_and_widest,
    tasks_of,
)
from isobath.claims.locality.thresholds import DEEP, NARROW, SHALLOW
from isobath.statuses import FITTED, UNFITTED


def width_gain(cells: Cells, task: str, depth: int) -> Estimate:
    """Return error(narrowest) - error(widest), mean over N."""
    pairs = narrowest_and_widest(cells, task, depth)
    return average(cells.error(width=narrow, **at) - cells.error(width=wide, **at) for at, narrow, wide in pairs)


def width_gain_at_largest_n(cells: Cells, task: str, depth: int) -> Estimate:
    """Return error(narrowest) - error(widest) at the largest N with several widths."""
    pairs = narrowest_and_widest(cells, task, depth)[-1:]
    return average(cells.error(width=narrow, **at) - cells.error(width=wide, **at) for at, narrow, wide in pairs)


def spread_lost_by_width(cells: Cells, task: str, depth: int) -> Estimate:
    """Return sd(narrowest) - sd(widest) of the error over networks, mean over N."""
    pairs = narrowest_and_widest(cells, task, depth)
    spread = cells.error_spread
    return average(spread(width=narrow, **at) - spread(width=wide, **at) for at, narrow, wide in pairs)


def narrowest_error(cells: Cells, task: str, depth: int) -> Estimate:
    """Return the error of the narrowest networks at the smallest N with several widths."""
    pairs = narrowest_and_widest(cells, task, depth)[:1]
    return average(cells.error(width=narrow, **at) for at, narrow, _ in pairs)


def error_of_narrow(cells: Cells, task: str) -> Estimate:
    """Return the error of the widest of shallow networks of at most NARROW units, fitted or not, at the largest N."""
    width = max((w for w in common_widths(cells, task, SHALLOW) if w <= NARROW), default=0)
    # What such a network can express is the question, not whether it fits the last sample at a border.
    at = {"task": task, "depth": SHALLOW, "width": width, "n_train": largest_n(cells, task)}
    return cells.error((FITTED, UNFITTED), **at)


def depth_gain(cells: Cells, task: str, worse: int, better: int) -> Estimate:
    """Return error(depth ``worse``) - error(depth ``better``) at the largest N, mean over the common widths."""
    n = largest_n(cells, task)
    common = [cell for cell in common_cells(cells, task, worse, better) if cell["n_train"] == n]
    return average(cells.error(depth=worse, **cell) - cells.error(depth=better, **cell) for cell in common)


def depth_gain_over_n(cells: Cells, task: str, worse: int, better: int) -> Estimate:
    """Return error(depth ``worse``) - error(depth ``better``), mean over N and the common widths."""
    common = common_cells(cells, task, worse, better)
    return average(cells.error(depth=worse, **cell) - cells.error(depth=better, **cell) for cell in common)


def perceptron_gain(cells: Cells, task: str, depth: int) -> Estimate:
    """Return error(widest network) - error(perceptron, L = 0), mean over N."""
    width = max(common_widths(cells, task, depth), default=0)
    alone = set(cells.values("n_train", task=task, depth=0))
    sizes = sorted(alone & set(cells.values("n_train", task=task, depth=depth, width=width)))
    at = [{"task": task, "n_train": n} for n in sizes]
    return average(cells.error(depth=depth, width=width, **a) - cells.error(depth=0, width=0, **a) for a in at)


def label_difference(cells: Cells, depth: int) -> Estimate:
    """Return (error(1-local) - error(1-global)) / mean error, each the mean over N and widths."""
    means = [
        average(cells.error(depth=depth, **cell) for task in tasks for cell in common_cells(cells, task, depth))
        for tasks in (tasks_of(cells, local(1)), tasks_of(cells, global_(1)))
    ]
    return (means[0] - means[1]) * (2 / (means[0].value + means[1].value))


def small_deep_gain(cells: Cells, task: str) -> Estimate:
    """Return error(shallow, widest) - error(deep, narrowest) at the largest N of both.

    Raises NotRun where the shallow network has not more parameters.
    """
    narrow, wide = common_widths(cells, task, DEEP)[:1], common_widths(cells, task, SHALLOW)[-1:]
    if not (narrow and wide):
        raise NotRun(f"{task} has no width at both depths")
    deep: Cell = {"task": task, "depth": DEEP, "width": narrow[0]}
    shallow: Cell = {"task": task, "depth": SHALLOW, "width": wide[0]}
    common = set(cells.values("n_train", **deep)) & set(cells.values("n_train", **shallow))
    if not common:
        raise NotRun(f"{task} has no common N")
    n = max(common)
    if not cells.cell(n_train=n, **shallow).n_parameters.max() > cells.cell(n_train=n, **deep).n_parameters.max():
        raise NotRun(f"the shallow networks of {task} have no more parameters")
    return cells.error(n_train=n, **shallow) - cells.error(n_train=n, **deep)


def depth_slope(cells: Cells, task: str) -> Estimate:
    """Return the slope of the error per layer at the largest N, by least squares over three depths or more."""
    depths = cells.values("depth", task=task)
    if len(depths) < 3:
        raise NotRun(f"{task} has fewer than three depths")
    centred = np.array(depths) - np.mean(depths)
    n, widths = largest_n(cells, task), common_widths(cells, task, *depths)
    errors = [average(cells.error(task=task, depth=d, n_train=n, width=w) for w in widths) for d in depths]
    total = average(e * float(c) for e, c in zip(errors, centred, strict=True)) * len(depths)
    return total * float(1 / (centred**2).sum())
