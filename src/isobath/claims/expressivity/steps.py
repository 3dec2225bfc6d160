"""Claims on single steps: the end-to-end rule of deep linear networks, its preconditioner, and the adaptive rate."""

import numpy as np
import xarray as xr

from isobath.analysis.estimates import Estimate, exactly
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.expressivity.cells import numbers
from isobath.claims.expressivity.thresholds import FAILS, SLOPE, TINY, WEIGHTED

GRID = "diabetes"


def off_slope(values: xr.DataArray, expected: float) -> Estimate:
    """Return the largest distance of the slope of ln of a deviation on ln eta from the expected one, over all cases."""
    along = values.transpose("rate", ...)
    logs = np.log(along.values.reshape(along.sizes["rate"], -1))
    slopes = np.polyfit(np.log(along.rate.values), logs, 1)[0]
    return exactly(float(np.abs(slopes - expected).max()))


def rule_slope(tree: xr.DataTree) -> Estimate:
    """Return how far the slope of the deviation of balanced layers on eta is from one; a single layer has none."""
    deviations = numbers(tree, GRID, "end_to_end_rule").deviation
    return off_slope(deviations.sel(layers=deviations.layers > 1), 1.0)


def unbalanced(tree: xr.DataTree) -> Estimate:
    """Return the smallest deviation of layers that are not balanced, at the smallest rate."""
    deviations = numbers(tree, GRID, "end_to_end_rule").unbalanced_deviation.sortby("rate").isel(rate=0)
    return exactly(float(deviations.sel(layers=deviations.layers > 1).min()))


def of_vectors(tree: xr.DataTree) -> Estimate:
    """Return the largest deviation of the rule of one output from its closed form."""
    return exactly(float(numbers(tree, GRID, "end_to_end_rule").vector_deviation.max()))


@claim(
    "Gradient descent on balanced layers is the end-to-end rule to first order in eta",
    source="the notes, update rule for the end-to-end matrix (Arora, Cohen & Hazan)",
    statistic="largest distance from 1 of the slope of ln(relative deviation of a step) on ln eta, with and without "
    "weight decay; the deviation of layers that are not balanced; that of one output from "
    "|w|^(2 - 2 / N) (g + (N - 1) Pr_w g)",
)
def end_to_end_rule_holds(tree: xr.DataTree) -> list[Criterion]:
    return [
        criterion("balanced: slope off 1", rule_slope, tree, below=SLOPE, check=True),
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
    """Return how far the slope of the remainder of a step on eta is from two."""
    return off_slope(numbers(tree, GRID, "overparametrised_step").remainder, 2.0)


def unweighted(tree: xr.DataTree) -> Estimate:
    """Return the largest deviation of w from the weighted sum of past gradients."""
    return exactly(float(numbers(tree, GRID, "overparametrised_step").weighted_sum_deviation.max()))


@claim(
    "A step of w = w_1 w_2 is an adaptive rate and a momentum: w - rho grad - gamma w, and w a sum of past gradients",
    source="the notes, equivalence to adaptive learning rate and momentum (Arora, Cohen & Hazan)",
    statistic="largest distance from 2 of the slope of ln(remainder of a step) on ln eta; largest relative deviation "
    "of w from the weighted sum of past gradients after a training from near zero",
)
def overparametrisation_is_an_adaptive_rate(tree: xr.DataTree) -> list[Criterion]:
    return [
        criterion("remainder: slope off 2", remainder_slope, tree, below=SLOPE, check=True),
        criterion("weighted sum of gradients", unweighted, tree, below=WEIGHTED, check=True),
    ]
