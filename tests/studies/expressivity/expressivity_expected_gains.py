"""Oracles of the claims on radial functions, sizes, steps and acceleration (expressivity) on uneven cubes."""

import itertools
import math

import numpy as np
from expressivity_distinct import OF_EQUAL_SIZE, PARITY, SHELLS, SIZES, STEPS, WEIGHTS_OF_SIZES
from expressivity_distinct_tables import DESCENT, RUN
from expressivity_formulas import acceleration, binomial, combined, exact, expected, mean, not_run, quoted, words


@expected
def density_needs_unit_volume(parts):
    table = parts["shells/calculations/radial_density"]
    even = table.sel(dimension=[2, 4, 10])
    return [
        exact("volume one: mass", abs(even.mass - 1).max(), below=1e-8),
        exact("volume one: within r", abs(even.mass_within - even.exact_mass_within).max(), below=1e-8),
        exact("radius one: mass / volume", abs(even.unit_ball_mass / even.unit_ball_volume - 1).max(), below=1e-8),
        exact("radius one: mass is not 1", abs(even.unit_ball_mass - 1).min(), above=0.1),
    ]


def slope(x, y):
    """Return the slope of ln y on ln x by least squares, of those y that are known."""
    x, y = np.log(x[np.isfinite(y)]), np.log(y[np.isfinite(y)])
    return ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()


@expected
def two_layers_make_radial_functions(parts):
    width = parts["shells/calculations/radial_widths"].width
    d, pairs = width.dimension.values, itertools.product(("cosine", "wave"), ("relu", "step"))
    rows = {(p, a): slope(d, width.sel(profile=p, activation=a).values) for p, a in pairs}
    return [exact(f"{p}, {a}", value, below=3.0) for (p, a), value in rows.items()]


@expected
def shells_are_expressible(parts):
    error = parts["shells/constructions"].test_error.sel(construction="profile")
    return [exact(task, 1 - error.sel(task=task), above=0.95) for task in SHELLS if task != "other"]


@expected
def tubes_cover_little(parts):
    table = parts["shells/calculations/fourier_tubes"]
    share = table.share.values
    return [
        exact("networks off their tubes", table.outside_tubes.max(), below=0.01),
        exact("shells off the tubes", table.shells_outside_tubes.min(), above=0.1),
        exact("share in the largest d", share[-1], below=1e-3),
        exact("rise of the share with d", max(b - a for a, b in itertools.pairwise(share)), below=1e-8),
    ]


def of_layers(parts, shells, dimension, *, train=False):
    """Return the errors of one and of two hidden layers of equal size on shells."""
    place = {"task": f"shells-{shells}-{dimension}", "train": train}
    return [quoted(parts["shells/networks"], depth=d, width=OF_EQUAL_SIZE[d], **place) for d in (1, 2)]


def second_layer(parts, *, train):
    """Return the parts of the gains of a second layer on four shells, from five dimensions on."""
    found = []
    for d in (5, 10):
        one, two = of_layers(parts, 4, d, train=train)
        found.append(combined(f"d = {d}", [(1, one), (-1, two)], train=train, above=0.02))
    return found


@expected
def three_layers_for_shells(parts):
    return second_layer(parts, train=False)


@expected
def three_layers_fit_shells(parts):
    return second_layer(parts, train=True)


@expected
def gap_grows_with_dimension(parts):
    (low_one, low_two), (one, two) = (of_layers(parts, 4, d) for d in (5, 10))
    return [combined("d = 10 minus d = 5", [(1, one), (-1, two), (-1, low_one), (1, low_two)], above=0.0)]


def on_balls(parts, factor, **bounds):
    """Return the parts of a factor times the error of one layer, minus that of two, on two shells."""
    pairs = {d: of_layers(parts, 2, d) for d in (3, 10)}
    return [combined(f"d = {d}", [(factor, one), (-1, two)], **bounds) for d, (one, two) in pairs.items()]


@expected
def ball_needs_no_depth(parts):
    return on_balls(parts, 1, above=-0.02, below=0.02)


@expected
def ball_error_is_spared_little(parts):
    """Return the parts of (e_1 - e_2) - e_1 / 4."""
    return on_balls(parts, 0.75, below=0.0)


@expected
def residual_networks_close_the_gap(parts):
    """Return the parts of a_deep - a_plain - (a_one - a_plain) / 2, with the accuracies a, at the largest width."""
    found = []
    for protocol in ("normalised", "residual"):
        variant, plain, one = (
            quoted(parts["architectures/networks"], task="global", protocol=p, depth=depth, width=100)
            for p, depth in ((protocol, 7), ("plain", 7), ("plain", 1))
        )
        found.append(combined(f"global: {protocol}", [(-1, variant), (0.5, plain), (0.5, one)], above=0.0))
    return found


def at_equal_sizes(networks, task):
    """Return the mean over three sizes, which both have, of the error of one layer minus that of five."""
    pairs = [
        [quoted(networks, task=task, depth=d, width=w) for d, w in ((1, shallow), (5, deep))]
        for shallow, deep in ((21, 10), (43, 20), (88, 40))
    ]
    terms = [(sign / 3, errors) for pair in pairs for sign, errors in zip((1, -1), pair, strict=True)]
    largest = max(math.sqrt(binomial(one) + binomial(five)) for one, five in pairs)
    return combined("equal parameters", terms, test_set=largest)


