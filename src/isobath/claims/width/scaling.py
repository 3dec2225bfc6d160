"""Claims about what happens far from the transition, and in ensembles: sections 3 to 5 and 7."""

from collections.abc import Callable

import xarray as xr

from isobath.analysis.verdicts import Bounded, Estimate, Part, claim
from isobath.claims.width.measures import (
    JUST_BEYOND,
    TOLERANCE,
    Widths,
    fitted,
    mean_over_networks,
)
from isobath.claims.width.parts import about, exponent
from isobath.claims.width.rivals import best_rival

WITHIN = f"within {100 * TOLERANCE:.0f} % of the prediction"


def _free(law: str) -> Callable[[Widths], Estimate]:
    def measure(w: Widths) -> Estimate:
        return fitted(w, law, "exponent", free=True)

    return measure


@claim(
    "The fluctuations of the output decay as N^-1/4.",
    source="Jacot, Geiger et al., eq. 9 and Fig. 5",
    statistic=f"free exponent of ||f - fbar|| against N, {WITHIN}",
)
def fluctuations_decay(tree: xr.DataTree) -> list[Part]:
    return [exponent(tree, "widths", "exponent of ||f - fbar||", _free("fluctuation"), -0.25)]


@claim(
    "The gradient of the output falls towards a constant as C0 + C1 N^-1/4, with C1 much larger than C0.",
    source="Jacot, Geiger et al., Fig. 6 A",
    statistic="C1 - 10 C0 of the fit with that exponent, and its free exponent",
)
def gradient_falls(tree: xr.DataTree) -> list[Part]:
    def excess(w: Widths) -> Estimate:
        c0, c1 = (fitted(w, "gradient_norm", name, free=False) for name in ("constant", "c0"))
        low, high = (c1.interval()[i] - 10 * c0.interval()[1 - i] for i in (0, 1))
        return Bounded(c1.value - 10 * c0.value, low=low, high=high, count=c0.count)

    return [
        about(tree, "widths", "C1 - 10 C0", excess, above=0),
        exponent(tree, "widths", "exponent of ||grad f||", _free("gradient_norm"), -0.25),
    ]


@claim(
    "The distance of the decision boundary from that of the mean decays as N^-1/4.",
    source="Jacot, Geiger et al., section 5",
    statistic=f"free exponent of delta against N, {WITHIN}",
)
def boundary_distance_decays(tree: xr.DataTree) -> list[Part]:
    return [exponent(tree, "widths", "exponent of delta", _free("distance"), -0.25)]


@claim(
    "That distance is proportional to ||f - fbar|| / ||grad f||.",
    source="Jacot, Geiger et al., Figs 6 C and 10",
    statistic=f"free exponent of delta against its estimate, {WITHIN}",
)
def boundary_distance_is_its_estimate(tree: xr.DataTree) -> list[Part]:
    return [exponent(tree, "widths", "exponent of delta against its estimate", _free("distance_estimate"), 1.0)]


@claim(
    "The error of networks beyond that of their mean grows as the square of the distance of the boundaries.",
    source="Jacot, Geiger et al., eq. 4 and Fig. 6 B",
    statistic=f"free exponent of the error against delta over widths, and over sizes of ensembles, {WITHIN}",
)
def error_grows_with_squared_distance(tree: xr.DataTree) -> list[Part]:
    return [
        exponent(tree, "widths", "over widths", _free("error_and_distance"), 2.0),
        exponent(tree, "ensembles", "over sizes of ensembles", _free("error_and_distance_size"), 2.0),
    ]


@claim(
    "The error of networks beyond that of their mean decays as N^-1/2.",
    source="Jacot, Geiger et al., eq. 10 and Fig. 6 D",
    statistic=f"leading exponent, free, of E0 N^a + E1 N^-3/4, {WITHIN}; E0 of the fit with -1/2",
)
def excess_error_decays(tree: xr.DataTree) -> list[Part]:
    def e0(w: Widths) -> Estimate:
        return fitted(w, "excess_error", "c0", free=False)

    return [
        about(tree, "widths", "E0", e0, above=0),
        exponent(tree, "widths", "leading exponent", _free("excess_error"), -0.5),
    ]


@claim(
    "The test error approaches its limit from above, as eps_inf + B0 N^-1/2 + B1 N^-3/4 with B0 > 0.",
    source="Jacot, Geiger et al., eq. 13 and Fig. 2 A",
    statistic="B0",
)
def test_error_approaches_its_limit(tree: xr.DataTree) -> list[Part]:
    def b0(w: Widths) -> Estimate:
        return fitted(w, "test_error", "c0", free=False)

    return [about(tree, "widths", "B0", b0, above=0)]


@claim(
    "The error of the mean of n networks approaches its limit as 1 / n.",
    source="Jacot, Geiger et al., section 4 and Fig. 4 left",
    statistic=f"free exponent of eps_n - epsbar against n, {WITHIN}",
)
def ensembles_gain_as_one_over_n(tree: xr.DataTree) -> list[Part]:
    return [exponent(tree, "ensembles", "exponent of eps_n - epsbar", _free("ensemble_size"), -1.0)]


@claim(
    "The distance of the boundary of an ensemble from that of the mean decays as n^-1/2.",
    source="Jacot, Geiger et al., section 4 and Fig. 4 centre",
    statistic=f"free exponent of delta_n against n, {WITHIN}",
)
def ensemble_distance_decays(tree: xr.DataTree) -> list[Part]:
    return [exponent(tree, "ensembles", "exponent of delta_n", _free("distance_size"), -0.5)]


@claim(
    "Averaging networks that start differently improves on each of them.",
    source="Jacot, Geiger et al., sections 4 and 9",
    statistic="error of single networks beyond the limit of large ensembles, just beyond N* and at the largest N",
)
def averaging_helps(tree: xr.DataTree) -> list[Part]:
    def gain(w: Widths, width: int) -> Estimate:
        return mean_over_networks(w.ensemble(width).excess_error)

    return [
        about(tree, "widths", "at 3 N*", lambda w: gain(w, w.near(JUST_BEYOND)), above=0),
        about(tree, "widths", "at the largest N", lambda w: gain(w, w.largest), above=0),
    ]


@claim(
    "For a given training compute the best predictor is an ensemble of networks just beyond N*.",
    source="Jacot, Geiger et al., section 7",
    statistic="error of the best that the compute of the ensemble at 3 N* buys at other N, minus that ensemble's error",
)
def ensembles_beyond_jamming_are_best(tree: xr.DataTree) -> list[Part]:
    return [about(tree, "widths", "best rival at equal compute, minus 3 N*", best_rival, above=0)]
