"""Claims about Conjecture 1 of Malach & Shalev-Shwartz, over random curves on the line.

The conjecture says that no deep network learns a distribution on which every shallow one is near guessing. On these
curves shallow networks are not: their least errors go up to 0.3. What is judged is a graded form, which is ours: over
distributions from hard to easy to approximate, the least error of shallow networks orders the errors of deep ones, and
does so beyond the mere fineness of the curve.
"""

from dataclasses import replace

import numpy as np
import xarray as xr
from scipy.stats import rankdata

from isobath.analysis import selection
from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Bounded, Estimate, NotRun, Undetermined
from isobath.analysis.standard_errors import RESAMPLES
from isobath.analysis.sweeps import require_rate
from isobath.analysis.tallies import Tally
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.fractals.cells import curve_of, fineness, grid_of, widest
from isobath.claims.fractals.measures import not_run
from isobath.claims.fractals.thresholds import FEWEST_CURVES, LEAST_RATES, STRONG
from isobath.fractals.sign_changes import least_errors

KNOWN = 0.9  # of the resamples
ALIKE = 1e-9  # 1 - r^2 of ranks that differ by rounding alone


def shallow_error(cells: Cells, task: str, width: int) -> float:
    """Return the least error of one hidden layer of a width: of functions with width + 1 sign changes at most."""
    errors = least_errors(curve_of(cells, task))
    return float(errors[min(width + 1, len(errors) - 1)])


def quoted(cells: Cells, rule: str, task: str) -> Estimate:
    """Return the error of the deep networks on a task, by a rule."""
    return cells.quoted_error(rule, **widest(cells, task))


def require_rates(cells: Cells) -> None:
    """Refuse curves (Undetermined) of which fewer than LEAST_RATES have their best rate inside of those offered."""
    tasks, missed = cells.tasks("networks"), []
    for task in tasks:
        try:
            require_rate(cells.cell(**widest(cells, task)))
        except Undetermined as error:
            missed.append(str(error))
    if len(tasks) - len(missed) < LEAST_RATES * len(tasks):  # 0.9 * 40 is 36, and (1 - 0.9) * 40 less than 4
        raise Undetermined(f"on {len(missed)} of {len(tasks)} curves: {missed[0]}")


def rank_correlation(x: np.ndarray, y: np.ndarray, control: np.ndarray | None = None) -> Bounded:
    """Return Spearman's rank correlation of x and y (n,), with the 95 % interval of a bootstrap over pairs.

    It is the partial one, linear in the ranks of ``control`` (n,), if that is given. Resamples in which ranks are all
    alike, or x or y has those of the control, have no correlation and are left out. Raises Undetermined if they are
    more than a tenth.
    """
    columns = np.array([x, y, *([] if control is None else [control])])
    picks = np.random.default_rng(0).integers(0, len(x), (RESAMPLES, len(x)))
    resampled = columns[:, picks]
    with np.errstate(divide="ignore", invalid="ignore"):
        correlations = _correlation(*resampled)
    known = correlations[np.isfinite(correlations)]
    if len(known) < KNOWN * RESAMPLES:
        raise Undetermined(f"{RESAMPLES - len(known)} of {RESAMPLES} resamples of the curves have no correlation")
    low, high = np.quantile(known, [0.025, 0.975])
    return Bounded(float(_correlation(*columns)), low=float(low), high=float(high), count=len(x))


def _correlation(x: np.ndarray, y: np.ndarray, control: np.ndarray | None = None) -> np.ndarray:
    """Return the rank correlation of x and y (..., n), or the partial one, linear in ranks of ``control``, (...)."""
    xy = _of_ranks(x, y)
    if control is None:
        return xy
    xz, yz = _of_ranks(x, control), _of_ranks(y, control)
    rest_x, rest_y = (np.where(1 - r**2 > ALIKE, 1 - r**2, np.nan) for r in (xz, yz))
    partial: np.ndarray = (xy - xz * yz) / np.sqrt(rest_x * rest_y)
    return partial


def _of_ranks(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the correlation of the ranks of x and y (..., n), ties sharing theirs, (...)."""
    ranks = [rankdata(values, axis=-1) for values in (x, y)]
    x, y = (rank - rank.mean(-1, keepdims=True) for rank in ranks)
    correlation: np.ndarray = (x * y).sum(-1) / np.sqrt((x**2).sum(-1) * (y**2).sum(-1))
    return correlation


def approximation_and_learning(cells: Cells, rule: str, *, beyond_fineness: bool = False) -> Bounded:
    """Return the rank correlation, over tasks, of the least error of shallow networks and the accuracy of deep ones.

    It is the partial one, linear in ranks of the fineness 1 - P(j), if ``beyond_fineness`` is true. Where the ranks of
    the errors are no straight line in these it is not 0 for accuracies that the fineness alone decides.
    """
    tasks = cells.tasks("networks")
    if len(tasks) < FEWEST_CURVES:
        raise NotRun(f"{len(tasks)} distributions are too few for a correlation")
    require_rates(cells)
    x = [shallow_error(cells, task, int(widest(cells, task)["width"])) for task in tasks]
    control = np.array([fineness(cells, task) for task in tasks]) if beyond_fineness else None
    errors = [quoted(cells, rule, task) for task in tasks]

    def correlation(values: list[float]) -> Bounded:
        return rank_correlation(np.array(x), 1 - np.array(values), control)

    choices = {words for error in errors for words in error.otherwise}
    otherwise = {words: correlation([error.by(words) for error in errors]).value for words in sorted(choices)}
    tally = sum((error.tally for error in errors), Tally())
    return replace(correlation([error.value for error in errors]), tally=tally, otherwise=otherwise)


@claim(
    "The worse shallow networks can approximate a distribution, the worse deep ones learn it",
    source="a graded form of Conjecture 1 of Malach & Shalev-Shwartz, which speaks of curves that no shallow network "
    "approximates at all",
    statistic="Spearman's rank correlation, over random curves, of the least error of one hidden layer of the width of "
    "the deep networks (exact) and the accuracy of these after a fixed budget of steps; claimed to be below "
    f"{-STRONG:g}, and the partial one at equal fineness 1 - P(j) to be negative; intervals by a bootstrap over curves",
    own=True,
)
def deep_networks_learn_what_shallow_ones_approximate(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "conjecture")
    if not cells.has("networks"):
        return not_run(cells)
    measure = approximation_and_learning
    criteria = [criterion(rule, measure, cells, rule, below=-STRONG) for rule in selection.RULES]
    return criteria + [
        criterion(f"{rule}, at equal fineness", measure, cells, rule, beyond_fineness=True, below=0)
        for rule in selection.RULES
    ]
