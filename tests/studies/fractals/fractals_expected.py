"""Criteria that the claims of the fractals study have on trained networks, by hand from their statements.

The cells are those of ``fractals_distinct``.
"""

import math

import numpy as np
from fractals_distinct import CURVES, DEAD, GIVEN, USUAL
from fractals_formulas import (
    CLEAN,
    PAPERS,
    Number,
    Part,
    Place,
    fineness,
    gap,
    interval,
    least_error_by_trying,
    of_networks,
    scaled,
    share,
    total,
)
from scipy.stats import rankdata

from isobath.claims.fractals import thresholds

FIGURE_5 = {1: 0.9924, 2: 0.9654, 4: 0.9322, 6: 0.7764}
FINEST, COARSEST = Place("cantor-6", 5), Place("cantor-1", 5)  # of the grid curves, at the best of all widths
OTHERS = ("cantor", "vicsek", "pentaflake")  # fractals with several curves, but for Sierpinsky's triangle
RESAMPLES = 10_000


def by_rule(tree, grid, rows, **bounds):
    """Return the parts of rows (label, terms, constant) by both rules."""
    return [
        Part(f"{label}, {rule}", total(tree, grid, terms, rule, *constant), **bounds)
        for label, terms, *constant in rows
        for rule in (PAPERS, CLEAN)
    ]


def deeper_is_better(tree):
    shapes = {"cantor-1": (8, 16, 64), "vicsek-1": (8, 16)}
    rows = [(f"{t}: width {w}", gap(Place(t, 1, w), Place(t, 4, w))) for t, widths in shapes.items() for w in widths]
    return by_rule(tree, "depth", rows, above=0)


def every_step_of_depth_helps(tree):
    steps = {("cantor-1", 1, 2): (8, 16, 64), ("cantor-1", 2, 4): (8, 16, 64), ("vicsek-1", 1, 4): (8, 16)}
    rows = [
        (f"{task}: width {w}, depth {low} to {high}", gap(Place(task, low, w), Place(task, high, w)))
        for (task, low, high), widths in steps.items()
        for w in widths
    ]
    return by_rule(tree, "depth", rows, above=0)


def depth_uses_parameters_better(tree):
    """Return the widest of each depth with at most 700 parameters on the Cantor set, at most 200 on the other one."""
    affordable = {("cantor-1", 64): ((2, 16), (4, 8)), ("vicsek-1", 16): ((4, 8),)}
    rows = [
        (f"{task}: depth {depth}, width {w}", gap(Place(task, 1, widest), Place(task, depth, w)))
        for (task, widest), cells in affordable.items()
        for depth, w in cells
    ]
    return by_rule(tree, "depth", rows, above=0)


def wide_deep_networks_nearly_solve_it(tree):
    """Return the widest networks of two layers on the set of two levels, and of four on that of four."""
    published = {"value": 0.0076, "place": "Fig. 5, curve 1", "tolerance": 0.02, "same_size": False}
    cells = (Place("cantor-1", 2, 64), Place("vicsek-1", 4, 16))
    rows = [(f"{c.task}: depth {c.depth}, width {c.width}", [(c, 1)]) for c in cells]
    parts = by_rule(tree, "depth", rows, below=thresholds.NEARLY)
    return [part._replace(published=published if part.label.endswith(PAPERS) else None) for part in parts]


def depth_helps_on_every_fractal(tree):
    """Return the gains of depth on coarse curves; the widest networks of one layer have 16 units on one of them."""
    widths = {"cantor_1d": 64, "cantor": 64, "sierpinsky": 64, "pentaflake": 64, "vicsek": 16}
    rows = [(f"{s}-1", gap(Place(f"{s}-1", 1, w), Place(f"{s}-1", 4, w))) for s, w in widths.items()]
    return by_rule(tree, "fractals", rows, above=0)


def effect(system, curve=6):
    """Return the terms of the error of the widest of the deepest networks on a curve minus that on the coarse one."""
    return gap(Place(f"{system}-{curve}", 4, 64), Place(f"{system}-1", 4, 64))


