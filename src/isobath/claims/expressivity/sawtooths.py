"""Claims on oscillations: how many depth expresses, the accuracy that few allow, and those learned (Telgarsky)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, NotRun, Undetermined, exactly, proportion
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.expressivity.cells import gain, grid_of, numbers, of_equal_size, train_gain
from isobath.claims.expressivity.thresholds import (
    EXPRESSED,
    HALF,
    LEARNED_BY_ONE,
    MORE_FOLDS,
    MORE_PER_PARAMETER,
    SEPARATING,
    TINY,
    WHOLE,
)
from isobath.separation.sawtooth import ceiling, most_intervals, pieces

GRIDS = "folds", "spread_starts", "own_size"  # of networks on sawtooth labels


def largest(values: xr.DataArray) -> Estimate:
    """Return the largest of numbers that were computed, NaN left out."""
    return exactly(float(np.nanmax(values)))


def counted(tree: xr.DataTree, name: str, beyond: int) -> Estimate:
    """Return the largest deviation of a count from (2 t)^k, and ``beyond`` it."""
    counts = numbers(tree, "folds", "sawtooth_counts")
    return largest(abs(counts[name] - counts.expected - beyond))


@claim(
    "Composition multiplies oscillations: t triangles composed k times cross 1/2 (2 t)^k times",
    source="the notes, many layers, many oscillations (Telgarsky)",
    statistic="largest |Cr - ((2 t)^k + 1)| and |linear pieces - (2 t)^k| of networks in closed form, over t and k",
)
def composition_multiplies_crossings(tree: xr.DataTree) -> list[Criterion]:
    return [
        criterion("intervals", counted, tree, "intervals", 1, below=WHOLE, check=True),
        criterion("linear pieces", counted, tree, "regions", 0, below=WHOLE, check=True),
    ]


def triangles_over_printed(tree: xr.DataTree, sign: int) -> Estimate:
    """Return the largest (sign 1) or smallest (-1) ratio of triangles to the printed (2 t)^l."""
    counts = numbers(tree, "folds", "sawtooth_counts")
    return exactly(sign * float(np.nanmax(sign * counts.peaks / counts.expected)))


@claim(
    "The printed number of triangles, (2 t)^l, is twice that of l compositions, 2^(l - 1) t^l",
    source="the notes, many layers, many oscillations, print a ((2 t)^l, [0, 1])-triangle",
    statistic="triangles over (2 t)^l, the largest and the smallest over t and l, claimed to be 1/2",
    own=True,
)
def triangle_count_is_misprinted(tree: xr.DataTree) -> list[Criterion]:
    sides = (("largest", 1), ("smallest", -1))
    return [
        criterion(f"{n} ratio", triangles_over_printed, tree, s, above=HALF - TINY, below=HALF + TINY, check=True)
        for n, s in sides
    ]


Excess = Callable[[xr.Dataset], xr.DataArray]  # of a bound, from the oscillation counts of a grid: at most 0


def intervals_beyond(counts: xr.Dataset) -> xr.DataArray:
    """Return Cr - ((W + 1)^L + 1) of each network."""
    most = (counts.width + 1) ** counts.depth + 1
    return xr.DataArray(counts.intervals - most)


def wrong_share_lacking(counts: xr.Dataset) -> xr.DataArray:
    """Return the least share of the wave's intervals that are wrong, 1/2 - Cr / Cr(wave), minus that which is."""
    return xr.DataArray(0.5 - counts.intervals / (of_wave(counts) + 1) - counts.wrong)


def accuracy_beyond(counts: xr.Dataset) -> xr.DataArray:
    """Return the accuracy of each network minus the highest one of as many intervals."""
    return xr.DataArray(counts.accuracy - xr.apply_ufunc(ceiling, counts.intervals, of_wave(counts)))


