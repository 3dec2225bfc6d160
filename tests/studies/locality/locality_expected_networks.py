"""Numbers that the claims on networks (Mori & Ueda, Figs. 1 to 3) have to find in the planted cubes.

The functions have the names of the claims, and return the criteria by their labels, from statement and statistic. The
depths 1 and 7 are those of the statements.
"""

from itertools import product

import numpy as np
from locality_formulas import Grid, average, change_of_spread, fraction, slope

from isobath.claims.locality.thresholds import ALIKE, ALWAYS, FAILS, LEARNS, TOO_LARGE

DEPTHS = (1, 7)
SAMPLES = Grid("samples")
ONES = [*SAMPLES.tasks(1, "local"), *SAMPLES.tasks(1, "global")]
LOCAL = [*SAMPLES.tasks(2, "local"), *SAMPLES.tasks(3, "local")]
GLOBAL = [*SAMPLES.tasks(2, "global"), *SAMPLES.tasks(3, "global")]


def by_depth(tasks):
    return {f"{task}, L = {depth}": (task, depth) for task, depth in product(tasks, DEPTHS)}


def gain_of_width(task, depth, grid=SAMPLES):
    """Return error(narrowest) - error(widest) at each N."""
    ends = grid.extremes(task, depth).items()
    return [grid.error(task, depth, narrow, n) - grid.error(task, depth, wide, n) for n, (narrow, wide) in ends]


def width_helps_at_k1():
    return {label: average(gain_of_width(*at)).part(above=0) for label, at in by_depth(ONES).items()}


def shallow_better_at_k1():
    def loss(task):
        cells = SAMPLES.cells(task, 1) & SAMPLES.cells(task, 7)
        return average(SAMPLES.error(task, 7, *cell) - SAMPLES.error(task, 1, *cell) for cell in cells)

    return {task: loss(task).part(above=0) for task in ONES}


def widest_and_perceptron(task, depth):
    """Return the errors of the widest networks and of the perceptron at each N of both, increasing."""
    widest = max(width for width, _ in SAMPLES.cells(task, depth))
    sizes = sorted(n for width, n in SAMPLES.cells(task, depth) if width == widest and (0, n) in SAMPLES.cells(task, 0))
    return [(SAMPLES.error(task, depth, widest, n), SAMPLES.error(task, 0, 0, n)) for n in sizes]


def perceptron_best_at_k1():
    pairs = {label: widest_and_perceptron(*at) for label, at in by_depth(ONES).items()}
    return {label: average(wide - alone for wide, alone in found).part(above=0) for label, found in pairs.items()}


def nonlinear_networks_good_at_k1():
    pairs = {label: widest_and_perceptron(*at)[-1] for label, at in by_depth(ONES).items()}
    return {label: (wide / alone).part(below=TOO_LARGE) for label, (wide, alone) in pairs.items()}


def relative(grid, depth, tasks, references, **bounds):
    """Return the criterion on error(tasks) / error(references) - 1, over N and widths that both have."""
    cells = [(a, b, *at) for a, b in product(tasks, references) for at in grid.cells(a, depth) & grid.cells(b, depth)]
    over = average(grid.error(a, depth, *at) for a, _, *at in cells)
    ratio = (over / average(grid.error(b, depth, *at) for _, b, *at in cells)).part(**bounds)
    return ratio._replace(value=ratio.value - 1, low=ratio.low - 1, high=ratio.high - 1)


def local_equals_global_at_k1():
    labels = SAMPLES.tasks(1, "local"), SAMPLES.tasks(1, "global")
    return {f"L = {depth}": relative(SAMPLES, depth, *labels, above=-ALIKE, below=ALIKE) for depth in (0, 1, 7)}


def rotation_is_no_matter_at_k1():
    grid, bounds = Grid("rotation", "sgd_normal"), {"above": -ALIKE, "below": ALIKE, "check": True}
    return {f"L = {depth}": relative(grid, depth, ["1-terms-1-rotated"], ["1-terms-1"], **bounds) for depth in DEPTHS}


