"""Numbers that claims of the width study about laws should find in a cube: parameters of fits, and what follows.

``PARTS`` lists the parts that are one parameter each: grid, law, fit, parameter, region, and the number of the source.
"""

import numpy as np
from width_expected import SOURCE, mean, norm_slope
from width_formulas import AXES, Expected, Networks, se, student

from isobath.claims.width import thresholds

FAR = thresholds.ASYMPTOTIC
FINITE, TRAINED = ("fitted", "unfitted"), ("fitted", "unfitted", "diverged")


def near(theory):
    """Return the region of an exponent that is that of theory, within a quarter of it."""
    return dict(zip(("above", "below"), sorted((0.75 * theory, 1.25 * theory)), strict=True))


POSITIVE, NEGATIVE = {"above": 0}, {"below": 0}
PARTS = {
    "ensembles_gain_as_one_over_n": {
        "exponent of eps_n - epsbar": ("ensembles", "ensemble_size", "free", "exponent", near(-1), None),
        "epsbar": ("ensembles", "ensemble_size", "fixed", "constant", POSITIVE, (0.02148, "Fig. 4 left")),
    },
    "ensemble_distance_decays": {
        "exponent of delta_n": ("ensembles", "distance_size", "free", "exponent", near(-0.5), None)
    },
    "mean_error_approaches_its_limit": {
        "exponent of epsbar_N - epsbar_inf": ("widths", "limit_error", "free", "exponent", {"below": -0.375}, None)
    },
    "fluctuations_decay": {
        "exponent of ||f - fbar||": ("widths", "fluctuation", "free", "exponent", near(-0.25), None)
    },
    "gradient_falls": {
        "C0": ("widths", "gradient_norm", "fixed", "constant", POSITIVE, (2.1, "Fig. 6 A")),
        "C1": ("widths", "gradient_norm", "fixed", "c0", POSITIVE, (51.0, "Fig. 6 A")),
        "exponent of ||grad f||": (
            "widths", "gradient_norm", "free", "exponent", near(-0.25), (-0.28, "Fig. 6 A")
        ),
    },
    "boundary_distance_decays": {
        "A0": ("widths", "distance", "fixed", "c0", POSITIVE, None),
        "leading exponent": ("widths", "distance", "free", "exponent", near(-0.25), None),
    },
    "boundary_distance_is_its_estimate": {
        "exponent of delta against its estimate": (
            "widths", "distance_estimate", "free", "exponent", near(1), (1.1, "Fig. 6 C")
        )
    },
    "error_grows_with_squared_distance": {
        "over widths": (
            "widths", "error_and_distance", "free", "exponent", near(2),
            (2.5, "Fig. 6 B, of eps_N, whose limit is fitted as well"),
        ),
        "over sizes of ensembles": ("ensembles", "error_and_distance_size", "free", "exponent", near(2), None),
    },
    "excess_error_decays": {
        "E0": ("widths", "excess_error", "fixed", "c0", POSITIVE, (7.6, "Fig. 6 D")),
        "leading exponent": (
            "widths", "excess_error", "free", "exponent", near(-0.5), (-0.42, "Fig. 6 D, perhaps of a single power")
        ),
    },
    "test_error_approaches_its_limit": {
        "eps_inf": ("widths", "test_error", "fixed", "constant", POSITIVE, (0.054, "Fig. 2 A")),
        "B0": ("widths", "test_error", "fixed", "c0", POSITIVE, (6.4, "Fig. 2 A")),
        "B0 of convolutional networks": ("channels", "test_error_channels", "fixed", "c0", POSITIVE, None),
    },
    "apparent_exponent_is_smaller": {
        "apparent exponent": ("widths", "apparent_error", "free", "exponent", {"above": -0.5, "below": 0}, None),
        "B1": ("widths", "test_error", "fixed", "c1", NEGATIVE, (-49.0, "Fig. 2 A")),
        "E1": ("widths", "excess_error", "fixed", "c1", NEGATIVE, (-59.0, "Fig. 6 D")),
    },
    "kernel_fluctuates": {
        "exponent of |Theta - mean|": ("widths", "kernel_fluctuation", "free", "exponent", near(-0.25), None)
    },
    "kernel_moves": {
        "exponent of |Theta(t) - Theta(0)|": ("widths", "kernel_change", "free", "exponent", near(-0.5), None)
    },
    "norm_diverges": {
        "exponent of ||f||, pole fitted": (
            "widths", "norm", "free", "exponent", near(-1), (-1.0, "Fig. 7 B, slope -2 of ||f||^2")
        ),
        "pole of ||f||, in the interval of N*": (
            "widths", "norm", "fixed", "pole", {"above": 268.0, "below": 341.0}, None
        ),
    },
}  # fmt: skip
LIMITS = {"epsbar", "eps_inf"}  # checks


