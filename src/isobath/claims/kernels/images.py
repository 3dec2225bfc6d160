"""Claims on images, and on the labels of another study: regressions of the workflow, with ridges and without."""

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

import xarray as xr

from isobath.analysis import axes
from isobath.analysis.cells import Cells
from isobath.analysis.combinations import average, farthest
from isobath.analysis.equivalence import ROOM, require_errors
from isobath.analysis.estimates import Estimate, NotRun, Undetermined, exactly
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.kernels.regression import logarithm, over_draws
from isobath.claims.kernels.tables import table
from isobath.claims.kernels.thresholds import (
    AT_EDGE,
    EQUAL_ACCURACY,
    EQUAL_ERROR,
    EQUAL_ERRORS,
    EXPLAINED,
    GUESSING,
)

SHALLOW, DEEP = 1, 4  # hidden layers: L = 2 and L = 5 of the source
Gain = Callable[[Cells, str, int], Estimate]  # of depth, for a kernel and a number of samples


def log_ratio(cells: Cells, kernel: str, n: int) -> Estimate:
    """Estimate ln(error(L = 2) / error(L = 5)) on n samples, draw by draw."""
    two, five = errors(cells, kernel, n)
    return over_draws(logarithm(two) - logarithm(five))


def accuracy_gain(cells: Cells, kernel: str, n: int) -> Estimate:
    """Estimate accuracy(L = 5) - accuracy(L = 2) on n samples, draw by draw."""
    two, five = errors(cells, kernel, n)
    return over_draws(two - five)


def equal_accuracy(cells: Cells, kernel: str, n: int) -> Estimate:
    """Estimate the gain in accuracy. Raises Undetermined where errors are too small for EQUAL_ACCURACY."""
    require_errors(EQUAL_ACCURACY, *map(over_draws, errors(cells, kernel, n)))
    return accuracy_gain(cells, kernel, n)


def errors(cells: Cells, kernel: str, n: int) -> tuple[xr.DataArray, xr.DataArray]:
    """Return the test errors (draw) of two and of five layers on n samples, at the ridges that validation chooses.

    Raises NotRun without these layers, and Undetermined where most of the ridges are at an end of their list.
    """
    group = cells.group("kernels")
    if not {SHALLOW, DEEP} <= {*group.depth.values.tolist()}:
        raise NotRun("there are no two and five layers")
    coords = [{"task": _task(cells), "kernel": kernel, "depth": depth, "n_train": n} for depth in (SHALLOW, DEEP)]
    cells_of_depths = [axes.select(group, cell) for cell in coords]
    if "ridge_at_edge" not in group:
        raise NotRun("no ridges were chosen")
    edges = [float(cell.ridge_at_edge.mean()) for cell in cells_of_depths]
    if max(edges) > AT_EDGE:
        raise Undetermined(f"the chosen ridge is at an end of the list in {max(edges):.0%} of the draws")
    two, five = (cell.test_error for cell in cells_of_depths)
    return two, five


def _task(cells: Cells) -> str:
    return str(cells.group("kernels").task.values[0])


def _extremes(cells: Cells) -> tuple[int, int]:
    sizes = cells.group("kernels").n_train
    return int(sizes.min()), int(sizes.max())


def at_largest(cells: Cells, gain: Gain, bounds: Mapping[str, float]) -> list[Criterion]:
    """Return, for each kernel, whether the gain of depth at the largest n is within a bound of 0."""
    _, largest = _extremes(cells)
    return [
        criterion(f"{kernel}, n = {largest}", gain, cells, kernel, largest, above=-bound, below=bound)
        for kernel, bound in bounds.items()
    ]


@claim(
    "Images do not ask for depth: kernels of two and of five layers have the same accuracy",
    source="the authors' code, with experiments on MNIST and Fashion-MNIST; not on the slides",
    statistic="accuracy of L = 5 minus that of L = 2 at the largest n, at ridges chosen on validation samples; "
    f"undetermined where errors are below {ROOM * EQUAL_ACCURACY:g}",
)
def images_do_not_ask_for_depth(tree: xr.DataTree) -> list[Criterion]:
    return at_largest(Cells.of(tree, "images"), equal_accuracy, dict.fromkeys(EQUAL_ERRORS, EQUAL_ACCURACY))


@claim(
    "On images kernels of two and of five layers have errors of one size, as on the sphere",
    source="not in the paper; stricter than its words where errors are small",
    statistic="ln(error(L = 2) / error(L = 5)) at the largest n, at ridges chosen on validation samples, within the "
    "bounds that errors on the sphere have",
    own=True,
)
def images_have_errors_of_one_size(tree: xr.DataTree) -> list[Criterion]:
    return at_largest(Cells.of(tree, "images"), log_ratio, EQUAL_ERRORS)


