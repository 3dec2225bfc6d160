"""Numbers that the controls, and our own claims on terms and variances, have to find in the planted cubes.

The functions have the names of the claims, and return the criteria by their labels, from statement and statistic. The
depths 1, 3 and 7, the 100 units, the bound d / 4 and the bias of 0.1 are those of the statements.
"""

from itertools import product

import numpy as np
from locality_distinct import FAMILIES
from locality_expected_networks import DEPTHS, by_depth
from locality_formulas import Grid, Part, average, slope

from isobath.claims.locality.thresholds import FAILS, HALF, LEARNS, PERFECT, SAME_GAIN

EQUAL = Grid("equal_dimension")
LOCAL = [*EQUAL.tasks(2, "local"), *EQUAL.tasks(3, "local")]
TERMS = Grid("terms", "sgd_normal")
SEVERAL = {family: sorted(numbers) for family, numbers in FAMILIES.items() if len(numbers) > 1}


def narrow_networks_express_local():
    grid, statuses = Grid("expressivity", "sgd_fixed", of_any_size=True), ("fitted", "unfitted")
    widest = {task: max(w for w, _ in grid.cells(task, 1) if w <= 100) for task in ("2-local-alone", "3-local-alone")}
    errors = {task: grid.error(task, 1, w, grid.largest_n(task, 1), statuses=statuses) for task, w in widest.items()}
    return {task: error.part(below=PERFECT) for task, error in errors.items()}


def conclusions(protocol):
    grid = Grid("variants", protocol)
    deep = {task: grid.gain(task, 1, 7).part(above=0) for task in ("2-local", "3-local")}
    return deep | {task: grid.gain(task, 7, 1).part(above=0) for task in ("2-global", "3-global")}


def mse_agrees():
    return conclusions("sgd_mse")


def he_agrees():
    return conclusions("sgd_he")


def deep_better_for_local_at_equal_dimension():
    return {task: EQUAL.gain(task, 1, 7).part(above=0) for task in LOCAL}


def kernel(task, depth):
    """Return the error of the kernel at the largest N at which networks were trained on a task."""
    return EQUAL.kernel(task, depth, EQUAL.largest_n(task))


def ntk_fails_for_local_at_equal_dimension():
    return {label: kernel(*at).part(above=FAILS) for label, at in by_depth(LOCAL).items()}


def ntk_prefers_global_at_equal_dimension():
    def preference(k, depth):
        of_local, of_global = (average(kernel(t, depth) for t in EQUAL.tasks(k, kind)) for kind in ("local", "global"))
        return of_local - of_global

    cases = ((2, 1), (2, 7), (3, 7))  # not k = 3 at L = 1, to whose degrees the kernel is blind
    return {f"k = {k}, L = {depth}": preference(k, depth).part(above=LEARNS) for k, depth in cases}


def bias_mends_shallow_ntk():
    grid, parts = Grid("bias"), {}
    for k, bounds in ((3, {"above": LEARNS}), (2, {"below": LEARNS})):
        for task, biased in product(grid.tasks(k, "global"), ("ntk_half", "ntk_wide")):
            n = int(grid.kernels.n_train.max())
            gain = grid.kernel(task, 1, n) - grid.kernel(task, 1, n, biased)
            parts[f"{task}, {biased}"] = gain.part(**bounds)
    return parts


def gain(family, m, *, deep=7, n=None, rotated=False):
    """Return error(L=1) - error(L=7), or another depth, on the label of m terms: at N, or at the largest of both."""
    k, d = family
    task = f"{k}-terms-{m}-{d}{'-rotated' * rotated}"
    cells = TERMS.cells(task, 1) & TERMS.cells(task, deep)
    n = n or max(n for _, n in cells)
    return average(TERMS.error(task, 1, w, n) - TERMS.error(task, deep, w, n) for w, m in sorted(cells) if m == n)


def fall(family, **how):
    """Return the slope of the gain against ln m."""
    return slope(np.log(SEVERAL[family]), [gain(family, m, **how) for m in SEVERAL[family]])


def gain_of_depth_falls_with_terms():
    parts = {}
    for (k, d), numbers in SEVERAL.items():
        few = max(m for m in numbers if 4 * m <= d)
        parts[f"k = {k}, d = {d}, slope"] = fall((k, d)).part(below=0)
        parts[f"k = {k}, d = {d}, m = 1"] = gain((k, d), 1).part(above=0)
        parts[f"k = {k}, d = {d}, m <= d / 4"] = gain((k, d), few).part(below=0)
    return parts


def fall_with_terms_is_general():
    parts = {}
    for k, d in SEVERAL:
        parts[f"k = {k}, d = {d}, L = 3"] = fall((k, d), deep=3).part(below=0)
        parts[f"k = {k}, d = {d}, smallest N"] = fall((k, d), n=1000).part(below=0)  # at 500 there is m = 1 alone
    return parts


def rotation_leaves_the_gain_of_depth():
    parts, bounds = {}, {"above": -SAME_GAIN, "below": SAME_GAIN, "check": True}
    for (k, d), numbers in SEVERAL.items():
        for m in numbers[::-2]:
            change = (gain((k, d), m, rotated=True) - gain((k, d), m)) / gain((k, d), 1)
            parts[f"k = {k}, d = {d}, m = {m}"] = change.part(**bounds)
    return parts


def starts_are_less_than_half_of_the_variance():
    grids, parts = [Grid("variance", protocol) for protocol in ("sgd", "sgd_again")], {}
    for task, depth in product(("2-local", "3-local"), DEPTHS):
        place = {"task": task, "depth": depth, "width": 50, "n_train": 500}
        errors = np.stack([grid.measured(place, ("fitted", "unfitted")) for grid in grids], axis=1)
        errors = errors[np.isfinite(errors).all((1, 2))]
        low, high = np.quantile(share_of_starts(*drawn(errors), *errors.shape[1:]), (0.025, 0.975))
        value = share_of_starts(*mean_squares(errors), *errors.shape[1:])
        parts[f"{task}, L = {depth}"] = Part(float(value), low, high, len(errors), below=HALF)
    return parts


def mean_squares(errors):
    """Return the mean squares between data sets, searches and starts, and of the rest, of errors (D, S, R)."""
    d, s, r = errors.shape
    of_data, of_search, of_start = errors.mean((1, 2)), errors.mean(2), errors.mean(1)
    rest = errors - of_search[:, :, None] - of_start[:, None] + of_data[:, None, None]
    return (
        s * r * ((of_data - errors.mean()) ** 2).sum() / (d - 1),
        r * ((of_search - of_data[:, None]) ** 2).sum() / (d * (s - 1)),
        s * ((of_start - of_data[:, None]) ** 2).sum() / (d * (r - 1)),
        (rest**2).sum() / (d * (s - 1) * (r - 1)),
    )


def drawn(errors):
    """Return mean squares as they may have come from others, each over its own chi^2."""
    d, s, r = errors.shape
    rng = np.random.default_rng(7)
    freedoms = (d - 1, d * (s - 1), d * (r - 1), d * (s - 1) * (r - 1))
    return [m * f / rng.chisquare(f, 40_000) for m, f in zip(mean_squares(errors), freedoms, strict=True)]


def share_of_starts(between, search, start, rest, s, r):
    """Return the share of the starts in the variance of one error; parts that come out negative are none."""
    of_data = np.maximum((between - search - start + rest) / (s * r), 0)
    of_search, of_start = np.maximum((search - rest) / r, 0), np.maximum((start + (s - 1) * rest) / s, 0)
    return of_start / (of_data + of_search + of_start)