class Laws:
    """The laws of a grid at the first value of its axes: that after the longest training, that of the width it has."""

    def __init__(self, tree, grid):
        self.networks = tree[f"{grid}/networks"].to_dataset().isel(dict.fromkeys(AXES, 0), missing_dims="ignore")
        self.groups = {}
        for name, node in tree[f"{grid}/laws"].children.items():
            table = node.to_dataset().isel(dict.fromkeys(AXES, 0), missing_dims="ignore")
            table = table.isel(step=-1) if "step" in table.dims else table
            self.groups[name] = table.isel(width=1) if "size" in table.dims else table

    def __getitem__(self, law):
        return self.groups[law]

    def parameter(self, law, fit, name):
        """Return a parameter with its interval, the fewest networks at a fitted point, and the networks behind all."""
        table, place = self[law], {"fit": fit, "parameter": name}
        ends = (float(table[column].sel(place)) for column in ("value", "low", "high"))
        count = int(table.networks.values[table.fitted.values].min())
        return Expected(*ends, count, self.behind(table))

    def behind(self, table):
        """Return how many networks of the fitted widths did not diverge, of how many; nothing where all did not."""
        if "size" in table.dims:
            return 0, 0
        status = self.networks.status.isel(width=table.fitted.values).values
        finite, trained = (int(np.isin(status, words).sum()) for words in (FINITE, TRAINED))
        return (finite, trained) if finite < trained else (0, 0)


def of_parts(tree, claim):
    """Return the parts of a claim that are one parameter of a law each."""
    found = {}
    for label, (grid, law, fit, name, region, printed) in PARTS.get(claim, {}).items():
        part = Laws(tree, grid).parameter(law, fit, name)
        if label in LIMITS:
            part = part._replace(check=True)
        number = printed and (printed[0], SOURCE + printed[1])
        found[label] = part._replace(**region, published=number)
    return found


def gradient_falls(tree):
    laws = Laws(tree, "widths")
    c0, c1 = (laws.parameter("gradient_norm", "fixed", name) for name in ("constant", "c0"))
    least, most = c1.low - 10 * c0.high, c1.high - 10 * c0.low
    return {"C1 - 10 C0": c1._replace(estimate=c1.estimate - 10 * c0.estimate, low=least, high=most, above=0)}


def fall(networks, name, widths):
    """Return the mean of a number over networks of one width minus that over networks of another."""
    first, last = (values[~np.isnan(values)] for values in (networks.of_ensembles(name, width) for width in widths))
    number = {"spread": np.hypot(se(first), se(last)), "count": min(len(first), len(last))}
    return student(first.mean() - last.mean(), **number, networks=networks.counts(*widths), above=0)


def boundary_distance_decays(tree):
    networks = Networks(tree, "widths")
    return {"fall of delta": fall(networks, "distance", (networks.at(FAR), networks.largest()))}


def linear_estimate_improves_with_size(tree):
    networks = Networks(tree, "widths")
    return {"near N* minus the largest N": fall(networks, "linear_error", (networks.at(1), networks.largest()))}


def kernel_moves(tree):
    networks = Networks(tree, "widths")
    kernels = networks.groups["tangent_kernels"].sel(width=networks.largest())
    difference = kernels.kernel_fluctuation.values - kernels.kernel_change.values
    return {
        "fluctuation minus change at the largest N": mean(
            difference, networks=networks.counts(networks.largest()), above=0
        )
    }


def kernel_predicts_networks(tree):
    networks = Networks(tree, "widths")
    kernels = networks.groups["tangent_kernels"].sel(width=networks.largest())
    right = {"networks": networks.counts(networks.largest()), "above": thresholds.PREDICTS}
    return {"correlation at the largest N": mean(kernels.predicted_correlation.values, **right)}


def norm_diverges(tree):
    printed = (-1.0, f"{SOURCE}Fig. 7 B, slope -2 of ||f||^2")
    return {"exponent of ||f||, pole at N*": norm_slope(Networks(tree, "widths"))._replace(published=printed)}


def residual_variance_is_negligible(tree):
    laws = Laws(tree, "widths")
    table, constant = laws["variance"], laws.parameter("variance", "fixed", "constant")
    x, y = table.x.values[table.fitted.values], table.y.values[table.fitted.values]
    last = y[np.argmax(x)]
    bounds = {"above": -thresholds.NEGLIGIBLE, "below": thresholds.NEGLIGIBLE}
    estimate, low, high = (end / last for end in (constant.estimate, constant.low, constant.high))
    part = constant._replace(estimate=estimate, low=low, high=high, **bounds)
    return {"share of the variance": part}
