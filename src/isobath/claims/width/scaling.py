"""Claims about networks far from the transition, and about ensembles: sections 3 to 5 and 7."""

import xarray as xr

from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.width.measures import (
    at,
    averaging_gain,
    exponent,
    gradient_excess,
    leading_coefficient,
    predicted,
)
from isobath.claims.width.rivals import best_rival
from isobath.claims.width.thresholds import JUST_BEYOND, TOLERANCE
from isobath.claims.width.widths import grid_of, largest

WITHIN = f"within {100 * TOLERANCE:.0f} % of the prediction"


@claim(
    "The fluctuations of the output decay as N^-1/4",
    source="Jacot, Geiger et al., eq. 9 and Fig. 5",
    statistic=f"free exponent of ||f - fbar|| against N, {WITHIN}",
)
def fluctuations_decay(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [predicted("exponent of ||f - fbar||", exponent, -0.25, cells, "fluctuation")]


@claim(
    "The gradient of the output falls towards a constant as C0 + C1 N^-1/4, with C1 much larger than C0",
    source="Jacot, Geiger et al., Fig. 6 A",
    statistic="C1 - 10 C0 of the fit with that exponent, and its free exponent",
)
def gradient_falls(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [
        criterion("C1 - 10 C0", gradient_excess, cells, above=0),
        predicted("exponent of ||grad f||", exponent, -0.25, cells, "gradient_norm"),
    ]


@claim(
    "The distance of the decision boundary from that of the mean decays as N^-1/4",
    source="Jacot, Geiger et al., section 5",
    statistic=f"free exponent of delta against N, {WITHIN}",
)
def boundary_distance_decays(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [predicted("exponent of delta", exponent, -0.25, cells, "distance")]


@claim(
    "That distance is proportional to ||f - fbar|| / ||grad f||",
    source="Jacot, Geiger et al., Figs 6 C and 10",
    statistic=f"free exponent of delta against its estimate, {WITHIN}",
)
def boundary_distance_is_its_estimate(tree: xr.DataTree) -> list[Criterion]:
    return [
        predicted("exponent of delta against its estimate", exponent, 1.0, grid_of(tree, "widths"), "distance_estimate")
    ]


@claim(
    "The error of networks beyond that of their mean grows as the square of the distance of the boundaries",
    source="Jacot, Geiger et al., eq. 4 and Fig. 6 B",
    statistic=f"free exponent of the error against delta over widths, and over sizes of ensembles, {WITHIN}",
)
def error_grows_with_squared_distance(tree: xr.DataTree) -> list[Criterion]:
    return [
        predicted("over widths", exponent, 2.0, grid_of(tree, "widths"), "error_and_distance"),
        predicted("over sizes of ensembles", exponent, 2.0, grid_of(tree, "ensembles"), "error_and_distance_size"),
    ]


@claim(
    "The error of networks beyond that of their mean decays as N^-1/2",
    source="Jacot, Geiger et al., eq. 10 and Fig. 6 D",
    statistic=f"leading exponent, free, of E0 N^a + E1 N^-3/4, {WITHIN}; E0 of the fit with -1/2",
)
def excess_error_decays(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [
        criterion("E0", leading_coefficient, cells, "excess_error", above=0),
        predicted("leading exponent", exponent, -0.5, cells, "excess_error"),
    ]


@claim(
    "The test error approaches its limit from above, as eps_inf + B0 N^-1/2 + B1 N^-3/4 with B0 > 0",
    source="Jacot, Geiger et al., eq. 13 and Fig. 2 A",
    statistic="B0",
)
def test_error_approaches_its_limit(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [criterion("B0", leading_coefficient, cells, "test_error", above=0)]


@claim(
    "The error of the mean of n networks approaches its limit as 1 / n",
    source="Jacot, Geiger et al., section 4 and Fig. 4 left",
    statistic=f"free exponent of eps_n - epsbar against n, {WITHIN}",
)
def ensembles_gain_as_one_over_n(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "ensembles")
    return [predicted("exponent of eps_n - epsbar", exponent, -1.0, cells, "ensemble_size")]


@claim(
    "The distance of the boundary of an ensemble from that of the mean decays as n^-1/2",
    source="Jacot, Geiger et al., section 4 and Fig. 4 centre",
    statistic=f"free exponent of delta_n against n, {WITHIN}",
)
def ensemble_distance_decays(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "ensembles")
    return [predicted("exponent of delta_n", exponent, -0.5, cells, "distance_size")]


@claim(
    "Averaging networks that start differently improves on each of them",
    source="Jacot, Geiger et al., sections 4 and 9",
    statistic="error of single networks beyond the limit of large ensembles, just beyond N* and at the largest N",
)
def averaging_helps(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    places = {"3 N*": at(JUST_BEYOND), "the largest N": largest}
    return [criterion(f"at {place}", averaging_gain, cells, choose, above=0) for place, choose in places.items()]


@claim(
    "For a given training compute the best predictor is an ensemble of networks just beyond N*",
    source="Jacot, Geiger et al., section 7",
    statistic="error of the best that the compute of the ensemble at 3 N* buys at other N, minus that ensemble's error",
)
def ensembles_beyond_jamming_are_best(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [criterion("best rival at equal compute, minus 3 N*", best_rival, cells, above=0)]