def shrinkage(cells: Cells, gain: Gain, kernel: str) -> Estimate:
    """Estimate the gain of depth at the smallest n minus that at the largest."""
    smallest, largest = _extremes(cells)
    if smallest == largest:
        raise NotRun("there is one n")
    return gain(cells, kernel, smallest) - gain(cells, kernel, largest)


@claim(
    "What random features gain from depth on images shrinks with the number of samples",
    source="not in the paper",
    statistic="accuracy of L = 5 minus that of L = 2, at the smallest n minus at the largest",
    own=True,
)
def depth_gain_shrinks_with_samples(tree: xr.DataTree) -> list[Criterion]:
    return [criterion("rf", shrinkage, Cells.of(tree, "images"), accuracy_gain, "rf", above=0)]


@claim(
    "What random features gain from depth on images shrinks with the number of samples as a share of the error too",
    source="not in the paper",
    statistic="ln(error(L = 2) / error(L = 5)) at the smallest n minus that at the largest",
    own=True,
)
def relative_depth_gain_shrinks_with_samples(tree: xr.DataTree) -> list[Criterion]:
    return [criterion("rf", shrinkage, Cells.of(tree, "images"), log_ratio, "rf", above=0)]


def measured_and_predicted(
    cells: Cells, predicted: xr.Dataset, task: str, layers: int
) -> Iterator[tuple[Estimate, Estimate]]:
    """Yield the measured and the predicted error of each bias and n of a label and depth."""
    rows = predicted.sel(task=task)
    for kernel in rows.kernel.values[rows.layers.values == layers]:
        row = rows.sel(kernel=kernel)
        for n in row.n_train.values.tolist():
            coords = {"task": task, "kernel": str(row.family.item()), "depth": layers - 1, "n_train": n}
            with contextlib.suppress(NotRun):
                yield cells.regression(**coords), exactly(float(row.predicted_error.sel(n_train=n)))


def largest_gap(cells: Cells, predicted: xr.Dataset, task: str, layers: int) -> Estimate:
    """Estimate the measured minus the predicted error, of the bias and n at which the gap is farthest from 0.

    Raises NotRun where a label has no regression of that many layers.
    """
    pairs = measured_and_predicted(cells, predicted, task, layers)
    return farthest(error - prediction for error, prediction in pairs)


def explained(cells: Cells, predicted: xr.Dataset, places: Iterable[tuple[str, int]]) -> Estimate:
    """Estimate the share EXPLAINED of the gain over guessing, minus the distance of the prediction, over all cells.

    Gain and distance are means over labels, depths, biases and n. Where nothing is learned the error is 1/2, and a
    prediction of 1/2 explains nothing. Raises NotRun where there are no regressions.
    """
    pairs = [pair for task, layers in places for pair in measured_and_predicted(cells, predicted, task, layers)]
    gained = average(exactly(GUESSING) - error for error, _ in pairs)
    distance = average(
        (error - prediction) * math.copysign(1, error.value - prediction.value) for error, prediction in pairs
    )
    return gained * EXPLAINED - distance


@claim(
    "The spectrum of the NTK and the degree of a label predict the NTK's errors on local and global labels",
    source="not in the paper; of the labels of Mori & Ueda",
    statistic="measured minus predicted test error, of the bias beta and N where it is farthest off (refuted only as "
    f"the farthest of so many), for each label and depth; {EXPLAINED:g} of what kernels gain over guessing minus the "
    "distance of the prediction, over the cells of labels of one degree",
    own=True,
)
def spectrum_predicts_the_ntk_of_locality(tree: xr.DataTree) -> list[Criterion]:
    predicted = table(tree, "labels", "labels")
    cells = Cells.of(tree, "labels")
    bounds: dict[str, Any] = {"above": -EQUAL_ERROR, "below": EQUAL_ERROR}
    places = list(product(predicted.task.values.tolist(), sorted({*predicted.layers.values.tolist()})))
    cell_criteria = [criterion(f"{t}, L = {n - 1}", largest_gap, cells, predicted, t, n, **bounds) for t, n in places]
    by_degree: dict[int, list[tuple[str, int]]] = {}
    for task, layers in places:
        by_degree.setdefault(int(cells.settings(task)["k"]), []).append((task, layers))
    return cell_criteria + [
        criterion(f"beyond guessing, k = {k}", explained, cells, predicted, of_degree, above=0)
        for k, of_degree in sorted(by_degree.items())
    ]
