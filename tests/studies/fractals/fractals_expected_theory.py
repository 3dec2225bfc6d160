"""Criteria that the claims of the fractals study have on theory, by hand from their statements.

The numbers are those of ``fractals_distinct_theory``, and the trained networks those of ``fractals_distinct``.
"""

import itertools
import math

import numpy as np
from fractals_distinct import LINE
from fractals_distinct_theory import SCORES, TASKS
from fractals_formulas import CLEAN, MAPS, Part, Place, exactly, known_by_level, mean, share, total

from isobath.claims.fractals import thresholds

WIDTH_OF_S, DEPTH_OF_S = "width beyond 5 d r^s", "depth beyond 2 floor(j / s) + 2"
PRINTED, OTHER = "uniform, b = 0.5", "uniform, b = 0.25"
USUAL = ("glorot, b = 0.1", "he, b = 0.1")


def sizes(task, kind):
    """Return largest width and depth of a construction, which counts the output layer."""
    *_, width, layers = SCORES[task, kind]
    return width, layers + 1


def error(task, kind, classes=(0, 1), shift=0.0):
    """Return the error of a construction on classes, minus ``shift``."""
    counts, wrong, *_ = SCORES[task, kind]
    return share(sum(wrong[c] for c in classes), sum(counts[c] for c in classes), shift)


def exact(label, task, kind):
    return Part(f"{label}: error", error(task, kind), below=thresholds.EXACT, check=True)


def at_most_0(label, name, number):
    return Part(f"{label}: {name}", exactly(number), below=thresholds.WHOLE, check=True)


def of_kind(kind):
    """Return the tasks of a construction with the maps r, the dimension d and the levels n of each."""
    return [(task, *MAPS[TASKS[task]["system"]], TASKS[task]["levels"]) for task, k in SCORES if k == kind]


def theorem_1(tree):
    parts = []
    for task, r, d, n in of_kind("folding"):
        width, depth = sizes(task, "folding")
        excess = {"width beyond 5 d r": width - 5 * d * r, "depth beyond 2 n + 1": depth - (2 * n + 1)}
        parts += [exact(task, task, "folding"), *(at_most_0(task, *pair) for pair in excess.items())]
    return parts


def theorem_1_needs_its_margin(tree):
    """Return the errors on positives, class 1, and on negatives."""
    kind, parts = "folding_wide_margin", []
    for task, *_ in of_kind(kind):
        parts.append(Part(f"{task}: positives", error(task, kind, (1,)), above=0, check=True))
        parts.append(Part(f"{task}: negatives", error(task, kind, (0,)), below=thresholds.EXACT, check=True))
    return parts


def smaller_network_is_exact(tree):
    kind, parts = "certificate", []
    for task, _, d, n in of_kind(kind):
        width, depth = sizes(task, kind)
        excess = {"width beyond 2 d": width - 2 * d, "hidden layers beyond n + 1": depth - 1 - (n + 1)}
        parts += [exact(task, task, kind), *(at_most_0(task, *pair) for pair in excess.items())]
    return parts


