"""Claims about ensembles: what averaging gains, how it grows with their size, and at which N it is best."""

import xarray as xr

from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.width.asymptotics import coefficient, exponent, exponent_over_sizes, predicted
from isobath.claims.width.ensemble_measures import averaging_gain, ensemble_difference
from isobath.claims.width.measures import at
from isobath.claims.width.published import published
from isobath.claims.width.rivals import best_rival
from isobath.claims.width.scaling import DRIFT, OVER_SIZES, WITHIN
from isobath.claims.width.thresholds import JUST_BEYOND, TOLERANCE
from isobath.claims.width.widths import grid_of, largest


@claim(
    "The error of the mean of n networks approaches its limit as 1 / n",
    source="Jacot, Geiger et al., section 4 and Fig. 4 left",
    statistic=f"free exponent of eps_n - epsbar against n, {WITHIN}; {OVER_SIZES}. As a check, and at the paper's size "
    "as a part that votes, epsbar",
)
def ensembles_gain_as_one_over_n(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "ensembles")
    limit = published(cells, 0.02148, "Fig. 4 left", dimension=30)
    return [
        predicted("exponent of eps_n - epsbar", exponent_over_sizes, -1.0, cells, "ensemble_size"),
        criterion("epsbar", coefficient, cells, "ensemble_size", "constant", above=0, check=True, published=limit),
    ]


@claim(
    "The distance of the boundary of an ensemble from that of the mean decays as n^-1/2",
    source="Jacot, Geiger et al., section 4 and Fig. 4 centre",
    statistic=f"free exponent of delta_n against n, {WITHIN}; {OVER_SIZES}. Ensembles are drawn from the networks of "
    "the mean, so ||f_n - fbar|| falls as n^-1/2 by itself, and gradients alone can break the law",
)
def ensemble_distance_decays(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "ensembles")
    return [predicted("exponent of delta_n", exponent_over_sizes, -0.5, cells, "distance_size")]


@claim(
    "Averaging networks that start differently improves on each of them",
    source="Jacot, Geiger et al., sections 4 and 9",
    statistic="error of single networks minus that of the ensemble of all, just beyond N* and at the largest N",
)
def averaging_helps(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    places = {"3 N*": at(JUST_BEYOND), "the largest N": largest}
    return [criterion(f"at {place}", averaging_gain, cells, choose, above=0) for place, choose in places.items()]


@claim(
    "Near N* the ensemble is worse than just beyond it",
    source="Jacot, Geiger et al., section 9",
    statistic="error of the ensemble of all networks near N* minus that at 3 N*",
)
def averaging_breaks_down_at_jamming(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [criterion("N* minus 3 N*", ensemble_difference, cells, at(1), at(JUST_BEYOND), above=0)]


@claim(
    "Ensembles of networks just beyond N* are slightly better than those of networks of N >> N*",
    source="Jacot, Geiger et al., section 7, Figs 2 A and 8 A",
    statistic="error of the ensemble of all networks at the largest N minus that at 3 N*",
)
def ensembles_are_best_just_beyond(tree: xr.DataTree) -> list[Criterion]:
    grids = {"fully connected": "widths", "convolutional": "channels"}
    return [
        criterion(name, ensemble_difference, grid_of(tree, grid), largest, at(JUST_BEYOND), above=0)
        for name, grid in grids.items()
    ]


@claim(
    "The error of the mean network approaches its limit at least as fast as N^-1/2",
    source="Jacot, Geiger et al., eq. 12",
    statistic=f"free exponent of epsbar_N = epsbar_inf + D N^a, below -1/2 but for {100 * TOLERANCE:.0f} %; {DRIFT}",
)
def mean_error_approaches_its_limit(tree: xr.DataTree) -> list[Criterion]:
    cells, slowest = grid_of(tree, "widths"), -0.5 * (1 - TOLERANCE)
    return [criterion("exponent of epsbar_N - epsbar_inf", exponent, cells, "limit_error", below=slowest)]


@claim(
    "For a given training compute the best predictor is an ensemble of networks just beyond N*",
    source="Jacot, Geiger et al., section 7",
    statistic="error of the best that the compute of the ensemble at 3 N* buys at other N, minus that ensemble's "
    "error; rivals have at most as many networks as were trained, which smaller ones may not use up the compute with",
)
def ensembles_beyond_jamming_are_best(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [criterion("best rival at equal compute, minus 3 N*", best_rival, cells, above=0)]
