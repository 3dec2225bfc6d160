"""Measures of the claims on networks: differences of test errors between depths, widths and labels."""

from collections.abc import Iterable
from itertools import product

import numpy as np

from isobath.analysis.cells import Cells
from isobath.analysis.combinations import average, slope
from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.claims.locality.cells import (
    Cell,
    common_cells,
    common_widths,
    global_,
    largest_common_n,
    largest_n,
    local,
    narrowest_and_widest,
    tasks_of,
)
from isobath.claims.locality.thresholds import DEEP, FAILS, FEWEST_DEPTHS, NARROW, PERFECT, SHALLOW, WIDENS
from isobath.statuses import FITTED, UNFITTED


def width_gain(cells: Cells, task: str, depth: int) -> Estimate:
    """Return error(narrowest) - error(widest), mean over N."""
    pairs = narrowest_and_widest(cells, task, depth)
    return average(
        cells.error(width=narrow, **coords) - cells.error(width=wide, **coords) for coords, narrow, wide in pairs
    )


def width_gain_at_largest_n(cells: Cells, task: str, depth: int) -> Estimate:
    """Return error(narrowest) - error(widest) at the largest N with several widths, which differ enough."""
    pairs = narrowest_and_widest(cells, task, depth)[-1:]
    gain = average(
        cells.error(width=narrow, **coords) - cells.error(width=wide, **coords) for coords, narrow, wide in pairs
    )
    for _, narrow, wide in pairs:
        require_widening(narrow, wide, gain)
    return gain


def require_widening(narrow: int, wide: int, estimate: Estimate | None = None) -> None:
    """Raise Undetermined, with the estimate that is in doubt, where two widths differ by less than WIDENS."""
    if wide < WIDENS * narrow:
        reason = f"widths {narrow} to {wide} are too near each other; a factor of {WIDENS:g} is needed"
        raise Undetermined(reason, estimate)


def spread_lost_by_width(cells: Cells, task: str, depth: int) -> Estimate:
    """Return sd(narrowest) - sd(widest) of the error over networks, mean over N."""
    pairs = narrowest_and_widest(cells, task, depth)
    spread = cells.error_spread
    return average(spread(width=narrow, **coords) - spread(width=wide, **coords) for coords, narrow, wide in pairs)


def narrowest_error(cells: Cells, task: str, depth: int) -> Estimate:
    """Return the error of the narrowest networks at the smallest N with several widths."""
    pairs = narrowest_and_widest(cells, task, depth)[:1]
    return average(cells.error(width=narrow, **coords) for coords, narrow, _ in pairs)


def narrowest_recovery(cells: Cells, task: str, depth: int) -> Estimate:
    """Return the error of the narrowest networks at the smallest N minus that at the largest N."""
    pairs = narrowest_and_widest(cells, task, depth)
    if len(pairs) < 2 or pairs[0][1] != pairs[-1][1]:
        raise NotRun(f"{task} has no N at which a width of L = {depth} could recover")
    first, last = (cells.error(width=narrow, **coords) for coords, narrow, _ in (pairs[0], pairs[-1]))
    return first - last


def growth_of_width_gain(cells: Cells, task: str, depth: int) -> Estimate:
    """Return how much more the error of wide networks falls from the smallest N to the largest than narrow ones' does.

    They are the widest and the narrowest that were trained at both N.
    """
    coords: Cell = {"task": task, "depth": depth}
    sizes = [cell["n_train"] for cell, _, _ in narrowest_and_widest(cells, task, depth)]
    offered = [set(cells.values("width", n_train=n, **coords)) for n in (sizes[:1] + sizes[-1:])]
    widths = sorted(set.intersection(*offered)) if len(sizes) > 1 else []
    if len(widths) < 2:
        raise NotRun(f"{task} has no two N with the same two widths at L = {depth}")
    first, last = (
        cells.error(width=widths[0], n_train=n, **coords) - cells.error(width=widths[-1], n_train=n, **coords)
        for n in (sizes[0], sizes[-1])
    )
    return last - first


def depth_over_width(cells: Cells, task: str) -> Estimate:
    """Return what depth gains minus what width gains: the extreme depths and widths, at the largest N with two.

    Each is a mean, over the two widths and over the two depths. In their difference two of the four cells cancel: what
    is left is the error of wide shallow networks minus that of narrow deep ones. Raises Undetermined where both nearly
    guess.
    """
    by_n: dict[int, list[int]] = {}
    for cell in common_cells(cells, task, SHALLOW, DEEP):
        by_n.setdefault(cell["n_train"], []).append(cell["width"])
    n = max((n for n, widths in by_n.items() if len(widths) > 1), default=None)
    if n is None:
        raise NotRun(f"{task} has no N with two widths at both depths")
    narrow, wide = min(by_n[n]), max(by_n[n])
    coords: Cell = {"task": task, "n_train": n}
    pair = cells.error(depth=SHALLOW, width=wide, **coords), cells.error(depth=DEEP, width=narrow, **coords)
    require_learning(pair[0] - pair[1], pair)
    return pair[0] - pair[1]


def error_of_narrow(cells: Cells, task: str) -> Estimate:
    """Return the error of the widest of shallow networks of at most NARROW units, fitted or not, at the largest N.

    It is an upper bound of what such a network can have: raises Undetermined where it is above PERFECT.
    """
    width = max((w for w in common_widths(cells, task, SHALLOW) if w <= NARROW), default=0)
    # The question is whether such a network can express the label, not whether it fits the last sample at a border.
    coords = {"task": task, "depth": SHALLOW, "width": width, "n_train": largest_n(cells, task)}
    error = cells.error((FITTED, UNFITTED), **coords)
    if error.value > PERFECT:
        raise Undetermined("trained networks bound what one can express from above alone", error)
    return error