@expected
def gains_of_depth_have_one_sign(parts):
    """Return the parts of the gain within the compute of the second largest of five layers, and at all widths."""
    found = []
    for task, settings in PARITY.items():
        sign = np.sign(at_equal_sizes(parts["sizes/networks"], task).estimate)
        second = sorted(WEIGHTS_OF_SIZES[width] * (1 + settings["k"] / 50) for width in SIZES[5])[-2]
        for way, budget in {"equal compute": second * STEPS[-1], "best widths": np.inf}.items():
            one, five = (
                quoted(parts["sizes/networks"], over=["width"], budget=budget, task=task, depth=d) for d in (1, 5)
            )
            found.append(combined(f"{task}: {way}", [(sign, one), (-sign, five)], above=0.0))
    return found


def off_slope(x, y, expected_slope):
    """Return the largest distance of the slopes of ln y (case, x) on ln x from that which is expected."""
    return max(abs(slope(x, row) - expected_slope) for row in y)


@expected
def end_to_end_rule_holds(parts):
    table = parts["diabetes/calculations/end_to_end_rule"]
    several = table.sel(layers=[2, 4])
    deviations = several.deviation.transpose(..., "rate").values.reshape(-1, 3)
    return [
        exact("balanced: slope off 1", off_slope(table.rate.values, deviations, 1), below=0.05),
        exact("not balanced: deviation", several.unbalanced_deviation.sel(rate=1e-4).min(), above=0.1),
        exact("one output: deviation", table.vector_deviation.max(), below=1e-8),
    ]


@expected
def preconditioner_favours_large_directions(parts):
    gain = parts["diabetes/calculations/end_to_end_rule"].gain.sel(layers=[2, 4]).values  # (N, draw, left, right)
    rises = {"left": gain[:, :, 1:] - gain[:, :, :-1], "right": gain[..., 1:] - gain[..., :-1]}
    return [exact(f"{side} directions", rise.max(), below=0.0) for side, rise in rises.items()]


@expected
def overparametrisation_is_an_adaptive_rate(parts):
    table = parts["diabetes/calculations/overparametrised_step"]
    remainders = table.remainder.transpose(..., "rate").values.reshape(-1, 3)
    return [
        exact("remainder: slope off 2", off_slope(table.rate.values, remainders, 2), below=0.05),
        exact("weighted sum of gradients", table.weighted_sum_deviation.max(), below=0.1),
    ]


RULES = {  # by the words of a count, the gap and whether it has to stay: the first is that of the source
    "for the first time, gap 0.001": (1e-3, False),
    "for the first time, gap 0.003": (3e-3, False),
    "to stay, gap 0.001": (1e-3, True),
    "to stay, gap 0.003": (3e-3, True),
}
FIRST, *OTHER = RULES


def accelerations(parts, kinds, p, rules, **bounds):
    """Return the parts of the methods' ln of steps, over those of two or three layers, on each grid."""
    found = []
    for grid, kind, rule in itertools.product(RUN, kinds, rules):
        gap, lasting = RULES[rule]
        label = f"{grid}: {words(kind)}, N = 1, {rule}"
        if all(p in RUN[grid].get(method, ()) for method in (kind, DESCENT)):
            values = acceleration(parts[f"{grid}/networks"], kind, p, gap, lasting=lasting)
            found.append(mean(label, values.values(), **bounds))
        else:
            found.append(not_run(label, **bounds))
    return found


@expected
def depth_accelerates_quartic(parts):
    return accelerations(parts, [DESCENT], 4, [FIRST], above=np.log(1.3))


@expected
def quartic_acceleration_by_other_counts(parts):
    return accelerations(parts, [DESCENT], 4, OTHER, above=np.log(1.3))


@expected
def no_acceleration_for_squares(parts):
    return accelerations(parts, [DESCENT], 2, [FIRST], below=np.log(1.2))


@expected
def no_acceleration_for_squares_by_other_counts(parts):
    return accelerations(parts, [DESCENT], 2, OTHER, below=np.log(1.2))


RIVALS = ("adagrad", "adadelta", "momentum", "adam")  # in the order of the criteria


@expected
def faster_than_adaptive_methods(parts):
    return accelerations(parts, RIVALS, 4, [FIRST], above=0.0)


@expected
def faster_than_adaptive_methods_by_other_counts(parts):
    return accelerations(parts, RIVALS, 4, OTHER, above=0.0)


@expected
def rates_are_dense_enough(parts):
    """Return the parts of what every second rate changes: rates are a quarter octave apart, half of it is allowed."""
    found, bound = [], np.log(2) / 8
    for grid, p, gap in itertools.product(RUN, (2, 4), (1e-3, 3e-3)):
        label, bounds = f"{grid}: p = {p}, gap {gap:g}", {"above": -bound, "below": bound}
        if p in RUN[grid].get(DESCENT, ()):
            rates, cube = {"gap": gap, "lasting": True}, parts[f"{grid}/networks"]
            coarse, fine = (acceleration(cube, DESCENT, p, **rates, stride=stride) for stride in (2, 1))
            found.append(mean(label, [coarse[draw] - fine[draw] for draw in fine], **bounds))
        else:
            found.append(not_run(label, **bounds))
    return found