def of_wave(counts: xr.Dataset) -> xr.DataArray:
    """Return (2 t)^k of each task, the linear pieces of its wave, whose classifier has one interval more."""
    return xr.DataArray((2 * counts.task_triangles) ** counts.task_folds)


def excess(tree: xr.DataTree, beyond: Excess, moment: str) -> Estimate:
    """Return the largest excess over all networks whose weights are stored, at the start or the end of training.

    Raises NotRun where no grid has such networks.
    """
    grids = [Cells.of(tree, grid) for grid in GRIDS]
    tables = [cells.group("oscillation_counts") for cells in grids if cells.has("oscillation_counts")]
    by_grid = [beyond(table.sel(moment=moment)) for table in tables]
    excesses = [values for values in by_grid if bool(values.notnull().any())]
    if not excesses:
        raise NotRun("the weights of no networks on sawtooth labels are stored")
    return exactly(max(float(values.max()) for values in excesses))


def of_each_network(tree: xr.DataTree, label: str, beyond: Excess) -> list[Criterion]:
    """Return the checks that no network exceeds a bound, random ones, at the start of training, and trained ones."""
    kinds = {"random": "start", "trained": "end"}
    return [
        criterion(f"{kind} networks: {label}", excess, tree, beyond, moment, below=TINY, check=True)
        for kind, moment in kinds.items()
    ]


def folding_beyond(tree: xr.DataTree) -> Estimate:
    """Return the largest Cr - ((2 t + 1)^k + 1) of networks in closed form: k layers of 2 t units."""
    counts = numbers(tree, "folds", "sawtooth_counts")
    return largest(counts.intervals - ((2 * counts.triangles + 1) ** counts.folds + 1))


@claim(
    "Networks of few layers oscillate little: L layers of W units have at most (W + 1)^L + 1 intervals",
    source="the notes, few layers, few oscillations (Telgarsky), whose O(..) has no constant",
    statistic="largest Cr - ((W + 1)^L + 1) over all networks on sawtooth labels, at the start of training and at its "
    "end, at every rate, and over networks in closed form, counted from their kinks",
)
def few_layers_few_oscillations(tree: xr.DataTree) -> list[Criterion]:
    label = "intervals beyond the bound"
    closed = criterion(f"networks in closed form: {label}", folding_beyond, tree, below=TINY, check=True)
    return [*of_each_network(tree, label, intervals_beyond), closed]


@claim(
    "A function that oscillates little is wrong throughout at least 1/2 - Cr(g) / Cr(f) of the intervals of f",
    source="the notes, approximation via oscillation counting (Telgarsky); the bound of the accuracy is ours",
    statistic="largest of that bound minus the share that is wrong, and of the accuracy minus 1 - (Cr(f) - Cr(g)) / "
    "(2 Cr(f) - 2), over all networks on sawtooth labels, at the start of training and at its end, at every rate, in "
    "closed form, without a test sample",
)
def few_oscillations_err(tree: xr.DataTree) -> list[Criterion]:
    return [
        *of_each_network(tree, "least share minus wrong share", wrong_share_lacking),
        *of_each_network(tree, "accuracy minus its ceiling", accuracy_beyond),
    ]


def sawtooth(cells: Cells, folds: int, *groups: str) -> str:
    """Return the task with this number of folds that one of the groups has. Raises NotRun."""
    tasks = cells.tasks(*groups, kind="sawtooth", folds=folds)
    if not tasks:
        raise NotRun(f"there is no sawtooth of {folds} folds")
    return tasks[0]


def more_than_one_layer(tree: xr.DataTree) -> Estimate:
    """Return the accuracy of the folding network minus the ceiling of one hidden layer of as many parameters."""
    cells = grid_of(tree, "folds")
    task = sawtooth(cells, EXPRESSED, "constructions")
    row = cells.by_task("constructions", construction="folding").get(task)
    if row is None:
        raise Undetermined("the job of the folding network failed")
    width = (int(row.n_parameters) - 1) // 3  # one hidden layer has 3 W + 1 parameters
    count = pieces(folds=EXPRESSED, triangles=1)
    limit = float(ceiling(most_intervals(depth=1, width=width), count))
    n = cells.n_test(task)
    return proportion(round((1 - float(row.test_error)) * n), n) - Estimate(limit)