def curve_matters_on_other_fractals(tree):
    rows = [(f"{system}-6 against {system}-1", effect(system)) for system in OTHERS]
    more = [(f"{s} against sierpinsky", [*effect(s), *scaled(effect("sierpinsky"), -1)]) for s in OTHERS]
    return by_rule(tree, "fractals", [*rows, *more], above=0)


def sierpinsky_hardly_feels_the_curve(tree):
    """Return half of the smallest effect on another fractal, minus and plus that of either finer curve."""
    parts = []
    for rule in (PAPERS, CLEAN):
        least = min(OTHERS, key=lambda system: total(tree, "fractals", effect(system), rule).value)
        for curve in (3, 6):
            for words, side in (("not worse", 1), ("not better", -1)):
                terms = [*scaled(effect(least), thresholds.NO_EFFECT), *scaled(effect("sierpinsky", curve), -side)]
                label = f"sierpinsky-{curve} against sierpinsky-1, {words}, {rule}"
                parts.append(Part(label, total(tree, "fractals", terms, rule), above=0))
    return parts


def fine_distribution_is_not_learned(tree):
    """Return the errors at the best depth and width and the gains of depth at the largest width of both depths."""
    best = [(f"{task}: best depth and width", [(Place(task), 1)]) for task in ("vicsek-fine-4", "vicsek-fine-6")]
    ends = {task: (Place(task, 1, w), Place(task, 4, w)) for task, w in (("vicsek-fine-4", 64), ("vicsek-fine-6", 16))}
    gains = [(f"{task}: gain of depth, width {pair[0].width}", gap(*pair)) for task, pair in ends.items()]
    near_half = by_rule(tree, "fine", best, above=0.5 - thresholds.CHANCE)
    return near_half + by_rule(tree, "fine", gains, above=-thresholds.CHANCE, below=thresholds.CHANCE)


def cifar_is_like_a_coarse_curve(tree):
    """Return the gain of depth, and the error of one layer minus that of a share of what four gain on guessing."""
    shallow, deep = Place("cifar10", 1, 16), Place("cifar10", 4, 16)
    good = thresholds.GOOD  # an error of .9 - GOOD (.9 - deep)
    gain = by_rule(tree, "cifar", [("gain of depth, width 16", gap(shallow, deep))], above=0)
    rest = [("shallow networks, width 16", [(shallow, 1), (deep, -good)], 0.9 * good - 0.9)]
    return gain + by_rule(tree, "cifar", rest, below=0)


def cifar_gains_are_gradual(tree):
    """Return the gain of each step of depth, and what one layer gains over guessing minus it."""
    first = Place("cifar10", 1, 16)
    steps = {f"width 16, depth {a} to {b}": gap(first._replace(depth=a), first._replace(depth=b)) for a, b in
             ((1, 2), (2, 4))}  # fmt: skip
    small = [
        (f"{label}, against the first layer", [(first, -1), *scaled(step, -1)], 0.9) for label, step in steps.items()
    ]
    return by_rule(tree, "cifar", [*steps.items(), *small], above=0)


def error_grows_with_fineness(tree):
    """Return the slope over all curves, and the fall beyond a share of what the coarse curve gains over guessing."""
    x = {task: fineness(settings) for task, settings in CURVES.items()}
    mean = sum(x.values()) / len(x)
    squares = sum((each - mean) ** 2 for each in x.values())
    slope = [(Place(task, 5), (each - mean) / squares) for task, each in x.items()]
    drastic = thresholds.DRASTIC  # fine - coarse - DRASTIC (1/2 - coarse)
    fall = ("cantor-6 against cantor-1", [(FINEST, 1), (COARSEST, drastic - 1)], -drastic / 2)
    return by_rule(tree, "curves", [("slope", slope), fall], above=0)