def whole_foldings():
    """Return foldings of all levels, s > 1 at once: (task, construction, s, n, width and depth beyond Corollary 1)."""
    for (kind, s), task in itertools.product({"folding_by_2": 2, "folding_by_3": 3}.items(), TASKS):
        if (task, kind) in SCORES:
            (r, d), n = MAPS[TASKS[task]["system"]], TASKS[task]["levels"]
            width, depth = sizes(task, kind)
            yield task, kind, s, n, (width - 5 * d * r**s, depth - (2 * (n // s) + 2))


def corollary_1(tree):
    """Return the errors and sizes where s divides n: 2 divides 4 and 6, 3 divides 6 and 9."""
    parts = []
    for task, kind, s, n, (width, depth) in whole_foldings():
        if (n, s) in {(4, 2), (6, 2), (6, 3), (9, 3)}:
            label = f"{task}, {n} levels, {s} at once"
            rest = (at_most_0(label, WIDTH_OF_S, width), at_most_0(label, DEPTH_OF_S, depth))
            parts += [exact(label, task, kind), *rest]
    return parts


def corollary_1_takes_a_layer_more(tree):
    """Return those where it does not, whose depth is one layer more than that of the corollary, no less and no more."""
    parts = []
    for task, kind, s, n, (width, depth) in whole_foldings():
        if (n, s) in {(4, 3), (9, 2), (7, 2), (7, 3)}:
            label = f"{task}, {n} levels, {s} at once"
            one = {"above": thresholds.WHOLE, "below": 1 + thresholds.WHOLE, "check": True}
            parts += [exact(label, task, kind), at_most_0(label, WIDTH_OF_S, width)]
            parts.append(Part(f"{label}: {DEPTH_OF_S}", exactly(depth), **one))
    return parts


def theorem_3(tree):
    """Return the errors beyond 1 - P(j) and the sizes for j < n and s that divides j: (2, 1) and (4, 2)."""
    parts = []
    for (j, s), task in itertools.product(((2, 1), (4, 2)), ("cantor_coarse", "cantor_finer")):
        kind, label = f"folding_{j}_by_{s}", f"{task}, {j} levels, {s} at once"
        width, depth = sizes(task, kind)
        beyond = error(task, kind, shift=1 - known_by_level(TASKS[task])[j])
        parts.append(Part(f"{label}: error", beyond, below=thresholds.SAMPLING, check=True))
        parts.append(at_most_0(label, WIDTH_OF_S, width - 5 * 2 * 4**s))
        parts.append(at_most_0(label, DEPTH_OF_S, depth - (2 * (j // s) + 2)))
    return parts


def calculated(tree, name):
    return tree[f"theory/calculations/{name}"].to_dataset()


def narrow(depth, levels, r, d):
    """Return the width below which (e k / d)^(t d) is below r^n, t = depth + 1."""
    return d / math.e * r ** (levels / ((depth + 1) * d))


def theorem_2(tree):
    """Return the counts, the widths of exact networks without holes, and the errors of those that are too narrow.

    The curve line-6 leaves holes, as the Cantor sets in two dimensions do.
    """
    table = calculated(tree, "region_counts")
    bounds = table.regions.values / table.region_bound.values[None, :, :, None]  # start, depth, width, network
    ratios = {
        "random networks over their bound": bounds,
        "networks that know the set over their bound": table.known_regions.values / table.known_bound.values,
        "what is needed over what they have": table.needed_regions.values / table.known_regions.values,
    }
    parts = [Part(label, exactly(math.log(r.max())), below=0, check=True) for label, r in ratios.items()]
    for task, (kind, s) in itertools.product(
        ("sierpinsky_margin", "line-1"), (("folding", 1), ("folding_by_2", 2), ("folding_by_3", 3))
    ):
        (r, d), n = MAPS[TASKS[task]["system"]], TASKS[task]["levels"]
        width, depth = sizes(task, kind)
        spare = exactly(math.log(width / narrow(depth - 1, n, r, d)))
        parts.append(Part(f"{task}, {n} levels, {s} at once: width over the least", spare, above=0, check=True))
    for depth, width in ((1, 1), (1, 3), (1, 10), (2, 1), (2, 3), (3, 1)):  # below 11.8, 3.7 and 2.1 of 2^(10 / t) / e
        trained = total(tree, "line", [(Place("line-1", depth, width), 1)], CLEAN)
        parts.append(Part(f"line-1: depth {depth}, width {width}", trained, above=0, check=True))
    return parts


def theorem_4(tree):
    """Return the least error beyond the bound, and those of networks that have one: r^s > k, and s t < j < n = 10."""
    table = calculated(tree, "least_errors")
    beyond = exactly(float((table.least_error.values - table.error_bound.values).min()))
    parts = [Part("functions with few sign changes", beyond, above=-thresholds.TINY, check=True)]
    exponents = {(1, 1): 2, (2, 1): 3, (3, 1): 4, (1, 3): 4, (2, 3): 6, (3, 3): 8, (1, 10): 8}  # s t; others 12 and 16
    for task, ((depth, width), st) in itertools.product(LINE, exponents.items()):
        known = known_by_level(LINE[task])
        bound = max((1 - 2.0 ** (st - j)) * (1 - known[j]) for j in range(st + 1, 10))
        trained = total(tree, "line", [(Place(task, depth, width), 1)], CLEAN, -bound)
        parts.append(Part(f"{task}: depth {depth}, width {width}", trained, above=0, check=True))
    return parts


def shallow_networks_guess_on_flat_curves(tree):
    """Return the least error beyond 1/2 - epsilon: of five levels curve 6 is flat for four and curve 2 for two."""
    table = calculated(tree, "least_errors")
    pairs = [(curve, st, j) for curve, flat in ((6, 4), (2, 2)) for j in range(2, flat + 1) for st in range(1, j)]
    beyond = [float(table.least_error.sel(curve=c, regions=2**st)) - (0.5 - 2.0 ** (st - j) / 2) for c, st, j in pairs]
    return [Part("flat curves on the line", exactly(min(beyond)), above=-thresholds.TINY, check=True)]


def keeping(tree, start, *, small=False):
    """Return the share of networks that keep both bounds on every distribution, of all or of those with |f| < 1."""
    table = calculated(tree, "initial_gradients").sel(start=start).transpose("depth", "network", "growth")
    norms, errors = table.gradient_norm.values, table.error.values
    bounds = [table[f"{name}_bound"].values[:, None, :] for name in ("gradient", "error")]
    keeps = ((norms <= bounds[0]) & (errors >= bounds[1])).all(-1)
    counted = (table.largest_output.values[..., 0] < 1) if small else np.ones_like(keeps)
    return share((keeps & counted).sum(), counted.sum())


def theorem_5(tree):
    return [Part(start, keeping(tree, start), above=0.85, check=True) for start in (PRINTED, OTHER)]


def usual_starts_vanish_as_well(tree):
    return [Part(start, keeping(tree, start), above=0.85) for start in USUAL]


def gradients_vanish_where_outputs_are_small(tree):
    return [Part(start, keeping(tree, start, small=True), above=0.85, check=True) for start in USUAL]


def printed_start_is_degenerate(tree):
    norms = calculated(tree, "initial_gradients").gradient_norm
    coarsest = {start: mean(norms.sel(start=start, growth=1.0).values) for start in (PRINTED, OTHER)}
    return [
        Part(PRINTED, coarsest[PRINTED], below=thresholds.TINY, check=True),
        Part(OTHER, coarsest[OTHER], above=thresholds.TINY, check=True),
    ]


def regions_hold_both_classes_alike(tree):
    """Return the imbalance on the fine distribution, and that on the coarsest minus it, network by network."""
    table = calculated(tree, "initial_gradients")
    fine = {start: table.fine_imbalance.sel(start=start).values for start in (PRINTED, OTHER, *USUAL)}
    alike = [Part(f"{s}: fine", mean(each), below=thresholds.ALIKE, check=True) for s, each in fine.items()]
    coarse = {start: table.imbalance.sel(start=start, growth=1.0).values for start in (OTHER, *USUAL)}
    return alike + [Part(f"{s}: coarse", mean(each - fine[s]), above=0, check=True) for s, each in coarse.items()]


def corollary_2(tree):
    """Return the properties of the network of 24 levels, on whose distribution gradients were calculated."""
    known, stuck = calculated(tree, "deep_certificates").sel(level=24), calculated(tree, "deep_gradients")
    layers = max(abs(depth + 1 - int(known.depth)) for depth in (8, 5, 2))
    parts = [
        Part("wrong points", exactly(int(known.wrong_positives) + int(known.wrong_negatives)), below=thresholds.WHOLE),
        Part("width", exactly(int(known.largest_width)), below=10 + thresholds.WHOLE),
        Part("layers between both networks", exactly(layers), below=thresholds.WHOLE),
        Part("n' of Theorem 5 beyond n", exactly(int(stuck.needed_levels.values.max()) - 24), below=0),
        Part("least error of one hidden layer", exactly(float(known.shallow_error)), above=0),
    ]
    for start in (PRINTED, OTHER):
        norms, errors = (stuck[f"fine_{name}"].sel(start=start).values for name in ("gradient_norm", "error"))
        parts.append(Part(f"stuck, {start}", share(((norms == 0) & (errors == 0.5)).sum(), norms.size), above=0.8))
    return [part._replace(check=True) for part in parts]


def corollary_3_is_void(tree):
    """Return the sizes, and the bounds 5 eps^(n/2) and 1/2 - 3/2 eps^(n/2) at eps^(n - t) = 1/2."""
    kind, parts = "certificate_by_three", []
    for task, _, _, n in of_kind(kind):
        width, depth = sizes(task, kind)
        power = 2 ** (-n / 2 / (n - depth))
        parts += [exact(task, task, kind), at_most_0(task, "width beyond 10", width - 10)]
        parts.append(at_most_0(task, "depth beyond n", depth - n))
        parts.append(Part(f"{task}: bound on the gradient", exactly(5 * power), above=1, check=True))
        parts.append(Part(f"{task}: bound on the error", exactly(0.5 - 1.5 * power), below=0, check=True))
    return parts
