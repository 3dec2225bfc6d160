"""Claims of our own on the tangent kernels of finite networks at their start, against the limit of infinite width."""

from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.combinations import slope
from isobath.analysis.estimates import Estimate, NotRun, over_networks
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.kernels.tables import table
from isobath.claims.kernels.thresholds import CLOSE_DEVIATION, SAME_DEVIATION


def log_deviation(data: xr.Dataset, depth: int, width: int) -> Estimate:
    """Estimate the log of the relative deviation of the kernel of one network, over networks."""
    return over_networks(np.log(data.deviation.sel(depth=depth, width=width)))


def exponent(data: xr.Dataset, depth: int) -> Estimate:
    """Estimate the slope of the log of the deviation against ln H; each width has networks of its own."""
    if data.sizes["width"] < 2:
        raise NotRun("there is one width")
    widths = data.width.values.tolist()
    return slope(np.log(widths), [log_deviation(data, depth, width) for width in widths])


def exponents(data: xr.Dataset, within: float) -> list[Criterion]:
    """Return, for each depth, whether the exponent is within a bound of -1/2: a check, since theory knows no other."""
    bounds: dict[str, Any] = {"above": -0.5 - within, "below": -0.5 + within, "check": True}
    return [criterion(f"L = {depth}", exponent, data, depth, **bounds) for depth in data.depth.values.tolist()]


@claim(
    "The tangent kernel of a finite network deviates from its limit as H^(-1/2)",
    statistic="slope of the log of |Theta_H - Theta| / |Theta| against ln H, without biases (beta = 0), as a check, "
    "since theory knows no other exponent",
    own=True,
)
def finite_kernels_reach_their_limit(tree: xr.DataTree) -> list[Criterion]:
    return exponents(table(tree, "finite"), SAME_DEVIATION)


@claim(
    "With biases the tangent kernel of a finite network deviates from its limit as H^(-1/2) too",
    statistic="slope of the log of |Theta_H - Theta| / |Theta| against ln H at beta = 0.1, within a closer bound, as a "
    "check, since theory knows no other exponent",
    own=True,
)
def finite_kernels_with_biases_reach_their_limit(tree: xr.DataTree) -> list[Criterion]:
    return exponents(table(tree, "finite_with_biases"), CLOSE_DEVIATION)


def growth(data: xr.Dataset) -> Estimate:
    """Estimate the slope of the log of the deviation at the largest width against ln L."""
    if data.sizes["depth"] < 2:
        raise NotRun("there is one depth")
    depths, width = data.depth.values.tolist(), int(data.width.max())
    return slope(np.log(depths), [log_deviation(data, depth, width) for depth in depths])


@claim(
    "The kernels of deeper networks are farther from their limit",
    statistic="slope of the log of |Theta_H - Theta| / |Theta| against ln L, at the largest width; a check, since each "
    "layer adds to the fluctuations (Hanin & Nica, 2020)",
    own=True,
)
def deep_kernels_are_farther_from_their_limit(tree: xr.DataTree) -> list[Criterion]:
    return [criterion("largest width", growth, table(tree, "finite"), above=0, check=True)]
