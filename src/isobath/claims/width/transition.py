"""Claims about the jamming transition: sections 2, 3, 6 and 8."""

import math
from collections.abc import Callable
from typing import Any

import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.width import asymptotics, ensemble_measures, measures, norms
from isobath.claims.width.measures import at
from isobath.claims.width.published import published
from isobath.claims.width.thresholds import (
    BEYOND,
    CLOSE,
    CONSTANT,
    FLAT,
    GROWS,
    HALF,
    JUST_BEYOND,
    SAME_THRESHOLD,
    SHARP,
    ZERO_ERROR,
)
from isobath.claims.width.widths import (
    above,
    grid_of,
    just_above,
    largest,
    over_data_sets,
    smallest,
    threshold_interval,
)

SIGNS = {"fall": 1, "rise": -1}


@claim(
    "The test error has a cusp-like local maximum near the jamming transition",
    source="Jacot, Geiger et al., Fig. 2 A",
    statistic="largest mean test error within a factor 2 of N*, minus that at the smallest and at the largest width; "
    "one half of networks and samples finds the largest, the other measures it; of several data sets, all but one find "
    "it, and that one measures it",
    whole=True,
)
def cusp_at_jamming(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    references = {"smallest": smallest, "largest": largest}
    height = measures.peak_height
    criteria = [
        criterion(f"N* against the {name} N", height, cells, choose, above=0) for name, choose in references.items()
    ]
    peak, several = measures.peak_over_data_sets, over_data_sets(tree)
    return criteria + [
        criterion(f"over data sets: N* against the {name} N", peak, several, choose, above=0)
        for name, choose in references.items()
    ]


@claim(
    "The training error reaches zero at N*, in a sharp transition",
    source="Jacot, Geiger et al., Fig. 2 B and introduction",
    statistic="factor in N over which the fraction without a margin below one rises from 10 % to 90 %; as checks, "
    "training error at the first N above the interval of N* and at 2 N*. That networks fit beyond N* and not below "
    "defines N*",
    whole=True,
)
def train_error_vanishes(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    fraction, error = measures.fitted_fraction, measures.train_error
    return [
        criterion("fraction that fits at the smallest N", fraction, cells, smallest, below=HALF, check=True),
        criterion("fraction that fits at 2 N*", fraction, cells, at(BEYOND), above=HALF, check=True),
        criterion("range of the transition, a factor in N", measures.transition_range, cells, below=SHARP),
        criterion("training error just above N*", error, cells, just_above, below=ZERO_ERROR, check=True),
        criterion("training error at 2 N*", error, cells, at(BEYOND), below=ZERO_ERROR, check=True),
    ]


@claim(
    "Beyond N* the test error decreases with the number of parameters",
    source="Jacot, Geiger et al., Fig. 2 A and abstract",
    statistic="mean test error at 2 N* minus that at the largest N",
)
def error_decreases_beyond(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    fall, several = measures.fall_over_data_sets, over_data_sets(tree)
    return [
        criterion("2 N* against the largest N", measures.fall_beyond, cells, above=0),
        criterion("over data sets: 2 N* against the largest N", fall, several, at(BEYOND), largest, above=0),
    ]


@claim(
    "The error of the ensemble is nearly flat beyond N*: what large networks gain is what averaging gains",
    source="Jacot, Geiger et al., Fig. 2 A (orange)",
    statistic=f"{FLAT:g} of the fall of the single networks' error from 2 N* on, minus the fall or rise of the "
    "ensemble's",
)
def ensemble_is_flat(tree: xr.DataTree) -> list[Criterion]:
    cells, flatness = grid_of(tree, "widths"), ensemble_measures.flatness
    return [criterion(f"against its {name}", flatness, cells, sign, above=0) for name, sign in SIGNS.items()]


@claim(
    "The test error is self-averaging: that of one network lies close to the average",
    source="Jacot, Geiger et al., section 3 and Fig. 2 A (blue points)",
    statistic="standard deviation of the test error over networks, in units of its mean, at 3 N* and at the largest N; "
    "its interval begins at what is left without the scatter that the finite test set makes",
)
def error_is_self_averaging(tree: xr.DataTree) -> list[Criterion]:
    cells, scatter = grid_of(tree, "widths"), measures.relative_scatter
    places = {"3 N*": at(JUST_BEYOND), "the largest N": largest}
    return [criterion(f"at {place}", scatter, cells, choose, below=CLOSE) for place, choose in places.items()]


@claim(
    "N* does not depend on the margin",
    source="Jacot, Geiger et al., section 6",
    statistic="ln of N* of another margin over that of the margin 1",
)
def threshold_ignores_the_margin(tree: xr.DataTree) -> list[Criterion]:
    cells = Cells.of(tree, "margins", first=("task", "depth", "n_train"))
    bounds: dict[str, Any] = {"above": -math.log(SAME_THRESHOLD), "below": math.log(SAME_THRESHOLD)}
    try:
        margins = measures.other_margins(cells)
    except NotRun as error:
        return [Criterion("other margins", None, **bounds, reason=str(error))]
    return [criterion(f"margin {m:g}", measures.log_threshold_ratio, cells, m, **bounds) for m in margins]


@claim(
    "The norm of the output diverges at N* as 1 / (N - N*)",
    source="Jacot, Geiger et al., Fig. 7 and section 6",
    statistic="free exponent of ||f|| = c (N - N0)^a after the longest training, N0 fitted; N0 of the fit with a = -1, "
    "against the interval of N*; slope of ln ||f|| against ln (N - N*) up to 4 N*; undetermined where the norm at N* "
    "still grows at the end, for time then cuts the divergence off",
    whole=True,
)
def norm_diverges(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    printed = published(cells, -1.0, "Fig. 7 B, slope -2 of ||f||^2")
    exponents = [
        asymptotics.predicted(f"exponent of ||f||, {pole}", _settled(measure), -1.0, cells, source=printed)
        for pole, measure in (("pole fitted", asymptotics.norm_exponent), ("pole at N*", norms.norm_slope))
    ]
    return [*exponents, _pole(cells)]


def _pole(cells: Cells) -> Criterion:
    """Return the criterion that the pole of the norm lies in the interval of N*."""
    try:
        low, high = threshold_interval(cells)
    except (NotRun, Undetermined):  # the measure says which
        low, high = -math.inf, math.inf
    return criterion("pole of ||f||, in the interval of N*", _settled(_norm_pole), cells, above=low, below=high)


def _norm_pole(cells: Cells) -> Estimate:
    """Return the fitted pole of ||f||. Raises Undetermined where N* has no interval in which it could lie."""
    threshold_interval(cells)
    return asymptotics.norm_pole(cells)


def _settled(measure: Callable[[Cells], Estimate]) -> Callable[[Cells], Estimate]:
    """Return a measure of the norm that is undetermined where the norm at N* still grows."""

    def settled(cells: Cells) -> Estimate:
        norms.require_settled_norm(cells)
        return measure(cells)

    return settled


@claim(
    "A finite training time cuts the divergence off: near N* the norm grows with t, far from it it does not",
    source="Jacot, Geiger et al., Fig. 7 B",
    statistic="growth of ||f|| over the last half decade of steps or more, in units of its value. Networks that have "
    "stopped cannot grow",
    whole=True,
)
def norm_is_cut_off_by_time(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    growth = norms.norm_growth
    return [
        criterion("growth at the first N above N*", growth, cells, above, above=GROWS),
        criterion("growth at the largest N", growth, cells, largest, below=CONSTANT, check=True),
    ]


@claim(
    "Early stopping removes the peak",
    source="Jacot, Geiger et al., Fig. 2 A (green)",
    statistic="where there is a peak, test error at N* minus that of early stopping; and half of the peak's height "
    "minus what is left of it",
    whole=True,
)
def early_stopping_removes_the_peak(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    gain = criterion("gain at N*", measures.early_stopping_gain, cells, above=0)
    return [gain, criterion("half the peak, minus what is left of it", measures.peak_lost, cells, above=0)]
