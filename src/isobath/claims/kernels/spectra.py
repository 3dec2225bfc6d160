"""Claims on the decay of eigenvalues: its exponents, and the constants that depth changes (Bietti & Bach)."""

import math
from itertools import pairwise
from typing import Any

import xarray as xr

from isobath.analysis.estimates import Bounded, Estimate, NotRun, Undetermined, exactly
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.kernels.tables import has_parity, kernels_of, last_degree, of_layers, places, table
from isobath.claims.kernels.thresholds import (
    FALL,
    GROWS,
    LARGE_DEGREE,
    OTHER_EXPONENT,
    SAME_CONSTANT,
    SAME_CONSTANT_OF_EXPONENTIAL,
    SAME_EXPONENT,
    SAME_FALL,
    VANISHES,
)

WITHIN: dict[str, Any] = {"above": -SAME_EXPONENT, "below": SAME_EXPONENT}
BIASES = ("0.1", "0.3", "0.5", "1", "2")  # beta of the NTK of the study `locality`
SLOW = "k'^(-1/2)"  # in the basis of kernels whose next orders fall slowly


def exponent_gap(row: xr.Dataset, parity: str) -> Bounded:
    """Return the fitted exponent of a kernel in a dimension minus that of the theorem, over windows of degrees."""
    fit = row.sel(parity=parity)
    value, low, high = (float(fit[name] - fit.expected_exponent) for name in ("exponent", "low", "high"))
    if not math.isfinite(value):
        raise Undetermined(str(fit.reason.item()))
    return Bounded(value, low=low, high=high)


def largest_gap(data: xr.Dataset, kernels: list[str], dimension: int, parity: int, name: str) -> Bounded:
    """Return the gap whose interval reaches farthest from 0, over the kernels that have the parity."""
    rows = [data.sel(kernel=kernel, dimension=dimension) for kernel in kernels]
    gaps = [exponent_gap(row, name) for row in rows if has_parity(row, parity)]
    if not gaps:
        raise NotRun(f"no kernel has {name} degrees")
    return max(gaps, key=lambda gap: max(map(abs, gap.interval())))


def decays(tree: xr.DataTree, *families: str) -> list[Criterion]:
    """Return, for each dimension and parity, the largest gap over the kernels of some families, of every depth.

    These are checks: they compare numbers that are computed without chance with a theorem.
    """
    data = table(tree, "spectra")
    kernels = kernels_of(data, *families)
    pairs = places(data)
    settings = {**WITHIN, "check": True}
    return [criterion(f"d = {d}, {name} k", largest_gap, data, kernels, d, p, name, **settings) for d, p, name in pairs]


@claim(
    "The eigenvalues of the NTK decay as k^-d, whatever its depth",
    source="consequences of the theorem",
    statistic="fitted exponent + d, of the depth L = 2 .. 8 that is farthest off; intervals over windows of degrees",
)
def ntk_decay_is_depth_free(tree: xr.DataTree) -> list[Criterion]:
    return decays(tree, "ntk", "ntk_bias", *(f"ntk_beta{beta}" for beta in BIASES))


@claim(
    "The eigenvalues of random features decay as k^(-d - 2), whatever the depth",
    source="consequences of the theorem",
    statistic="fitted exponent + d + 2, of the depth L = 2 .. 8 that is farthest off; intervals over windows",
)
def random_features_decay_is_depth_free(tree: xr.DataTree) -> list[Criterion]:
    return decays(tree, "rf", "rf_beta0.1")


@claim(
    "The Laplace kernel decays as the NTK, and gamma-exponential kernels as k^(-d - 2 gamma + 1)",
    source="consequences of the theorem",
    statistic="fitted exponent minus that of the theorem, of the kernel that is farthest off; intervals over windows",
)
def laplace_and_exponential_decays(tree: xr.DataTree) -> list[Criterion]:
    return decays(tree, "laplace", "gamma_0.25", "gamma_0.75")


def exponent_step(data: xr.Dataset, shallow: str, deep: str, dimension: int) -> Bounded:
    """Return by how much a layer more raises the exponent of the odd degrees, which both kernels have."""
    fits = data.sel(dimension=dimension, parity="odd")
    shallow_fit, deep_fit = (fits.sel(kernel=kernel) for kernel in (shallow, deep))
    low, high = float(deep_fit.low - shallow_fit.high), float(deep_fit.high - shallow_fit.low)
    if not math.isfinite(high - low):
        raise Undetermined(" ".join(filter(None, (str(shallow_fit.reason.item()), str(deep_fit.reason.item())))))
    return Bounded(float(deep_fit.exponent - shallow_fit.exponent), low=low, high=high)


@claim(
    "With step activations depth changes the decay: k^(-d + 1 - 2^(2 - L))",
    source="consequences of the theorem",
    statistic="exponent of L + 1 layers minus that of L at odd k; exponent minus that of the theorem",
)
def depth_changes_the_step_kernel(tree: xr.DataTree) -> list[Criterion]:
    data = table(tree, "spectra")
    steps = kernels_of(data, "step")
    changes = [
        criterion(f"d = {d}, {a} to {b}", exponent_step, data, a, b, d, above=OTHER_EXPONENT, check=True)
        for d in data.dimension.values.tolist()
        for a, b in pairwise(steps)
    ]
    return changes + decays(tree, "step")


