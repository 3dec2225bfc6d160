"""Claims of a study of one's own: the file is named as the study."""

import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.statuses import FINITE

CHANCE = 0.5  # the error of guessing


@claim("Networks learn", source="not in any paper", statistic="test error, fitted or not", own=True)
def networks_learn(tree: xr.DataTree) -> list[Criterion]:
    """Judge the error of every width against that of guessing."""
    cells = Cells.of(tree, "widths", task="parity", protocol="sgd", depth=1)
    widths, n_train = cells.values("width"), max(cells.values("n_train"))
    return [
        criterion(f"width {width}", cells.error, FINITE, width=width, n_train=n_train, below=CHANCE) for width in widths
    ]