@claim(
    "Deep networks express more per parameter than shallow ones",
    source="the notes, exponential separation between shallow and deep nets (Telgarsky)",
    statistic=f"accuracy of the folding network at {EXPRESSED} folds, on a test set, minus the ceiling of one hidden "
    "layer of as many parameters",
)
def deep_expresses_more_per_parameter(tree: xr.DataTree) -> list[Criterion]:
    label = "folding minus ceiling"
    return [criterion(label, more_than_one_layer, tree, above=MORE_PER_PARAMETER, check=True)]


def learned_more(tree: xr.DataTree, folds: int, depth: int, *, train: bool = False, grid: str = "folds") -> Estimate:
    """Return the gain of networks of a depth over one hidden layer of as many parameters."""
    cells = grid_of(tree, grid)
    task = sawtooth(cells, folds, "networks")
    pair = (of_equal_size(cells, task, d) for d in (depth, 1))
    return (train_gain if train else gain)(cells, *pair)


def learned_more_at(tree: xr.DataTree, depth: int, **settings: Any) -> Criterion:
    """Return the criterion that networks of a depth gain at SEPARATING folds over one hidden layer."""
    label = f"{depth} layers minus 1"
    return criterion(label, learned_more, tree, SEPARATING, depth, **settings, above=MORE_FOLDS)


@claim(
    "Of networks of equal size, each at its own best learning rate, deeper ones are more accurate at four folds",
    source="not in the source, which is about what is expressed",
    statistic=f"accuracy at {SEPARATING} folds of two, and of three, hidden layers minus that of one, on the test set",
    own=True,
)
def depth_learns_more_folds(tree: xr.DataTree) -> list[Criterion]:
    return [learned_more_at(tree, depth) for depth in (2, 3)]


@claim(
    "Of networks of equal size deeper ones are more accurate at four folds on the training set as well",
    source="not in the source",
    statistic=f"accuracy at {SEPARATING} folds of two, and of three, hidden layers minus that of one, on the training "
    "set",
    own=True,
)
def depth_fits_more_folds(tree: xr.DataTree) -> list[Criterion]:
    return [learned_more_at(tree, depth, train=True) for depth in (2, 3)]


@claim(
    "From starts that spread the kinks of one layer deeper networks are more accurate at four folds as well",
    source="not in the source",
    statistic=f"accuracy at {SEPARATING} folds of three hidden layers minus that of one, from starts whose biases "
    "spread the kinks over the line, on the test set",
    own=True,
)
def depth_learns_more_from_spread_starts(tree: xr.DataTree) -> list[Criterion]:
    return [learned_more_at(tree, 3, grid="spread_starts")]


def gained_by_a_fold(tree: xr.DataTree, folds: int) -> Estimate:
    """Return what three layers gain over one on a number of folds, minus what they gain on one fold less."""
    return learned_more(tree, folds, 3) - learned_more(tree, folds - 1, 3)


@claim(
    "The gain of depth grows with the folds",
    source="not in the source",
    statistic="accuracy of three hidden layers minus that of one of as many parameters, minus the same on one fold "
    "less, from three folds on, which one layer still learns",
    own=True,
)
def gain_grows_with_folds(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "folds")
    all_folds = {cells.settings(task)["folds"] for task in cells.tasks("networks", kind="sawtooth")}
    pairs = [folds for folds in sorted(all_folds) if folds - 1 in all_folds and folds > LEARNED_BY_ONE]
    rows = [criterion(f"{k} folds minus {k - 1}", gained_by_a_fold, tree, k, above=0.0) for k in pairs]
    return rows or [Criterion("4 folds minus 3", None)]