def constant_gap(data: xr.Dataset, kernels: list[str], dimension: int, parity: int) -> Bounded:
    """Return mu_K over its prediction, minus 1 of the kernel that is farthest off, within the error of quadrature.

    Kernels without a prediction, or with one of zero, are left out. Raises NotRun where none is left.
    """
    if data.degree.values[-1] < LARGE_DEGREE:
        raise Undetermined(f"{int(data.degree.values[-1])} degrees are too few; {LARGE_DEGREE} are needed")
    gaps = []
    for row in (data.sel(kernel=kernel, dimension=dimension) for kernel in kernels):
        last = row.sel(degree=last_degree(data, parity))
        if has_parity(row, parity) and float(last.prediction.fillna(0)):
            ratio = float(last.eigenvalue / last.prediction)
            error = abs(float(last.self_estimate.isel(parity=parity) / last.prediction))
            gaps.append(Bounded(ratio - 1, low=ratio - error - 1, high=ratio + error - 1))
    if not gaps:
        raise NotRun("no kernel has a prediction")
    return max(gaps, key=lambda gap: abs(gap.value))


def fall(data: xr.Dataset, kernel: str, dimension: int) -> Estimate:
    """Return the exponent at which the gap of an even degree falls over the degrees of FALL."""
    row = data.sel(kernel=kernel, dimension=dimension)
    degrees = [last_degree(data, 0, share=share) for share in FALL]
    gaps = [abs(float(row.eigenvalue.sel(degree=k) / row.prediction.sel(degree=k)) - 1) for k in degrees]
    shifted = [k + (dimension - 2) / 2 for k in degrees]
    return exactly(math.log(gaps[1] / gaps[0]) / math.log(shifted[1] / shifted[0]))


@claim(
    "The singularities at u = 1 and -1 predict the constant of the decay, for even and odd degrees",
    source="not on the slides, which have the exponent; the paper's Theorem 1, with the constant written out",
    statistic="mu_K over its prediction - 1 at the last degrees, of the kernel that is farthest off, without those "
    "whose next orders fall as K^(-1/2), which are farther off at such degrees; the exponent of K at which the gap "
    "falls",
    own=True,
    misworded=(
        "mu_K over its prediction - 1 at the last degrees, of the kernel that is farthest off; the exponent of K "
        "at which the gap falls",
    ),
)
def theorem_predicts_the_constant(tree: xr.DataTree) -> list[Criterion]:
    data = table(tree, "spectra")
    fast = [k for k in data.kernel.values.tolist() if SLOW not in str(data.basis.sel(kernel=k).item())]
    groups = {
        "ReLU kernels and Laplace": ([k for k in fast if not k.startswith("gamma")], SAME_CONSTANT),
        "gamma-exponential": ([k for k in fast if k.startswith("gamma")], SAME_CONSTANT_OF_EXPONENTIAL),
    }
    constants = [
        criterion(f"{label}, d = {d}, {name} k", constant_gap, data, kernels, d, p, above=-most, below=most, check=True)
        for label, (kernels, most) in groups.items()
        for d, p, name in places(data)
    ]
    bounds: dict[str, Any] = {"above": -2 - SAME_FALL, "below": -2 + SAME_FALL, "check": True}
    falls = [
        criterion(f"{kernel}, d = {d}: fall", fall, data, kernel, d, **bounds)
        for kernel in filter(None, (of_layers(data, family, 2) for family in ("rf", "ntk")))
        for d in data.dimension.values.tolist()
    ]
    return constants + falls


def growth(data: xr.Dataset, family: str, dimension: int) -> Estimate:
    """Return the last even eigenvalue of eight layers over that of two, of kernels divided by their value at u = 1."""
    ends = [of_layers(data, family, layers) for layers in (2, 8)]
    if None in ends:
        raise NotRun(f"{family} has no two and eight layers")
    last = data.sel(dimension=dimension, degree=last_degree(data, 0))
    shallow, deep = (last.sel(kernel=kernel).eigenvalue / last.sel(kernel=kernel).value_at_one for kernel in ends)
    return exactly(float(deep / shallow))


@claim(
    "Depth changes the constant: it grows with the number of layers",
    source="not on the slides",
    statistic="mu_K of L = 8 over mu_K of L = 2 at the last even degree, of kernels divided by their value at u = 1; a "
    "check, since the constant has a closed form",
    own=True,
)
def depth_grows_the_constant(tree: xr.DataTree) -> list[Criterion]:
    data = table(tree, "spectra")
    pairs = [(family, d) for family in ("rf", "ntk") for d in data.dimension.values.tolist()]
    return [criterion(f"{family}, d = {d}", growth, data, family, d, above=GROWS, check=True) for family, d in pairs]


def odd_eigenvalues(data: xr.Dataset, family: str, layers: int) -> xr.DataArray:
    """Return |mu_k| at odd k from 3 on, in every dimension. Raises NotRun where there is no such kernel."""
    kernel = of_layers(data, family, layers)
    if kernel is None:
        raise NotRun(f"{family} has no {layers} layers")
    odd = (data.degree % 2 == 1) & (data.degree >= 3)
    eigenvalues: xr.DataArray = abs(data.eigenvalue.sel(kernel=kernel).where(odd, drop=True))
    return eigenvalues


@claim(
    "Two layers without a bias miss the odd degrees from 3 on, and three do not",
    source="not on the slides, whose theorem presupposes both parities",
    statistic="largest |mu_k| over odd k >= 3 and dimensions at L = 2; the smallest at L = 3",
    own=True,
)
def two_layers_miss_a_parity(tree: xr.DataTree) -> list[Criterion]:
    data = table(tree, "spectra")

    def largest(family: str) -> Estimate:
        return exactly(float(odd_eigenvalues(data, family, 2).max()))

    def smallest(family: str) -> Estimate:
        return exactly(float(odd_eigenvalues(data, family, 3).min()))

    two = [criterion(f"{f}, L = 2", largest, f, below=VANISHES, check=True) for f in ("rf", "ntk")]
    return two + [criterion(f"{f}, L = 3", smallest, f, above=VANISHES, check=True) for f in ("rf", "ntk")]