def accuracies_are_as_published(tree):
    """Return the errors at the best width; of one curve a width of the source is not there."""
    parts = []
    for curve, accuracy in FIGURE_5.items():
        error, task = round(1 - accuracy, 4), f"cantor-{curve}"
        published = {"value": error, "place": "Fig. 5", "tolerance": 0.02, "same_size": curve != 4}
        bounds = {"above": error - 0.02, "below": error + 0.02, "published": published}
        parts.append(Part(task, total(tree, "curves", [(Place(task, 5), 1)], PAPERS), **bounds))
    return parts


def part_by_dead_networks(tree):
    """Return 1 - (mean rise where networks live) / (mean rise), with the error of the jackknife over data sets."""
    usual = [of_networks(tree, "curves", place._replace(rate=USUAL), CLEAN) for place in (FINEST, COARSEST)]
    rises = {draw: usual[0][draw].mean() - usual[1][draw].mean() for draw in usual[0]}
    dead = {draw for draws in DEAD.values() for draw in draws}

    def part(draws):
        return 1 - np.mean([rises[d] for d in draws if d not in dead]) / np.mean([rises[d] for d in draws])

    n, whole = len(rises), part(rises)
    pseudo = [n * whole - (n - 1) * part([d for d in rises if d != left_out]) for left_out in rises]
    return interval(whole, spread=np.std(pseudo, ddof=1) / math.sqrt(n), sample=0.0, count=n)


def dying_units_are_a_part_of_the_fall(tree):
    """Return the rise at the usual rate minus that at the best, and what dead networks have to do with it.

    On the finest curve alone networks are dead on two data sets, on the coarse one alone on one.
    """
    lost = {place: gap(place._replace(rate=USUAL), place) for place in (FINEST, COARSEST)}
    fall = total(tree, "curves", [*lost[FINEST], *scaled(lost[COARSEST], -1)], CLEAN)
    return [
        Part("fall at the usual rate minus at the best", fall, above=0),
        Part("dead at the usual rate on the finest curve", share(2, 3), above=0.5),
        Part("part of the fall by dead networks", part_by_dead_networks(tree), above=0),
    ]


def correlation(x, y, control=None):
    """Return the correlation of ranks (..., n), or of what those of a control leave of them, (...); NaN for none."""
    ranks = [rankdata(each, axis=-1) for each in (x, y, *([] if control is None else [control]))]
    x, y, *rest = (each - each.mean(-1, keepdims=True) for each in ranks)
    for z in rest:
        slopes = [(each * z).sum(-1, keepdims=True) / (z * z).sum(-1, keepdims=True) for each in (x, y)]
        x, y = x - slopes[0] * z, y - slopes[1] * z
    squares = [(each * each).sum(-1) for each in (x, y)]
    known = np.minimum(*squares) > 1e-6  # else all that is left is rounding
    return (x * y).sum(-1) / np.sqrt(np.where(known, squares[0] * squares[1], np.nan))


def resampled(*columns):
    """Return a correlation with the quantiles of another bootstrap than that of the code, of five times its size."""
    n = len(columns[0])
    picks = np.random.default_rng(5).integers(0, n, (RESAMPLES, n))
    low, high = np.nanquantile(correlation(*(column[picks] for column in columns)), [0.025, 0.975])
    return Number(float(correlation(*columns)), low, high, n)


def deep_networks_learn_what_shallow_ones_approximate(tree):
    """Return the correlations with the least error of one hidden layer of five units, of six sign changes at most."""
    least = np.array([least_error_by_trying(task, 6) for task in GIVEN.values()])
    finer = np.array([fineness(task) for task in GIVEN.values()])
    parts = []
    for rule in (PAPERS, CLEAN):
        errors = [of_networks(tree, "conjecture", Place(task, 4, 5), rule)[0].mean() for task in GIVEN]
        parts.append(Part(rule, resampled(least, 1 - np.array(errors)), below=-thresholds.STRONG))
        parts.append(Part(f"{rule}, at equal fineness", resampled(least, 1 - np.array(errors), finer), below=0))
    return parts