def training_error_vanishes():
    def fitted(task):
        cells = [(depth, *cell) for depth in (0, 1, 3, 7) for cell in SAMPLES.cells(task, depth)]
        places = [{"task": task, "depth": depth, "width": width, "n_train": n} for depth, width, n in cells]
        status = np.array([SAMPLES.at("networks", "status", place) for place in places]).astype(str)
        return fraction(int((status == "fitted").sum()), status.size, above=ALWAYS)

    return {task: fitted(task) for task in (*ONES, *LOCAL, *GLOBAL)}


def deep_better_for_local():
    return {task: SAMPLES.gain(task, 1, 7).part(above=0) for task in LOCAL}


def shallow_better_for_global():
    return {task: SAMPLES.gain(task, 7, 1).part(above=0) for task in GLOBAL}


def depth_matters_more_than_width_for_local():
    def excess(task):
        both = [SAMPLES.cells(task, depth) for depth in DEPTHS]
        widths = {n: sorted(w for w, m in both[0] & both[1] if m == n) for _, n in both[0] & both[1]}
        n = max(n for n in widths if len(widths[n]) > 1)
        e = {(d, end): SAMPLES.error(task, d, widths[n][end], n) for d, end in product(DEPTHS, (0, -1))}
        of_depth = ((e[1, 0] - e[7, 0]) + (e[1, -1] - e[7, -1])) * 0.5
        return of_depth - ((e[1, 0] - e[1, -1]) + (e[7, 0] - e[7, -1])) * 0.5

    return {task: excess(task).part(above=0) for task in LOCAL}


def small_deep_beats_large_shallow():
    def gain(task):
        shallow, deep = (SAMPLES.cells(task, depth) for depth in DEPTHS)
        widest, narrowest = max(w for w, _ in shallow), min(w for w, _ in deep)
        n = max({n for w, n in shallow if w == widest} & {n for w, n in deep if w == narrowest})
        return SAMPLES.error(task, 1, widest, n) - SAMPLES.error(task, 7, narrowest, n)

    return {task: gain(task).part(above=0) for task in LOCAL}


def width_helps_deep_for_global():
    return {task: gain_of_width(task, 7)[-1].part(above=LEARNS) for task in GLOBAL}


def width_pays_with_samples_for_global():
    def growth(task):
        cells, sizes = SAMPLES.cells(task, 7), [*SAMPLES.extremes(task, 7)]
        first, last = sizes[0], sizes[-1]
        widths = sorted({w for w, n in cells if n == first} & {w for w, n in cells if n == last})
        gain = {n: SAMPLES.error(task, 7, widths[0], n) - SAMPLES.error(task, 7, widths[-1], n) for n in (first, last)}
        return gain[last] - gain[first]

    return {task: growth(task).part(above=0) for task in GLOBAL}


def opposite_depth_trends():
    grid, depths = Grid("depth"), (1, 2, 4, 7)

    def trend(task):
        n = grid.largest_n(task)
        widths = [{w for w, _ in grid.cells(task, depth)} for depth in depths]
        errors = [average(grid.error(task, depth, w, n) for w in set.intersection(*widths)) for depth in depths]
        return slope(depths, errors)

    return {"2-local": trend("2-local").part(below=0), "2-global": trend("2-global").part(above=0)}


def narrow_deep_fails_at_small_n():
    ends = SAMPLES.extremes("3-local", 7)
    first, last = (SAMPLES.error("3-local", 7, ends[n][0], n) for n in (min(ends), max(ends)))

    def groups(n, width):
        rows = SAMPLES.measured({"task": "3-local", "depth": 7, "width": width, "n_train": n})
        return [row[np.isfinite(row)] for row in rows]

    return {
        "3-local, error": first.part(above=FAILS, check=True),
        "3-local, recovery": (first - last).part(above=LEARNS),
        "3-local, spread": change_of_spread([[groups(n, w) for w in ends[n]] for n in ends], above=0),
        "3-local, gain of width": average(gain_of_width("3-local", 7)).part(above=0),
    }