def depth_gain(cells: Cells, task: str, worse: int, better: int) -> Estimate:
    """Return error(depth ``worse``) - error(depth ``better``) as ``depth_difference``, at the largest N.

    Raises Undetermined where networks of both depths nearly guess.
    """
    pairs = _by_depth(cells, task, worse, better)
    gain = average(first - second for first, second in pairs)
    require_learning(gain, (error for pair in pairs for error in pair))
    return gain


def depth_difference(cells: Cells, task: str, worse: int, better: int, *, n: int | None = None) -> Estimate:
    """Return error(depth ``worse``) - error(depth ``better``), mean over the common widths: at N or at the largest."""
    return average(first - second for first, second in _by_depth(cells, task, worse, better, n=n))


def _by_depth(
    cells: Cells, task: str, worse: int, better: int, *, n: int | None = None
) -> list[tuple[Estimate, Estimate]]:
    """List the errors of both depths at each common width: at N or at the largest."""
    n = largest_common_n(cells, task, worse, better) if n is None else n
    common = [cell for cell in common_cells(cells, task, worse, better) if cell["n_train"] == n]
    return [(cells.error(depth=worse, **cell), cells.error(depth=better, **cell)) for cell in common]


def require_learning(gain: Estimate, errors: Iterable[Estimate]) -> None:
    """Raise Undetermined, with a difference of errors that is then in doubt, where all of them lie above FAILS."""
    if (least := min(error.value for error in errors)) > FAILS:
        raise Undetermined(f"both nearly guess: the least error is {least:.2g}", gain)


def depth_gain_over_n(cells: Cells, task: str, worse: int, better: int) -> Estimate:
    """Return error(depth ``worse``) - error(depth ``better``), mean over N and the common widths."""
    common = common_cells(cells, task, worse, better)
    return average(cells.error(depth=worse, **cell) - cells.error(depth=better, **cell) for cell in common)


def perceptron_gain(cells: Cells, task: str, depth: int) -> Estimate:
    """Return error(widest network) - error(perceptron, L = 0), mean over N."""
    width = max(common_widths(cells, task, depth), default=0)
    alone = set(cells.values("n_train", task=task, depth=0))
    sizes = sorted(alone & set(cells.values("n_train", task=task, depth=depth, width=width)))
    places = [{"task": task, "n_train": n} for n in sizes]
    return average(
        cells.error(depth=depth, width=width, **coords) - cells.error(depth=0, width=0, **coords) for coords in places
    )


def perceptron_ratio(cells: Cells, task: str, depth: int) -> Estimate:
    """Return error(widest network) / error(perceptron, L = 0) at the largest N of both."""
    width = max(common_widths(cells, task, depth), default=0)
    alone = set(cells.values("n_train", task=task, depth=0))
    common = alone & set(cells.values("n_train", task=task, depth=depth, width=width))
    if not common:
        raise NotRun(f"{task} has no perceptron at an N of L = {depth}")
    coords = {"task": task, "n_train": max(common)}
    return cells.error(depth=depth, width=width, **coords).over_value_of(cells.error(depth=0, width=0, **coords))


def relative_difference(cells: Cells, tasks: list[str], references: list[str], depth: int) -> Estimate:
    """Return error(tasks) / error(others) - 1, each the mean over N and widths that both have."""
    pairs = [
        (cells.error(task=task, depth=depth, **place), cells.error(task=reference, depth=depth, **place))
        for task, reference in product(tasks, references)
        for place in _shared_places(cells, task, reference, depth)
    ]
    means = [average(side) for side in zip(*pairs, strict=True)] if pairs else []
    if not means:
        names = ", ".join((*tasks, *references)) or "the tasks that are compared"
        raise NotRun(f"{names} have no common cells at L = {depth}")
    return means[0].over_value_of(means[1]) - Estimate(1.0)


def _shared_places(cells: Cells, task: str, reference: str, depth: int) -> list[Cell]:
    """List width and N at which both tasks were trained."""
    places = [
        [{k: v for k, v in c.items() if k != "task"} for c in common_cells(cells, t, depth)] for t in (task, reference)
    ]
    return [place for place in places[0] if place in places[1]]


def label_difference(cells: Cells, depth: int) -> Estimate:
    """Return error(1-local) / error(1-global) - 1."""
    return relative_difference(cells, tasks_of(cells, local(1)), tasks_of(cells, global_(1)), depth)


def fraction_fitted(cells: Cells, task: str) -> Estimate:
    """Return the fraction of all networks of a task, at their searched rates, that reach zero training error."""
    return cells.fitted_fraction(over=("depth", "width", "n_train"), task=task)


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
    """Return the slope of the error per layer at the largest N, by least squares over FEWEST_DEPTHS or more."""
    depths = cells.values("depth", task=task)
    if len(depths) < FEWEST_DEPTHS:
        raise NotRun(f"{task} has fewer than {FEWEST_DEPTHS} depths")
    n, widths = largest_n(cells, task), common_widths(cells, task, *depths)
    errors = (average(cells.error(task=task, depth=d, n_train=n, width=w) for w in widths) for d in depths)
    return slope(np.array(depths), errors)
