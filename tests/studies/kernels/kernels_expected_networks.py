"""Numbers that the claims on networks of the study of kernels should give, written out from their text."""

import numpy as np
from kernels_distinct_networks import CROSSING, LAZY_TASKS, SAMPLE_TASKS, SAMPLES, TERMS
from kernels_expected import binomial, within
from kernels_formulas import Measured, combined, difference, slope

from isobath.claims.kernels import thresholds as t

SMALLEST, LARGEST = "lazy_0.001", "lazy_100"


def error_of(networks, n_test=700, **place):
    """Return the test error of a cell: each half of the test set judges where the other is smallest, over networks.

    A network that diverged at every rate is left out; the mean over networks is taken in each data set.
    """
    cell = networks.sel(place)
    halves = [cell[f"recorded_{half}_half_error"].transpose("draw", "seed", ...).values for half in ("first", "second")]
    first, second = (half.reshape(*half.shape[:2], -1) for half in halves)
    errors = np.empty(first.shape[:2])
    for network in np.ndindex(errors.shape):
        a, b = first[network], second[network]
        known = ~np.isnan(a)
        errors[network] = (b[known][a[known].argmin()] + a[known][b[known].argmin()]) / 2 if known.any() else np.nan
    by_draw = np.nanmean(errors, axis=1)
    return Measured(by_draw, binomial(by_draw.mean(), n_test))


def lazy_error(groups, task, protocol, depth):
    """Return the error of a cell at the first width and size."""
    n_test = LAZY_TASKS[task].get("n_test", 700)
    place = {"task": task, "protocol": protocol, "depth": depth, "width": 50, "n_train": 400}
    return error_of(groups["lazy"], n_test, **place)


def terms(k, d):
    """Return the labels of k and d by their number of terms, increasing."""
    return {m: f"{k}-terms-{m}-of-{d}" for m in sorted(TERMS[k, d])}


def lazy_networks_are_their_kernel(groups):
    found = {}
    for task in LAZY_TASKS:
        for depth in (1, 7):
            gap = difference(*(lazy_error(groups, task, protocol, depth) for protocol in (LARGEST, "kernel")))
            found[f"{task}, L = {depth}"] = gap.expected(**within(t.EQUAL_TO_KERNEL))
    return found


def gain(groups, task, protocol):
    return difference(*(lazy_error(groups, task, protocol, depth) for depth in (1, 7)))


def gain_of_depth_vanishes_when_lazy(groups):
    found = {}
    for label, task in (("2-local, d = 10", terms(2, 10)), ("2-local, d = 20", terms(2, 20)), ("3-local", terms(3, 8))):
        found[f"{label}, smallest alpha"] = gain(groups, task[1], SMALLEST).expected(above=0)
        found[f"{label}, largest alpha"] = gain(groups, task[1], LARGEST).expected(**within(t.VANISHED))
    return found


def gain_of_depth_changes_sign_when_lazy(groups):
    task = terms(3, 8)[8]
    return {
        "smallest alpha": gain(groups, task, SMALLEST).expected(below=0),
        "largest alpha": gain(groups, task, LARGEST).expected(above=0),
    }


def value_of_features_falls_with_terms(groups):
    found = {}
    for k, d in ((2, 10), (3, 8)):
        for depth in (1, 7):
            errors = [
                [lazy_error(groups, task, protocol, depth) for protocol in (LARGEST, SMALLEST)]
                for task in terms(k, d).values()
            ]
            fall = slope(np.log([*terms(k, d)]), [difference(*pair) for pair in errors])
            found[f"k = {k}, d = {d}, L = {depth}"] = fall.expected(below=0)
    return found


def segment(heights):
    """Return the first point before a change of sign, and the share of the way to the next at which it is."""
    i = next(i for i in range(len(heights) - 1) if heights[i] * heights[i + 1] <= 0)
    return i, heights[i] / (heights[i] - heights[i + 1])


