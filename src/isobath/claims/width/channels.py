"""Claims about convolutional networks on CIFAR-10: section 8 and Fig. 8."""

import xarray as xr

from isobath.analysis.printed import as_printed
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.width import ensemble_measures, measures
from isobath.claims.width.measures import at
from isobath.claims.width.published import (
    CHANNELS,
    CHANNELS_AT_THRESHOLD,
    ENSEMBLE_ERROR,
    ERROR,
    published_of_channels,
)
from isobath.claims.width.thresholds import HALF, SHARP, TOLERANCE
from isobath.claims.width.widths import grid_of, largest, smallest


@claim(
    "Convolutional networks on CIFAR-10 repeat it: they jam, averaging gains more near the transition than at the most "
    "channels, and just beyond it beats the best single networks",
    source="Jacot, Geiger et al., Fig. 8 and section 8",
    statistic="factor in N from 10 % to 90 % of networks that fit; error of single networks minus that of the ensemble "
    "of all, near N* and at the end; error of the best single networks minus the ensemble's at 3 N*",
    whole=True,
)
def convolutional_networks_repeat_it(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "channels")
    fraction = measures.fitted_fraction
    return [
        criterion("fraction that fits, fewest channels", fraction, cells, smallest, below=HALF, check=True),
        criterion("fraction that fits, most channels", fraction, cells, largest, above=HALF, check=True),
        criterion("range of the transition, a factor in N", measures.transition_range, cells, below=SHARP),
        criterion("gain of the ensemble near N*", ensemble_measures.averaging_gain, cells, at(1), above=0),
        criterion("that gain minus the one at most channels", ensemble_measures.averaging_gain_lost, cells, above=0),
        criterion("best single networks minus the ensemble at 3 N*", ensemble_measures.best_single, cells, above=0),
    ]


@claim(
    "Convolutional networks have the threshold and the errors that the source prints",
    source="Jacot, Geiger et al., section 8 and Fig. 8",
    statistic=f"channels at N*, and errors of single networks and of the ensemble of all, at {CHANNELS} channels, "
    f"within {100 * TOLERANCE:.0f} % of the printed ones, with twenty networks of each on the whole of CIFAR-10",
)
def convolutional_networks_are_as_published(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "channels")
    at_threshold, single, together = (
        published_of_channels(cells, value) for value in (CHANNELS_AT_THRESHOLD, ERROR, ENSEMBLE_ERROR)
    )
    criteria = [as_printed("channels at N*", at_threshold, measures.width_at_threshold, cells)]
    for width in CHANNELS:
        words = f"{width} channels"
        criteria += [
            as_printed(f"error of single networks, {words}", single, measures.error, cells, width),
            as_printed(f"error of the ensemble, {words}", together, ensemble_measures.error_together, cells, width),
        ]
    return criteria
