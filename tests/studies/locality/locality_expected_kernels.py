"""Numbers that the claims on the NTK and learning rates (Mori & Ueda, Figs. 1, 2 and 4) have to find in planted cubes.

The functions have the names of the claims, and return the criteria by their labels, from statement and statistic. The
depths 1 and 7, and the halves, are those of the statements.
"""

from itertools import product

from locality_distinct import fits_at
from locality_expected_networks import DEPTHS, GLOBAL, LOCAL, ONES, SAMPLES, by_depth
from locality_formulas import Grid, Part

from isobath.claims.locality.thresholds import COMPARABLE, FAILS, LEARNS

SWEEP = Grid("learning_rate", "sgd_sweep")
NOT_RUN = Part(None, None, None, 0, above=LEARNS)


def kernel_and_widest(task, depth):
    """Return the errors of the kernel and of the widest networks at the largest N of a depth."""
    n = SAMPLES.largest_n(task, depth)
    widest = max(width for width, m in SAMPLES.cells(task, depth) if m == n)
    return SAMPLES.kernel(task, depth, n), SAMPLES.error(task, depth, widest, n)


def excess_ratio(task, depth, **bounds):
    kernel, widest = kernel_and_widest(task, depth)
    ratio = (kernel / widest).part(**bounds)
    return ratio._replace(value=ratio.value - 1, low=ratio.low - 1, high=ratio.high - 1)


def ntk_close_at_k1():
    return {label: excess_ratio(*at, above=-COMPARABLE, below=COMPARABLE) for label, at in by_depth(ONES).items()}


def ntk_good_for_2_global():
    return {label: excess_ratio(*at, below=COMPARABLE) for label, at in by_depth(["2-global"]).items()}


def ntk_fails_for_local():
    parts = {}
    for label, (task, depth) in by_depth(LOCAL).items():
        kernel, widest = kernel_and_widest(task, depth)
        parts[f"{label}, error"] = SAMPLES.kernel(task, depth, SAMPLES.largest_n(task)).part(above=FAILS)
        parts[f"{label}, excess"] = (kernel - widest).part(above=LEARNS)
    return parts


def ntk_depth_for_3_global():
    shallow, deep = (SAMPLES.kernel("3-global", depth, SAMPLES.largest_n("3-global")) for depth in DEPTHS)
    return {
        "3-global, L = 1": shallow.part(above=FAILS),
        "3-global, L = 7": deep.part(below=FAILS),
        "3-global, gain of depth": (shallow - deep).part(above=LEARNS),
    }


def ntk_misses_the_depth_dependence():
    def missed(task, worse, better):
        n, _ = SAMPLES.shared(task)
        of_kernel = SAMPLES.kernel(task, worse, n) - SAMPLES.kernel(task, better, n)
        return (SAMPLES.gain(task, worse, better) * 0.5 - of_kernel).part(above=0)

    return {task: missed(task, 1, 7) for task in LOCAL} | {task: missed(task, 7, 1) for task in GLOBAL}


def distance(first, second):
    """Return the difference of two numbers, from the larger one."""
    return first - second if first.value > second.value else second - first


def wide_networks_stay_away_from_the_ntk():
    def kept(task, depth):
        n, (narrow, wide) = max(SAMPLES.extremes(task, depth).items())
        kernel = SAMPLES.kernel(task, depth, n)
        near, far = (distance(kernel, SAMPLES.error(task, depth, width, n)) for width in (wide, narrow))
        return near - far * 0.5

    return {label: kept(*at).part(above=0) for label, at in by_depth(LOCAL).items()}


def at_rate(task, depth, rate):
    """Return the error of the widest networks of the sweep, at its largest N."""
    n = SWEEP.largest_n(task, depth)
    return SWEEP.error(task, depth, max(w for w, _ in SWEEP.cells(task, depth)), n, learning_rate=rate)


def at_searched_rate(task, depth):
    """Return the error of the same networks at the searched rate."""
    n = SWEEP.largest_n(task, depth)
    return SAMPLES.error(task, depth, max(w for w, _ in SWEEP.cells(task, depth)), n)


def small_rates_approach_ntk():
    parts, two = {}, ["2-local", "2-local-b", "2-global", "2-global-b"]
    for task, depth in [*product(two, (1,)), *product(["3-global"], DEPTHS)]:
        rates, kernel = fits_at(task, depth), SWEEP.kernel(task, depth, SWEEP.largest_n(task, depth))
        lowest = at_rate(task, depth, rates[0])
        searched = at_rate(task, depth, rates[-1]) if task.endswith("-b") else at_searched_rate(task, depth)
        nearer = distance(searched, kernel) * 0.5 - distance(lowest, kernel)
        close = (lowest / kernel).part(above=-COMPARABLE, below=COMPARABLE)
        close = close._replace(value=close.value - 1, low=close.low - 1, high=close.high - 1)
        parts |= {f"{task}, L = {depth}, close": close, f"{task}, L = {depth}, nearer": nearer.part(above=0)}
    return parts


def rate_matters_more_for_local():
    def fall(task):
        return at_rate(task, 1, fits_at(task, 1)[0]) - at_searched_rate(task, 1)

    pairs = product(("2-local", "2-local-b"), ("2-global", "2-global-b"))
    unsearched = {" and ".join(pair): NOT_RUN for pair in pairs if any(task.endswith("-b") for task in pair)}
    return {"2-local and 2-global": (fall("2-local") - fall("2-global")).part(above=LEARNS)} | unsearched


def lowest_common_rate():
    """Return the smallest rate at which the networks of both depths fit 3-global labels."""
    return min({*fits_at("3-global", 1)} & {*fits_at("3-global", 7)})


def rate_matters_more_for_shallow():
    falls = [at_rate("3-global", d, lowest_common_rate()) - at_searched_rate("3-global", d) for d in DEPTHS]
    return {"3-global": (falls[0] - falls[1]).part(above=LEARNS)}


def order_reverses_with_rate():
    small = [at_rate("3-global", depth, lowest_common_rate()) for depth in DEPTHS]
    best = [at_searched_rate("3-global", depth) for depth in DEPTHS]
    return {
        "3-global, smallest rate": (small[0] - small[1]).part(above=0),
        "3-global, best rate": (best[1] - best[0]).part(above=0),
    }
