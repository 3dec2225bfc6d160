"""Claims about networks far from the transition: section 5, and the laws that follow from it."""

import xarray as xr

from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.width.asymptotics import (
    apparent_exponent,
    coefficient,
    distance_fall,
    exponent,
    exponent_over_sizes,
    exponent_without_residual,
    gradient_excess,
    predicted,
    residual_share,
)
from isobath.claims.width.measures import linear_estimate_improves
from isobath.claims.width.published import published
from isobath.claims.width.thresholds import LEADING, LEAST_P, MUCH_LARGER, NEGLIGIBLE, TOLERANCE
from isobath.claims.width.widths import grid_of

WITHIN = f"within {100 * TOLERANCE:.0f} % of the prediction"
UNLESS = f"undetermined where the fit has p < {LEAST_P:g}"
DRIFT = f"{UNLESS} or the exponent another in the half of the points with the larger networks"
OVER_SIZES = "undetermined where the upper half of the sizes has another exponent with an interval; ensembles share "
OVER_SIZES += "networks, so that no test of the fit is known"


@claim(
    "The fluctuations of the output decay as N^-1/4",
    source="Jacot, Geiger et al., eq. 9 and Fig. 5",
    statistic=f"free exponent of ||f - fbar|| against N, {WITHIN}; {DRIFT}, and where a residual variance beside the "
    "predicted power (eq. 8), which eq. 9 neglects, is known to be there",
)
def fluctuations_decay(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [predicted("exponent of ||f - fbar||", exponent_without_residual, -0.25, cells)]


@claim(
    "The fluctuations that are left for N -> infinity, because the data are finite, are negligible",
    source="Jacot, Geiger et al., eq. 8",
    statistic=f"C of ||f - fbar||^2 = C + D N^-1/2, over its value at the largest N; {UNLESS}, or where a power of N "
    "without C has not, which leaves nothing",
)
def residual_variance_is_negligible(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [criterion("share of the variance", residual_share, cells, above=-NEGLIGIBLE, below=NEGLIGIBLE)]


@claim(
    "The gradient of the output falls towards a constant as C0 + C1 N^-1/4, with C1 much larger than C0",
    source="Jacot, Geiger et al., Fig. 6 A",
    statistic=f"C0, C1 and C1 - {MUCH_LARGER} C0 of the fit with that exponent, and its free exponent; {DRIFT}",
)
def gradient_falls(tree: xr.DataTree) -> list[Criterion]:
    cells, law = grid_of(tree, "widths"), "gradient_norm"
    c0, c1, power = (published(cells, number, "Fig. 6 A") for number in (2.1, 51.0, -0.28))
    return [
        criterion("C0", coefficient, cells, law, "constant", above=0, published=c0),
        criterion("C1", coefficient, cells, law, above=0, published=c1),
        criterion(f"C1 - {MUCH_LARGER} C0", gradient_excess, cells, above=0),
        predicted("exponent of ||grad f||", exponent, -0.25, cells, law, source=power),
    ]


@claim(
    "The distance of the decision boundary from that of the mean falls with N as A0 N^-1/4 + A1 N^-1/2",
    source="Jacot, Geiger et al., section 5",
    statistic="A0 of the fit with these exponents, which N^-1/2 and steeper powers do not have, and delta at 10 N* "
    f"minus that at the largest N; leading exponent, free, of A0 N^a + A1 N^-1/2, {WITHIN}; {DRIFT}",
)
def boundary_distance_decays(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [
        criterion("A0", coefficient, cells, "distance", above=0),
        criterion("fall of delta", distance_fall, cells, above=0),
        predicted("leading exponent", exponent, -0.25, cells, "distance"),
    ]


@claim(
    "That distance is proportional to ||f - fbar|| / ||grad f||",
    source="Jacot, Geiger et al., Figs 6 C and 10",
    statistic=f"free exponent of delta against its estimate, {WITHIN}; {DRIFT}",
)
def boundary_distance_is_its_estimate(tree: xr.DataTree) -> list[Criterion]:
    cells, label = grid_of(tree, "widths"), "exponent of delta against its estimate"
    return [predicted(label, exponent, 1.0, cells, "distance_estimate", source=published(cells, 1.1, "Fig. 6 C"))]


@claim(
    "An output is linear along its gradient as far as the boundary, and the more so the larger N",
    source="Jacot, Geiger et al., appendix A and Fig. 9",
    statistic="distance of the zero of f from that of a linear output, in units of the latter, mean over samples "
    "between the boundaries of a network and of the mean, over networks: near N* minus at the largest N",
)
def linear_estimate_improves_with_size(tree: xr.DataTree) -> list[Criterion]:
    return [criterion("near N* minus the largest N", linear_estimate_improves, grid_of(tree, "widths"), above=0)]


@claim(
    "The error of networks beyond that of their mean grows as the square of the distance of the boundaries",
    source="Jacot, Geiger et al., eq. 4 and Fig. 6 B",
    statistic=f"free exponent of the error against delta over widths, {WITHIN}; {DRIFT}; and over sizes of ensembles, "
    f"{WITHIN}; {OVER_SIZES}",
)
def error_grows_with_squared_distance(tree: xr.DataTree) -> list[Criterion]:
    widths, sizes = grid_of(tree, "widths"), grid_of(tree, "ensembles")
    printed = published(widths, 2.5, "Fig. 6 B, of eps_N, whose limit is fitted as well", judged=False)
    return [
        predicted("over widths", exponent, 2.0, widths, "error_and_distance", source=printed),
        predicted("over sizes of ensembles", exponent_over_sizes, 2.0, sizes, "error_and_distance_size"),
    ]


@claim(
    "The error of networks beyond that of their mean decays as N^-1/2",
    source="Jacot, Geiger et al., eq. 10 and Fig. 6 D",
    statistic=f"leading exponent, free, of E0 N^a + E1 N^-3/4, {WITHIN}; E0 of the fit with -1/2; {DRIFT}",
)
def excess_error_decays(tree: xr.DataTree) -> list[Criterion]:
    cells, law = grid_of(tree, "widths"), "excess_error"
    e0 = published(cells, 7.6, "Fig. 6 D")
    power = published(cells, -0.42, "Fig. 6 D, perhaps of a single power", judged=False)
    return [
        criterion("E0", coefficient, cells, law, above=0, published=e0),
        predicted("leading exponent", exponent, -0.5, cells, law, source=power),
    ]


@claim(
    "The test error approaches its limit from above, as eps_inf + B0 N^-1/2 + B1 N^-3/4 with B0 > 0, for fully "
    "connected and convolutional networks",
    source="Jacot, Geiger et al., eq. 13, section 5 and Fig. 2 A",
    statistic=f"B0, and as a check eps_inf; {UNLESS}",
)
def test_error_approaches_its_limit(tree: xr.DataTree) -> list[Criterion]:
    cells, channels = grid_of(tree, "widths"), grid_of(tree, "channels")
    limit, b0 = (published(cells, number, "Fig. 2 A") for number in (0.054, 6.4))
    return [
        criterion("eps_inf", coefficient, cells, "test_error", "constant", above=0, published=limit, check=True),
        criterion("B0", coefficient, cells, "test_error", above=0, published=b0),
        criterion("B0 of convolutional networks", coefficient, channels, "test_error_channels", above=0),
    ]


@claim(
    "A direct fit of the test error has an apparent exponent of less than 1/2 in size, for its corrections are large",
    source="Jacot, Geiger et al., section 5",
    statistic="free exponent of eps_inf + B N^a, however well that fits; B1 of eps_inf + B0 N^-1/2 + B1 N^-3/4 and E1 "
    f"of E0 N^-1/2 + E1 N^-3/4, which make it less where they are negative; these coefficients are {UNLESS}",
)
def apparent_exponent_is_smaller(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    b1, e1 = published(cells, -49.0, "Fig. 2 A"), published(cells, -59.0, "Fig. 6 D")
    return [
        criterion("apparent exponent", apparent_exponent, cells, "apparent_error", above=LEADING, below=0),
        criterion("B1", coefficient, cells, "test_error", "c1", below=0, published=b1),
        criterion("E1", coefficient, cells, "excess_error", "c1", below=0, published=e1),
    ]