def zero(x, heights):
    """Return x where each draw is 0 first, on straight lines; the test set's error is that of the mean's height there.

    It is taken to x by the slope of the mean.
    """
    by_draw = []
    for draw in range(len(heights[0].values)):
        i, share = segment([height.values[draw] for height in heights])
        by_draw.append(x[i] + share * (x[i + 1] - x[i]))
    i, share = segment([height.mean for height in heights])
    steepness = abs((heights[i + 1].mean - heights[i].mean) / (x[i + 1] - x[i]))
    sample = (1 - share) * heights[i].sample + share * heights[i + 1].sample
    return Measured(np.array(by_draw), sample / steepness)


def log_crossover(groups, task, depth, width):
    """Return ln alpha at which the error is halfway between its ends; these enter with half of theirs."""
    protocols = sorted(CROSSING, key=CROSSING.get)
    n_test = LAZY_TASKS[task].get("n_test", 700)
    place = {"task": task, "depth": depth, "width": width, "n_train": 400}
    errors = [error_of(groups["crossover"], n_test, protocol=protocol, **place) for protocol in protocols]
    middle = np.zeros(len(errors))
    middle[[0, -1]] = 0.5
    heights = [combined(np.eye(len(errors))[i] - middle, errors) for i in range(len(errors))]
    return zero(np.log([CROSSING[protocol] for protocol in protocols]), heights)


def crossover_falls_with_width(groups):
    found, widths = {}, [20, 50, 100, 200]
    for task, depth in (("2-terms-1-of-10", 1), ("3-terms-1-of-8", 4)):
        fall = slope(np.log(widths), [log_crossover(groups, task, depth, width) for width in widths])
        found[f"{task}, L = {depth}"] = fall.expected(**within(t.SAME_CROSSOVER, -0.5))
    return found


def sizes_of(task, *, lacking):
    return SAMPLES[:-1] if task == lacking else SAMPLES


def network_errors(groups, task, depth):
    """Return the errors of the first protocol and width by size."""
    place = {"task": task, "depth": depth, "protocol": "sgd", "width": 100}
    sizes = sizes_of(task, lacking="global-20")
    return {n: error_of(groups["networks"], n_train=n, **place) for n in sizes}


def kernel_errors(groups, task, depth):
    """Return the errors of the first kernel by size."""
    cell = groups["kernels"].test_error.sel(task=task, depth=depth, kernel="ntk")
    values = {n: cell.sel(n_train=n).values for n in sizes_of(task, lacking="local-10")}
    return {n: Measured(errors, binomial(errors.mean(), 700)) for n, errors in values.items()}


def exponent(groups, errors, kind, depth):
    """Return the slope of ln N, at which the error is 1/4, against ln d."""
    tasks = {s["dimension"]: task for task, s in SAMPLE_TASKS.items() if s["kind"] == f"k_{kind}"}
    points = []
    for d in sorted(tasks):
        curve = errors(groups, tasks[d], depth)
        heights = [Measured(error.values - 0.25, error.sample) for error in curve.values()]
        points.append(zero(np.log([*curve]), heights))
    return slope(np.log(sorted(tasks)), points)


def kernel_needs_all_harmonics(groups):
    return {
        f"k_{kind}, L = {depth}": exponent(groups, kernel_errors, kind, depth).expected(**within(t.SAME_SAMPLES, k))
        for kind, k in (("local", 2), ("global", 3))
        for depth in (1, 3, 7)
    }


def networks_need_fewer_samples_for_local(groups):
    exponents = {depth: exponent(groups, network_errors, "local", depth) for depth in (1, 3, 7)}
    return {f"L = {depth}": one.expected(below=t.FEWER_SAMPLES) for depth, one in exponents.items()}


def networks_need_all_harmonics_for_global(groups):
    exponents = {depth: exponent(groups, network_errors, "global", depth) for depth in (1, 3, 7)}
    return {f"L = {depth}": one.expected(**within(t.SAME_SAMPLES, 3)) for depth, one in exponents.items()}


def depth_leaves_the_exponent(groups):
    found = {}
    for kind in ("local", "global"):
        change = difference(*(exponent(groups, network_errors, kind, depth) for depth in (7, 1)))
        found[f"k_{kind}"] = change.expected(**within(t.SAME_SAMPLES))
    return found
