"""Claims on oscillations: how many depth expresses, the accuracy that few allow, and those learned (Telgarsky)."""

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, NotRun, exactly, proportion
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.expressivity.cells import gain, grid_of, numbers, of_equal_size, train_gain
from isobath.claims.expressivity.thresholds import HALF, LEARNED_BY_ONE, MORE_FOLDS, MORE_PER_PARAMETER, TINY, WHOLE
from isobath.separation.sawtooth import ceiling, most_intervals, pieces

SEPARATING = 4  # folds at which the claim on learning is made; fewer and more are shown beside
EXPRESSED = 6  # folds at which the expressed functions are compared


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


def excess(tree: xr.DataTree, upper: str, lower: str) -> Estimate:
    """Return the largest of one variable of the oscillations minus another."""
    found = numbers(tree, "folds", "oscillations")
    return largest(found[upper] - found[lower])


def of_each_network(tree: xr.DataTree, label: str, upper: str, lower: str) -> list[Criterion]:
    """Return the checks that a variable is at most another one, on random and on trained networks."""
    return [
        criterion(f"{kind} networks: {label}", excess, tree, before + upper, before + lower, below=TINY, check=True)
        for kind, before in (("random", ""), ("trained", "trained_"))
    ]


@claim(
    "Networks of few layers oscillate little: L layers of W units have at most (W + 1)^L + 1 intervals",
    source="the notes, few layers, few oscillations (Telgarsky), whose O(..) has no constant",
    statistic="largest Cr - ((W + 1)^L + 1) over networks, counted from their kinks",
)
def few_layers_few_oscillations(tree: xr.DataTree) -> list[Criterion]:
    return of_each_network(tree, "intervals beyond the bound", "intervals", "most_intervals")


@claim(
    "A function that oscillates little is wrong throughout at least 1/2 - Cr(g) / Cr(f) of the intervals of f",
    source="the notes, approximation via oscillation counting (Telgarsky); the bound of the accuracy is ours",
    statistic="largest of that bound minus the share that is wrong, and of the accuracy minus 1 - (Cr(f) - Cr(g)) / "
    "(2 Cr(f) - 2), in closed form, without a test sample",
)
def few_oscillations_err(tree: xr.DataTree) -> list[Criterion]:
    return [
        *of_each_network(tree, "least share minus wrong share", "least_wrong", "wrong"),
        *of_each_network(tree, "accuracy minus its ceiling", "accuracy", "most_accuracy"),
    ]


def sawtooth(cells: Cells, folds: int, *groups: str) -> str:
    """Return the task with this number of folds that one of the groups has. Raises NotRun."""
    found = cells.tasks(*groups, kind="sawtooth", folds=folds)
    if not found:
        raise NotRun(f"there is no sawtooth of {folds} folds")
    return found[0]


def more_than_one_layer(tree: xr.DataTree) -> Estimate:
    """Return the accuracy of the folding network minus the ceiling of one hidden layer of as many parameters."""
    cells = grid_of(tree, "folds")
    task = sawtooth(cells, EXPRESSED, "constructions")
    row = cells.by_task("constructions", construction="folding")[task]
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


def spread_learned_more(tree: xr.DataTree, *, train: bool) -> Estimate:
    """Return the gain of three layers at SEPARATING folds from starts whose kinks spread over the line."""
    return learned_more(tree, SEPARATING, 3, train=train, grid="spread_starts")


@claim(
    "Of networks of equal size, each at its own best learning rate, deeper ones are more accurate at four folds",
    source="not in the source, which is about what is expressed",
    statistic=f"accuracy at {SEPARATING} folds of two, and of three, hidden layers minus that of one, on the test set "
    "and on the training set; of three layers also from starts whose biases spread the kinks over the line",
    own=True,
)
def depth_learns_more_folds(tree: xr.DataTree) -> list[Criterion]:
    sets = {"test set": False, "training set": True}
    return [
        criterion(
            f"{depth} layers minus 1, {name}", learned_more, tree, SEPARATING, depth, train=train, above=MORE_FOLDS
        )
        for depth in (2, 3)
        for name, train in sets.items()
    ] + [
        criterion(f"3 layers minus 1, {name}, spread starts", spread_learned_more, tree, train=train, above=MORE_FOLDS)
        for name, train in sets.items()
    ]


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
    known = {cells.settings(task)["folds"] for task in cells.tasks("networks", kind="sawtooth")}
    pairs = [folds for folds in sorted(known) if folds - 1 in known and folds > LEARNED_BY_ONE]
    rows = [criterion(f"{k} folds minus {k - 1}", gained_by_a_fold, tree, k, above=0.0) for k in pairs]
    return rows or [Criterion("4 folds minus 3", None)]
