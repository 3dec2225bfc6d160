"""Numbers that claims on tables and regressions of the study of kernels should give, written out from their text."""

import math
from itertools import pairwise

import numpy as np
from kernels_distinct import LABEL_TASKS
from kernels_formulas import Expected, Measured, difference, exact, farthest, slope, weights_of_slope
from scipy.stats import t as student

from isobath.claims.kernels import thresholds as t

BETAS = ("0.1", "0.3", "0.5", "1", "2")
PARITIES = ("even", "odd")


def within(bound, middle=0.0, **rest):
    return {"above": middle - bound, "below": middle + bound, **rest}


def places(table):
    """Yield each dimension with each parity, in words and as the remainder of the degrees."""
    for d in table.dimension.values.tolist():
        for rest, parity in enumerate(PARITIES):
            yield d, parity, rest


def unseen(kernel, parity):
    """Tell whether a kernel has no eigenvalues of a parity: those of two layers without a bias."""
    return (kernel, parity) in (("ntk L=2", "odd"), ("step L=2", "even"))


def decays(table, theorem):
    """Return the gap to the exponents of a theorem that reaches farthest, by kernel -> function of the dimension."""
    found = {}
    for d, parity, _ in places(table):
        gaps = []
        for kernel, exponent in theorem.items():
            row = table.sel(kernel=kernel, dimension=d, parity=parity)
            gap = [float(row[name]) - exponent(d) for name in ("exponent", "low", "high")]
            gaps += [] if unseen(kernel, parity) else [Expected(*gap, **within(t.SAME_EXPONENT, check=True))]
        found[f"d = {d}, {parity} k"] = farthest(gaps)
    return found


def ntk_decay_is_depth_free(groups):
    names = [f"ntk L={layers}" for layers in (2, 3, 5, 8)] + ["ntk_bias L=2", "ntk_bias L=3"]
    names += [f"ntk_beta{beta} L={layers}" for beta in BETAS for layers in (2, 8)]
    return decays(groups["spectra"], {name: lambda d: -d for name in names})


def random_features_decay_is_depth_free(groups):
    names = [f"rf L={layers}" for layers in (2, 3, 5, 8)] + ["rf_beta0.1 L=2", "rf_beta0.1 L=8"]
    return decays(groups["spectra"], {name: lambda d: -d - 2 for name in names})


def laplace_and_exponential_decays(groups):
    exponential = {f"gamma_{g:g}": lambda d, g=g: -d - 2 * g + 1 for g in (0.25, 0.75)}
    return decays(groups["spectra"], {"laplace": lambda d: -d, **exponential})


def depth_changes_the_step_kernel(groups):
    table, found = groups["spectra"], {}
    odd = table.sel(parity="odd")
    for d in table.dimension.values.tolist():
        for a, b in pairwise((2, 3, 4)):
            shallow, deep = (odd.sel(kernel=f"step L={layers}", dimension=d) for layers in (a, b))
            step, low, high = (deep[x] - shallow[y] for x, y in (["exponent"] * 2, ["low", "high"], ["high", "low"]))
            numbers = (float(step), float(low), float(high))
            found[f"d = {d}, step L={a} to step L={b}"] = Expected(*numbers, above=t.OTHER_EXPONENT, check=True)
    return found | decays(table, {f"step L={n}": lambda d, n=n: -d + 1 - 2.0 ** (2 - n) for n in (2, 3, 4)})


def constants(table, names, bound):
    """Return the gap of mu_K to its prediction that is farthest from 0, with the error of the quadrature."""
    found = {}
    for d, parity, rest in places(table):
        at = table.sel(dimension=d, degree=102 + rest, parity=parity)
        gaps = (at.eigenvalue / at.prediction - 1).to_series()
        errors = (at.self_estimate / abs(at.prediction)).to_series()
        # Of the odd degrees of rf L=2 the theorem gives no constant.
        known = [name for name in names if not unseen(name, parity) and (name, parity) != ("rf L=2", "odd")]
        name = gaps[known].abs().idxmax()
        ends = gaps[name] - errors[name], gaps[name] + errors[name]
        found[f"d = {d}, {parity} k"] = Expected(gaps[name], *ends, **within(bound, check=True))
    return found


def theorem_predicts_the_constant(groups):
    table = groups["spectra"]
    fast = [name for name in table.kernel.values.tolist() if name not in ("step L=3", "step L=4", "gamma_0.25")]
    relu = constants(table, [name for name in fast if "gamma" not in name], t.SAME_CONSTANT)
    exponential = constants(table, ["gamma_0.75", "gamma_0.6"], t.SAME_CONSTANT_OF_EXPONENTIAL)
    found = {f"ReLU kernels and Laplace, {place}": one for place, one in relu.items()}
    found |= {f"gamma-exponential, {place}": one for place, one in exponential.items()}
    for name in ("rf L=2", "ntk L=2"):
        for d in table.dimension.values.tolist():
            row = table.sel(kernel=name, dimension=d, degree=[50, 102])
            gaps = np.log(np.abs(row.eigenvalue / row.prediction - 1)).values
            fall = float((gaps[1] - gaps[0]) / np.log((102 + d / 2 - 1) / (50 + d / 2 - 1)))
            found[f"{name}, d = {d}: fall"] = exact(fall, **within(t.SAME_FALL, -2, check=True))
    return found


