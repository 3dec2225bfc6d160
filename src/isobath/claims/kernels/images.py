"""Claims on images, and on the labels of another study: regressions of the workflow, with ridges and without."""

from typing import Any

import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, NotRun, Undetermined, exactly
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.kernels.tables import table
from isobath.claims.kernels.thresholds import AT_EDGE, EQUAL_ACCURACY, EQUAL_ERROR

SHALLOW, DEEP = 1, 4  # hidden layers: L = 2 and L = 5 of the source
FAMILIES = ("rf", "ntk")


def gain(cells: Cells, kernel: str, n: int) -> Estimate:
    """Estimate accuracy(L = 5) - accuracy(L = 2) on n samples, draw by draw."""
    group = cells.group("kernels")
    if not {SHALLOW, DEEP} <= {*group.depth.values.tolist()}:
        raise NotRun("there are no two and five layers")
    at = [{"task": _task(cells), "kernel": kernel, "depth": depth, "n_train": n} for depth in (SHALLOW, DEEP)]
    edges = [float(group.ridge_at_edge.sel(**place).mean()) for place in at]
    if max(edges) > AT_EDGE:
        raise Undetermined(f"the chosen ridge is at an end of the list in {max(edges):.0%} of the draws")
    return cells.regression(**at[0]) - cells.regression(**at[1])


def _task(cells: Cells) -> str:
    return str(cells.group("kernels").task.values[0])


def _extremes(cells: Cells) -> tuple[int, int]:
    sizes = cells.group("kernels").n_train
    return int(sizes.min()), int(sizes.max())


@claim(
    "Images do not ask for depth: kernels of two and of five layers have the same accuracy",
    source="experiments on MNIST and Fashion-MNIST",
    statistic="accuracy(L = 5) - accuracy(L = 2) at the largest n, at ridges chosen on validation samples",
)
def images_do_not_ask_for_depth(tree: xr.DataTree) -> list[Criterion]:
    cells = Cells.of(tree, "images")
    _, largest = _extremes(cells)
    bounds: dict[str, Any] = {"above": -EQUAL_ACCURACY, "below": EQUAL_ACCURACY}
    return [criterion(f"{kernel}, n = {largest}", gain, cells, kernel, largest, **bounds) for kernel in FAMILIES]


def shrinkage(cells: Cells, kernel: str) -> Estimate:
    """Estimate the gain of depth at the smallest n minus that at the largest."""
    smallest, largest = _extremes(cells)
    if smallest == largest:
        raise NotRun("there is one n")
    return gain(cells, kernel, smallest) - gain(cells, kernel, largest)


@claim(
    "What random features gain from depth on images shrinks with the number of samples",
    source="not in the paper",
    statistic="accuracy(L = 5) - accuracy(L = 2) at the smallest n minus that at the largest",
    own=True,
)
def depth_gain_shrinks_with_samples(tree: xr.DataTree) -> list[Criterion]:
    return [criterion("rf", shrinkage, Cells.of(tree, "images"), "rf", above=0)]


def farthest(cells: Cells, predicted: xr.Dataset, task: str, layers: int) -> Estimate:
    """Estimate measured minus predicted error, of the bias and n at which it is farthest from 0."""
    rows = predicted.sel(task=task)
    gaps = []
    for kernel in rows.kernel.values[rows.layers.values == layers]:
        row = rows.sel(kernel=kernel)
        for n in row.n_train.values.tolist():
            at = {"task": task, "kernel": str(row.family.item()), "depth": layers - 1, "n_train": n}
            try:
                gaps.append(cells.regression(**at) - exactly(float(row.predicted_error.sel(n_train=n))))
            except NotRun:
                continue
    if not gaps:
        raise NotRun(f"{task} has no regression of {layers} layers")
    return max(gaps, key=lambda gap: abs(gap.value))


@claim(
    "The spectrum of the NTK and the degree of a label predict the NTK's errors on local and global labels",
    source="not in the paper; of the labels of Mori & Ueda",
    statistic="measured minus predicted test error, of the bias beta and N where it is farthest off, for each label "
    "and depth",
    own=True,
)
def spectrum_predicts_the_ntk_of_locality(tree: xr.DataTree) -> list[Criterion]:
    predicted = table(tree, "labels", "labels")
    cells = Cells.of(tree, "labels")
    bounds: dict[str, Any] = {"above": -EQUAL_ERROR, "below": EQUAL_ERROR}
    return [
        criterion(f"{task}, L = {layers - 1}", farthest, cells, predicted, task, layers, **bounds)
        for task in predicted.task.values.tolist()
        for layers in sorted({*predicted.layers.values.tolist()})
    ]
