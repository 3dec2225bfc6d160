"""Claims on single steps: the end-to-end rule of deep linear networks, its preconditioner, and the adaptive rate."""

import numpy as np
import xarray as xr

from isobath.analysis.estimates import Estimate, exactly
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.expressivity.cells import numbers
from isobath.claims.expressivity.thresholds import FAILS, SLOPE, TINY, WEIGHTED

GRID = "diabetes"


def log_slope(values: xr.DataArray) -> Estimate:
    """Return the slope of ln of a deviation on ln eta, over draws; of all other dims the one furthest from its mean."""
    slopes = xr.apply_ufunc(np.log, values).polyfit("log_rate", 1).polyfit_coefficients.sel(degree=1)
    rest = [d for d in slopes.dims if d != "draw"]
    means = slopes.mean("draw")
    place = abs(means - means.mean()).argmax(rest) if rest else {}
    return Estimate.over(slopes.isel(place))


def rule_slope(tree: xr.DataTree) -> Estimate:
    """Return the slope of the deviation of balanced layers on eta."""
    return log_slope(by_log_rate(numbers(tree, GRID, "end_to_end_rule").deviation))


def by_log_rate(values: xr.DataArray) -> xr.DataArray:
    """Return values along ln of the rate."""
    by_log: xr.DataArray = values.assign_coords(log_rate=("rate", np.log(values.rate.values)))
    swapped: xr.DataArray = by_log.swap_dims(rate="log_rate")
    return swapped


def unbalanced(tree: xr.DataTree) -> Estimate:
    """Return the smallest deviation of layers that are not balanced, at the smallest rate."""
    found = numbers(tree, GRID, "end_to_end_rule").unbalanced_deviation.isel(rate=0)
    return exactly(float(found.sel(layers=found.layers > 1).min()))


def of_vectors(tree: xr.DataTree) -> Estimate:
    """Return the largest deviation of the rule of one output from its closed form."""
    return exactly(float(numbers(tree, GRID, "end_to_end_rule").vector_deviation.max()))


@claim(
    "Gradient descent on balanced layers is the end-to-end rule to first order in eta",
    source="the notes, update rule for the end-to-end matrix (Arora, Cohen & Hazan)",
    statistic="slope of ln(relative deviation of a step) on ln eta, with and without weight decay; the deviation of "
    "layers that are not balanced; that of one output from |w|^(2 - 2 / N) (g + (N - 1) Pr_w g)",
)
def end_to_end_rule_holds(tree: xr.DataTree) -> list[Criterion]:
    return [
        criterion("balanced: slope", rule_slope, tree, above=1 - SLOPE, below=1 + SLOPE, check=True),
        criterion("not balanced: deviation", unbalanced, tree, above=FAILS, check=True),
        criterion("one output: deviation", of_vectors, tree, below=TINY, check=True),
    ]


def gains(tree: xr.DataTree) -> xr.DataArray:
    """Return the gains of singular directions for more than one layer; a single one favours none."""
    gain = numbers(tree, GRID, "end_to_end_rule").gain
    several: xr.DataArray = gain.sel(layers=gain.layers > 1)
    return several


def largest_rise(tree: xr.DataTree, side: str) -> Estimate:
    """Return the largest rise of the gain from one singular value to the next smaller."""
    return exactly(float(gains(tree).diff(side).max()))


@claim(
    "The end-to-end preconditioner favours the directions in which W is already large",
    source="the notes, update rule for the end-to-end matrix (Arora, Cohen & Hazan)",
    statistic="largest change of the gain of u_r v_s', from true steps, as either singular value gets smaller",
)
def preconditioner_favours_large_directions(tree: xr.DataTree) -> list[Criterion]:
    return [
        criterion(f"{side} directions", largest_rise, tree, side, below=0.0, check=True) for side in ("left", "right")
    ]


def remainder_slope(tree: xr.DataTree) -> Estimate:
    """Return the slope of the remainder of a step on eta."""
    return log_slope(by_log_rate(numbers(tree, GRID, "overparametrised_step").remainder))


def unweighted(tree: xr.DataTree) -> Estimate:
    """Return the largest deviation of w from the weighted sum of past gradients."""
    return exactly(float(numbers(tree, GRID, "overparametrised_step").weighted_sum_deviation.max()))


@claim(
    "A step of w = w_1 w_2 is an adaptive rate and a momentum: w - rho grad - gamma w, and w a sum of past gradients",
    source="the notes, equivalence to adaptive learning rate and momentum (Arora, Cohen & Hazan)",
    statistic="slope of ln(remainder of a step) on ln eta, claimed to be 2; largest relative deviation of w from the "
    "weighted sum of past gradients after a training from near zero",
)
def overparametrisation_is_an_adaptive_rate(tree: xr.DataTree) -> list[Criterion]:
    return [
        criterion("slope of the remainder", remainder_slope, tree, above=2 - SLOPE, below=2 + SLOPE, check=True),
        criterion("weighted sum of gradients", unweighted, tree, below=WEIGHTED, check=True),
    ]
