"""Claims about Conjecture 1 of Malach & Shalev-Shwartz, over random curves on the line.

The conjecture says that no deep network learns a distribution that no shallow one approximates. Over distributions from
hard to easy to approximate, the least error of shallow networks then orders the errors of deep ones.
"""

import numpy as np
import xarray as xr
from scipy.stats import spearmanr

from isobath.analysis import selection
from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Bounded, NotRun
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.calculations.least_errors import least_errors
from isobath.claims.fractals.cells import curve_of, grid_of, widest
from isobath.claims.fractals.measures import not_run
from isobath.claims.fractals.thresholds import STRONG

RESAMPLES = 2000
FEWEST = 10  # distributions that a correlation needs


def shallow_error(cells: Cells, task: str, width: int) -> float:
    """Return the least error of one hidden layer of a width: of functions with width + 1 sign changes at most."""
    errors = least_errors(curve_of(cells, task))
    return float(errors[min(width + 1, len(errors) - 1)])


def accuracy(cells: Cells, rule: str, task: str) -> float:
    """Return the accuracy of the deep networks on a task, by a rule."""
    return 1 - cells.quoted_error(rule, **widest(cells, task)).value


def rank_correlation(x: np.ndarray, y: np.ndarray) -> Bounded:
    """Return Spearman's rank correlation of x and y (n,), with the 95 % interval of a bootstrap over pairs."""
    rng = np.random.default_rng(0)
    picks = rng.integers(0, len(x), (RESAMPLES, len(x)))
    resampled = [spearmanr(x[pick], y[pick]).statistic for pick in picks if np.ptp(x[pick]) and np.ptp(y[pick])]
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Bounded(float(spearmanr(x, y).statistic), low=float(low), high=float(high), count=len(x))


def approximation_and_learning(cells: Cells, rule: str) -> Bounded:
    """Return the rank correlation, over tasks, of the least error of shallow networks and the accuracy of deep ones."""
    tasks = cells.tasks("networks")
    if len(tasks) < FEWEST:
        raise NotRun(f"{len(tasks)} distributions are too few for a correlation")
    x = [shallow_error(cells, task, int(widest(cells, task)["width"])) for task in tasks]
    return rank_correlation(np.array(x), np.array([accuracy(cells, rule, task) for task in tasks]))


@claim(
    "The worse shallow networks can approximate a distribution, the worse deep ones learn it",
    source="Malach & Shalev-Shwartz, Conjecture 1",
    statistic="Spearman's rank correlation, over random curves, of the least error of one hidden layer of the width of "
    "the deep networks (exact) and the accuracy of these after a fixed budget of steps; claimed to be below "
    f"{-STRONG:g}; interval by a bootstrap over curves",
)
def deep_networks_learn_what_shallow_ones_approximate(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "conjecture")
    if "networks" not in cells.groups:
        return not_run(cells)
    return [criterion(rule, approximation_and_learning, cells, rule, below=-STRONG) for rule in selection.RULES]