def depth_grows_the_constant(groups):
    table, found = groups["spectra"], {}
    share = table.eigenvalue.sel(degree=102) / table.value_at_one
    for family in ("rf", "ntk"):
        for d in table.dimension.values.tolist():
            deep, shallow = (float(share.sel(kernel=f"{family} L={layers}", dimension=d)) for layers in (8, 2))
            found[f"{family}, d = {d}"] = exact(deep / shallow, above=t.GROWS, check=True)
    return found


def two_layers_miss_a_parity(groups):
    odd = np.abs(groups["spectra"].eigenvalue.sel(degree=slice(3, None, 2)))
    found = {}
    for family in ("rf", "ntk"):
        two, three = (odd.sel(kernel=f"{family} L={layers}") for layers in (2, 3))
        found[f"{family}, L = 2"] = exact(float(two.max()), below=t.VANISHES, check=True)
        found[f"{family}, L = 3"] = exact(float(three.min()), above=t.VANISHES, check=True)
    return found


def log_errors(table, kernel, n):
    return Measured(np.log(table.chosen_error.sel(kernel=kernel, n_train=n).values))


def deep_learns_as_shallow(groups):
    table, found = groups["regression"], {}
    for family, bound in (("rf", 0.1), ("ntk", 0.05)):
        for layers in (3, 4, 5):
            for n in (500, 1000, 2000):
                kernels = f"{family} L={layers}", f"{family}_bias L=2"
                ratio = difference(*(log_errors(table, kernel, n) for kernel in kernels))
                found[f"{kernels[0]}, n = {n}"] = ratio.expected(**within(bound, check=True))
    return found


def learning_rates_are_equal(groups):
    sizes, found = [200, 500, 1000, 2000], {}
    for family in ("rf", "ntk"):
        deep, shallow = (
            slope(np.log(sizes), [log_errors(groups["regression"], kernel, n) for n in sizes])
            for kernel in (f"{family} L=5", f"{family}_bias L=2")
        )
        found[family] = difference(deep, shallow).expected(**within(t.EQUAL_SLOPES, check=True))
    return found


def missing_parity_looks_like_depth(groups):
    two = (log_errors(groups["regression"], kernel, 2000) for kernel in ("ntk L=2", "ntk_bias L=2"))
    return {"ntk": difference(*two).expected(above=math.log(t.LOOKS_LIKE_DEPTH), check=True)}


def theory_predicts_regression(groups):
    table, found = groups["regression"], {}
    gaps = np.log(table.error) - np.log(table.predicted_error)
    for kernel in table.kernel.values.tolist():
        for n in (500, 1000, 2000):
            cell = gaps.sel(kernel=kernel, n_train=n)
            by_ridge = [Measured(cell.sel(ridge=ridge).values) for ridge in (1e-5, 1e-3, 1e-2)]
            found[f"{kernel}, n = {n}"] = farthest(one.expected(**within(t.PREDICTED)) for one in by_ridge)
    return found


def gram_has_the_analytic_spectrum(groups):
    """Write out the ranks: degrees up to a fortieth of 320 points, 8 harmonics."""
    ranks = {"ntk L=3": {0: [0], 2: [1, 2, 3, 4], 1: [5, 6, 7]}, "laplace": {1: [0, 1, 2, 3], 0: [4]}}
    table, found = groups["gram"], {}
    for kernel, of_degree in ranks.items():
        for k, at in of_degree.items():
            row = table.sel(kernel=kernel).isel(rank=at)
            mean, mu = row.gram_eigenvalue.mean("rank"), row.eigenvalue.isel(rank=0)
            gap = Measured((mean / mu).values - 1)
            found[f"{kernel}, k = {k}"] = gap.expected(**within(t.SAME_EIGENVALUE, check=True))
    return found


def of_networks(weights, table, places, **bounds):
    """Return a sum of weights times mean logs of deviations; each place has networks of its own."""
    logs = [np.log(table.deviation.sel(place).dropna("network").values) for place in places]
    value = sum(w * log.mean() for w, log in zip(weights, logs, strict=True))
    error = math.sqrt(sum(w**2 * log.var(ddof=1) / len(log) for w, log in zip(weights, logs, strict=True)))
    least = min(map(len, logs))
    half = student.ppf(0.975, least - 1) * error
    return Expected(value, value - half, value + half, count=least, check=True, **bounds)


