"""Claims of our own on the variance of a test error: how much of it networks of one data set show."""

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Bounded, Estimate, Undetermined
from isobath.analysis.tallies import Tally
from isobath.analysis.variance import ORIGINS, shares
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.locality.thresholds import HALF
from isobath.statuses import FINITE, UNTRAINED

START = ORIGINS.index("start")


def share_of_starts(cells: Cells, task: str, depth: int) -> Estimate:
    """Return the share of the starts in the variance of the error of one network, of all that did not diverge.

    Where data sets share a search, its part counts as theirs, which leaves the share of the starts as it is. A data set
    of which a network diverged is left out. Raises Undetermined for fewer than two data sets that have all of their
    networks, two searches or two networks of each.
    """
    networks = cells.cell(task=task, depth=depth)
    finite = networks.status.isin(FINITE)
    errors = networks.test_error.where(finite).transpose("draw", "protocol", "seed").values
    whole = errors[np.isfinite(errors).all((1, 2))]
    if min(whole.shape) < 2:
        counts = "{} data sets have every error of {} searches with {} networks".format(*whole.shape)
        raise Undetermined(f"{counts}; two of each are needed")
    found = shares(whole)
    value, low, high = (float(ends[START]) for ends in found)
    tally = Tally.of(int(finite.sum()), int((~networks.status.isin(UNTRAINED)).sum()))
    return Bounded(value, low=low, high=high, count=len(whole), tally=tally)


@claim(
    "Networks of one data set and one rate show less than half of the variance of a test error",
    statistic="share of the start in the variance of the error of one network, which its data set, the search for its "
    "rate and its start share, for each label and depth",
    own=True,
)
def starts_are_less_than_half_of_the_variance(tree: xr.DataTree) -> list[Criterion]:
    cells = Cells.of(tree, "variance", first=("width", "n_train"))
    return [
        criterion(f"{task}, L = {depth}", share_of_starts, cells, task, depth, below=HALF)
        for task in cells.tasks("networks")
        for depth in cells.values("depth", task=task)
    ]
