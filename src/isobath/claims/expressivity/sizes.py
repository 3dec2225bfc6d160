"""Claims on what depth gains if networks have equal parameters, equal compute, or each depth its best width."""

from collections.abc import Callable

import numpy as np
import xarray as xr

from isobath.analysis import selection
from isobath.analysis.budgets import spent, within
from isobath.analysis.cell_sizes import known_parameters
from isobath.analysis.cells import At, Cells
from isobath.analysis.combinations import average
from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.analysis.sweeps import require_rate
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.expressivity.cells import accuracy, grid_of, nearest_in_size
from isobath.claims.expressivity.thresholds import EQUAL_SIZES

Gain = Callable[[Cells, str], Estimate]


def ends(cells: Cells, task: str) -> tuple[int, int]:
    """Return the smallest and the largest depth of a task. Raises NotRun where they are the same."""
    depths = cells.shapes(task)
    if len(depths) < 2:
        raise NotRun(f"{task} has networks of one depth alone")
    return min(depths), max(depths)


def at_equal_parameters(cells: Cells, task: str) -> Estimate:
    """Return accuracy(deepest) - accuracy(shallowest) at equal numbers of parameters, mean over these.

    Deep networks without shallow ones of as many parameters, within EQUAL_SIZES, are left out.
    """
    shallow, deep = ends(cells, task)
    places = [{"task": task, "depth": deep, "width": width} for width in cells.shapes(task)[deep]]
    pairs = [(coords, nearest_in_size(cells, coords, shallow)) for coords in places]
    equal = [pair for pair in pairs if abs(np.log(size_ratio(cells, *pair))) < np.log(EQUAL_SIZES)]
    if not equal:
        raise NotRun(f"{task} has no networks of both depths with as many parameters")
    return average(accuracy(cells, coords) - accuracy(cells, partner) for coords, partner in equal)


def size_ratio(cells: Cells, first: At, second: At) -> float:
    """Return the parameters of the networks of one cell over those of another."""
    return known_parameters(cells, first) / known_parameters(cells, second)


def at_best_widths(cells: Cells, task: str) -> Estimate:
    """Return accuracy(deepest) - accuracy(shallowest), each at the width that one half of the test set chooses."""

    def best(depth: int) -> Estimate:
        return cells.error_at_best_rate(selection.CLEAN, over=("width",), task=task, depth=depth)

    shallow, deep = ends(cells, task)
    gap = best(shallow) - best(deep)
    require_width(cells, {"task": task, "depth": shallow if gap.value > 0 else deep}, abs(gap.value))
    return gap


def require_width(cells: Cells, coords: At, gap: float) -> None:
    """Raise Undetermined where widths beyond those offered could bring the worse of two depths level with the other.

    ``coords`` are those of the worse one, by ``gap``. Its best width is an end of those offered, and the error falls
    towards it from the width beside it by more than a standard error over data sets, and by more than the gap.
    """
    offered = cells.shapes(coords["task"])[coords["depth"]]
    errors = {width: cells.quoted_error(selection.CLEAN, width=width, **coords) for width in offered}
    best = min(errors, key=lambda width: errors[width].value)
    beside = {offered[0]: offered[1:2], offered[-1]: offered[-2:-1]}.get(best, [])
    fall = max((errors[width] - errors[best] for width in beside), key=lambda gap: gap.value, default=None)
    if fall is not None and fall.value > max(np.nan_to_num(fall.spread), gap):
        raise Undetermined(
            f"the best width of depth {coords['depth']} is {best}, at an end of those offered, where the error still "
            f"falls by {fall.value:.2g}, more than the gap of {gap:.2g}"
        )


def at_equal_compute(cells: Cells, task: str) -> Estimate:
    """Return accuracy(deepest) - accuracy(shallowest) at the width and the step that are best within ``budget``."""

    def best(depth: int) -> Estimate:
        networks = within(cells.one(over=(*selection.CHOICES, "width"), task=task, depth=depth), most)
        require_rate(networks, over=("width",))
        return cells.quoted_error_of(networks, selection.CLEAN, over=("width",), goes_on=False)

    shallow, deep = ends(cells, task)
    most = budget(cells, task)
    return best(shallow) - best(deep)


def budget(cells: Cells, task: str) -> float:
    """Return the compute that the second largest of the deepest networks take to their last epoch.

    Raises Undetermined where that of a width is not known, since its jobs failed.
    """
    depth, widths = max(cells.shapes(task).items())
    if len(widths) < 2:
        raise NotRun(f"{task} has deep networks of one width alone")
    compute = [float(spent(cells.cell(task=task, depth=depth, width=width)).max()) for width in widths]
    if not np.isfinite(compute).all():
        raise Undetermined("the jobs of a width failed: the budget is not known")
    return sorted(compute)[-2]


def of_the_sign(cells: Cells, task: str, gain: Gain) -> Estimate:
    """Return a gain of depth times the sign of that at equal parameters.

    Raises Undetermined where this is not known.
    """
    reference = at_equal_parameters(cells, task)
    low, high = reference.interval()
    if low <= 0 <= high:
        raise Undetermined("the sign of the gain at equal parameters is not known")
    return gain(cells, task) * float(np.sign(reference.value))


@claim(
    "Depth gains or loses alike at equal parameters, at equal compute and at the best width of each depth",
    source="not in the source",
    statistic="accuracy of the deepest minus that of the shallowest networks at equal compute, and at the best width "
    "of each depth, times the sign of that at equal parameters; each at its own best rate. At best "
    "widths undetermined where the worse depth has its best width at an end of those offered, and its error falls "
    "there by more than the gap",
    own=True,
    misworded=(
        "accuracy of the deepest minus that of the shallowest networks at equal compute, and at the best width "
        "of each depth, times the sign of that at equal parameters; each at its own best rate. Undetermined where the "
        "worse depth has its best width at an end of those offered, and its error falls there by more than the gap",
    ),
)
def gains_of_depth_have_one_sign(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "sizes")
    ways = {"equal compute": at_equal_compute, "best widths": at_best_widths}
    rows = [(task, way) for task in cells.tasks("networks") for way in ways]
    criteria = [criterion(f"{task}: {way}", of_the_sign, cells, task, ways[way], above=0.0) for task, way in rows]
    return criteria or [Criterion("grid sizes", None)]