def exponents(table, bound):
    widths, found = [32, 64, 256], {}
    for depth in (1, 2, 4):
        at = [{"depth": depth, "width": width} for width in widths]
        found[f"L = {depth}"] = of_networks(weights_of_slope(np.log(widths)), table, at, **within(bound, -0.5))
    return found


def finite_kernels_reach_their_limit(groups):
    return exponents(groups["finite"], t.SAME_DEVIATION)


def finite_kernels_with_biases_reach_their_limit(groups):
    return exponents(groups["finite_with_biases"], t.CLOSE_DEVIATION)


def deep_kernels_are_farther_from_their_limit(groups):
    at = [{"depth": depth, "width": 256} for depth in (1, 2, 4)]
    return {"largest width": of_networks(weights_of_slope(np.log([1, 2, 4])), groups["finite"], at, above=0)}


def image_errors(groups, kernel, n):
    """Return the errors of two and of five layers by draw, of the first task, in draws whose job did not fail."""
    cell = groups["images"].test_error.sel(task="mnist", kernel=kernel, n_train=n).dropna("draw")
    return cell.sel(depth=1), cell.sel(depth=4)


def gain_of_depth(groups, kernel, n, *, draws=slice(None), scale=lambda error: error):
    two, five = (scale(error.sel(draw=draws).values) for error in image_errors(groups, kernel, n))
    return Measured(two - five)


def images_do_not_ask_for_depth(groups):
    gains = {kernel: gain_of_depth(groups, kernel, 1000) for kernel in ("ntk", "rf")}
    return {f"{kernel}, n = 1000": gain.expected(**within(t.EQUAL_ACCURACY)) for kernel, gain in gains.items()}


def images_have_errors_of_one_size(groups):
    gains = {kernel: gain_of_depth(groups, kernel, 1000, scale=np.log) for kernel in ("ntk", "rf")}
    bounds = {"ntk": 0.05, "rf": 0.1}
    return {f"{kernel}, n = 1000": gain.expected(**within(bounds[kernel])) for kernel, gain in gains.items()}


def shrinkage(groups, scale):
    """Return the gain at the smallest size minus that at the largest, on the data sets that both have."""
    draws = [0, 1, 3, 4, 5]
    small, large = (gain_of_depth(groups, "rf", n, draws=draws, scale=scale) for n in (100, 1000))
    return {"rf": difference(small, large).expected(above=0)}


def depth_gain_shrinks_with_samples(groups):
    return shrinkage(groups, lambda error: error)


def relative_depth_gain_shrinks_with_samples(groups):
    return shrinkage(groups, np.log)


def binomial(rate, n_test):
    return math.sqrt(rate * (1 - rate) / n_test)


def gaps_of_labels(groups, task, layers):
    """List measured errors with predicted ones, of every kernel and size that was run."""
    measured, predicted = groups["labels"].test_error, groups["predicted"].predicted_error
    found = []
    for kernel in ("ntk_a", "ntk_b"):
        for n in (300, 4000):
            errors = measured.sel(task=task, kernel=kernel, depth=layers - 1, n_train=n).values
            prediction = float(predicted.sel(task=task, kernel=f"{kernel} L={layers}", n_train=n))
            sample = binomial(errors.mean(), LABEL_TASKS[task].get("n_test", 700))
            found += [] if np.isnan(errors).all() else [(Measured(errors, sample), prediction)]
    return found


def beyond_guessing(pairs):
    """Return half of the mean gain over guessing minus the mean distance of the prediction.

    A mean over cells has the largest error of their test sets, to which each contributes by its variance. Gain and
    distance are of the same measurements, with opposite signs where these lie above their predictions.
    """
    signs = np.array([math.copysign(1, error.mean - prediction) for error, prediction in pairs])
    gain = np.mean([0.5 - error.values for error, _ in pairs], axis=0)
    distance = np.mean(
        [s * (error.values - prediction) for s, (error, prediction) in zip(signs, pairs, strict=True)], 0
    )
    variances = np.array([error.sample**2 for error, _ in pairs])
    together = (signs * variances).sum() / variances.sum()
    sample = math.sqrt(variances.max() * (t.EXPLAINED**2 + 1 + 2 * t.EXPLAINED * together))
    return Measured(t.EXPLAINED * gain - distance, sample).expected(above=0)


def spectrum_predicts_the_ntk_of_locality(groups):
    found = {}
    for task in LABEL_TASKS:
        for layers in (2, 8):
            pairs = gaps_of_labels(groups, task, layers)
            gaps = [Measured(error.values - prediction, error.sample) for error, prediction in pairs]
            found[f"{task}, L = {layers - 1}"] = farthest(gap.expected(**within(t.EQUAL_ERROR)) for gap in gaps)
    for k, tasks in ((2, ("2-local", "2-global")), (3, ("3-local",))):
        pairs = [pair for task in tasks for layers in (2, 8) for pair in gaps_of_labels(groups, task, layers)]
        found[f"beyond guessing, k = {k}"] = beyond_guessing(pairs)
    return found
