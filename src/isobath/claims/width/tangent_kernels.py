"""Claims about the tangent kernels of networks, from which section 5 derives how their outputs fluctuate."""

from dataclasses import replace

import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, Undetermined, over_networks
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.width.asymptotics import exponent, predicted
from isobath.claims.width.scaling import DRIFT, WITHIN
from isobath.claims.width.thresholds import PREDICTS
from isobath.claims.width.widths import grid_of, largest, tally, tangent_kernels, with_samples, without_parts


@claim(
    "The tangent kernel at the start fluctuates over networks as N^-1/4",
    source="Jacot, Geiger et al., eq. 7",
    statistic=f"free exponent of |Theta - mean| / |mean| against N, {WITHIN}; {DRIFT}",
)
def kernel_fluctuates(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [predicted("exponent of |Theta - mean|", exponent, -0.25, cells, "kernel_fluctuation")]


@claim(
    "The tangent kernel moves in training by N^-1/2, less than it fluctuates",
    source="Jacot, Geiger et al., section 5, between eqs 6 and 7",
    statistic=f"free exponent of |Theta(t) - Theta(0)| / |Theta(0)| against N, {WITHIN}; {DRIFT}; its fluctuation "
    "minus that change at the largest N",
)
def kernel_moves(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [
        predicted("exponent of |Theta(t) - Theta(0)|", exponent, -0.5, cells, "kernel_change"),
        criterion("fluctuation minus change at the largest N", fluctuation_minus_change, cells, above=0),
    ]


@claim(
    "The tangent kernel of a network at its start predicts how its output differs from the mean",
    source="Jacot, Geiger et al., eq. 16, which is derived for the squared error",
    statistic="correlation over test samples of f - fbar with the prediction, mean over networks, at the largest N",
)
def kernel_predicts_networks(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [criterion("correlation at the largest N", correlation, cells, above=PREDICTS)]


def fluctuation_minus_change(cells: Cells) -> Estimate:
    """Estimate the difference of both, each relative to the kernel, over the networks of the largest N."""
    width = largest(cells)
    kernels = tangent_kernels(cells, width)
    without = without_parts(kernels, "kernel_fluctuation") - without_parts(kernels, "kernel_change")
    difference = with_samples(over_networks(kernels.kernel_fluctuation - kernels.kernel_change), without)
    return replace(difference, tally=tally(cells, width))


def correlation(cells: Cells) -> Estimate:
    """Estimate the mean correlation over the networks of the largest N.

    Raises Undetermined where none has a prediction, and where kernels change in training by more than they fluctuate:
    the equation supposes that they do not.
    """
    change = fluctuation_minus_change(cells)
    if change.interval()[1] < 0:
        raise Undetermined(
            f"relative to its norm, the kernel changes in training by {-change.value:.3g} more than it fluctuates"
        )
    width = largest(cells)
    correlations = tangent_kernels(cells, width).predicted_correlation
    if not correlations.notnull().any():
        raise Undetermined("no Gram matrix of the kernel at the start can be inverted")
    return replace(over_networks(correlations), tally=tally(cells, width))
