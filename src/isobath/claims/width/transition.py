"""Claims about the jamming transition: sections 2, 6 and 8."""

import xarray as xr

from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.width import measures
from isobath.claims.width.measures import at
from isobath.claims.width.thresholds import BEYOND, CONSTANT, FLAT, GROWS, HALF, ZERO_ERROR
from isobath.claims.width.widths import grid_of, largest, smallest


@claim(
    "The test error has a cusp-like local maximum near the jamming transition",
    source="Jacot, Geiger et al., Fig. 2 A",
    statistic="largest mean test error within a factor 2 of N*, minus that at the smallest and at the largest width",
    whole=True,
)
def cusp_at_jamming(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    others = {"smallest": smallest, "largest": largest}
    height = measures.peak_height
    return [criterion(f"N* against the {name} N", height, cells, other, above=0) for name, other in others.items()]


@claim(
    "The training error reaches zero at N*",
    source="Jacot, Geiger et al., Fig. 2 B",
    statistic="fraction of networks without a margin below one, well below and well beyond N*",
    whole=True,
)
def train_error_vanishes(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    fraction = measures.fitted_fraction
    return [
        criterion("fraction that fits at the smallest N", fraction, cells, smallest, below=HALF),
        criterion("fraction that fits at 2 N*", fraction, cells, at(BEYOND), above=HALF),
        criterion("training error at 2 N*", measures.train_error, cells, at(BEYOND), below=ZERO_ERROR),
    ]


@claim(
    "Beyond N* the test error decreases with the number of parameters",
    source="Jacot, Geiger et al., Fig. 2 A and abstract",
    statistic="mean test error at 2 N* minus that at the largest N",
)
def error_decreases_beyond(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [criterion("2 N* against the largest N", measures.fall_beyond, cells, above=0)]


@claim(
    "The error of the ensemble is nearly flat beyond N*: what large networks gain is what averaging gains",
    source="Jacot, Geiger et al., Fig. 2 A (orange)",
    statistic=f"{FLAT:g} of the fall of the single networks' error from 2 N* on, minus the fall of the ensemble's",
)
def ensemble_is_flat(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [criterion("from 2 N* to the largest N", measures.flatness, cells, above=0)]


@claim(
    "The norm of the output diverges at N* as 1 / (N - N*)",
    source="Jacot, Geiger et al., Fig. 7 and section 6",
    statistic="free exponent of ||f|| = c (N - N*)^a after the longest training, N* fitted",
)
def norm_diverges(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    return [measures.predicted("exponent of ||f||", measures.norm_exponent, -1.0, cells)]


@claim(
    "A finite training time cuts the divergence off: near N* the norm grows with t, far from it it does not",
    source="Jacot, Geiger et al., Fig. 7 B",
    statistic="growth of ||f|| over the last half decade of steps or more, in units of its value",
    whole=True,
)
def norm_is_cut_off_by_time(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    growth = measures.norm_growth
    return [
        criterion("growth at N*", growth, cells, at(1), above=GROWS),
        criterion("growth at the largest N", growth, cells, largest, below=CONSTANT),
    ]


@claim(
    "Early stopping removes the peak",
    source="Jacot, Geiger et al., Fig. 2 A (green)",
    statistic="test error at N* minus that of early stopping; and half of the peak's height minus what is left of it",
    whole=True,
)
def early_stopping_removes_the_peak(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "widths")
    gain = criterion("gain at N*", measures.early_stopping_gain, cells, above=0)
    return [gain, criterion("half the peak, minus what is left of it", measures.peak_lost, cells, above=0)]


@claim(
    "Convolutional networks on CIFAR-10 repeat it: they jam, averaging gains, and most just beyond the transition",
    source="Jacot, Geiger et al., Fig. 8 and section 8",
    statistic="fractions that fit; error of single networks minus the ensemble's, near N* and at the end",
    whole=True,
)
def convolutional_networks_repeat_it(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "channels")
    fraction = measures.fitted_fraction
    return [
        criterion("fraction that fits, fewest channels", fraction, cells, smallest, below=HALF),
        criterion("fraction that fits, most channels", fraction, cells, largest, above=HALF),
        criterion("gain of the ensemble near N*", measures.averaging_gain, cells, at(1), above=0),
        criterion("that gain minus the one at most channels", measures.averaging_gain_lost, cells, above=0),
    ]
