"""Claims about gradient descent: section 4 of Malach & Shalev-Shwartz, and where its assumptions end."""

import math
from typing import Any

import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, NotRun, proportion
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.fractals.cells import grid_of
from isobath.claims.fractals.thresholds import ALIKE, HALF, TINY

GRADIENTS = "calculations/initial_gradients"
PRINTED, OTHER = "uniform, b = 0.5", "uniform, b = 0.25"  # starts of Theorem 5 and its footnote


def gradients_of(cells: Cells, start: str, name: str = GRADIENTS) -> xr.Dataset:
    """Return the gradients and errors of networks with a start."""
    table = cells.group(name)
    if start not in table.start:
        raise NotRun(f"gradients of {start} were not calculated")
    return table.sel(start=start)


def share_within_bounds(cells: Cells, start: str, *, small: bool = False) -> Estimate:
    """Return the share of networks that keep the bounds of Theorem 5; ``small``: of those with |f| < 1."""
    networks = gradients_of(cells, start)
    within = (networks.gradient_norm <= networks.gradient_bound) & (networks.error >= networks.error_bound)
    counted = networks.largest_output.max("growth") < 1 if small else xr.ones_like(within.all("growth"))
    return proportion(int((within.all("growth") & counted).sum()), int(counted.sum()))


def gradient_norm(cells: Cells, start: str) -> Estimate:
    """Return the norm of the gradient on the coarsest distribution."""
    return Estimate.over(gradients_of(cells, start).gradient_norm.sortby("growth").isel(growth=0))


def share_stuck(cells: Cells, start: str, table: str) -> Estimate:
    """Return the share of networks of a table with no gradient on the fine distribution, and the error of guessing."""
    networks = gradients_of(cells, start, table)
    stuck = (networks.fine_gradient_norm == 0) & (networks.fine_error == HALF)
    return proportion(int(stuck.sum()), stuck.size)


def probability(cells: Cells, table: str = GRADIENTS) -> float:
    """Return 1 - delta, the probability that Theorem 5 speaks of; NaN where gradients were not calculated."""
    return 1 - float(cells.group(table).delta) if cells.has(table) else math.nan


def usual_starts(cells: Cells) -> list[str]:
    """List the starts that are not of the paper; where there is none, a name for the criterion that was not run."""
    if not cells.has(GRADIENTS):
        return ["usual starts"]
    return [str(start) for start in cells.group(GRADIENTS).start.values if start not in (PRINTED, OTHER)]


@claim(
    "At the start the population gradient is at most 5 (P(n') - 1/2), with probability 1 - delta",
    source="Malach & Shalev-Shwartz, Theorem 5 and its footnote",
    statistic="share of networks that keep the bounds on gradient and error, for fine to coarse distributions",
)
def theorem_5(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")
    measure, above = share_within_bounds, probability(cells)
    return [criterion(start, measure, cells, start, above=above, check=True) for start in (PRINTED, OTHER)]


@claim(
    "The start that Theorem 5 prints is degenerate: its gradient vanishes on coarse distributions as well",
    source="not in the paper",
    statistic="norm of the gradient on the coarsest distribution, at b = 1/2 and b = 1/4",
    own=True,
)
def printed_start_is_degenerate(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")
    vanishes = criterion(PRINTED, gradient_norm, cells, PRINTED, below=TINY, check=True)
    return [vanishes, criterion(OTHER, gradient_norm, cells, OTHER, above=TINY, check=True)]


@claim(
    "The gradient of the usual starts vanishes likewise",
    source="not in the paper, which says it of starts with |w| <= 1 / (2 n_in)",
    statistic="share of networks that keep the bounds of Theorem 5",
    own=True,
)
def usual_starts_vanish_as_well(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")
    bounds: dict[str, Any] = {"above": probability(cells)}
    return [criterion(start, share_within_bounds, cells, start, **bounds) for start in usual_starts(cells)]


@claim(
    "The gradient of the usual starts vanishes likewise where |f| < 1: otherwise one class is not felt",
    source="not in the paper",
    statistic="share of the networks with |f| < 1 on [0, 1] that keep the bounds of Theorem 5, as a check: they are "
    "loose there",
    own=True,
)
def gradients_vanish_where_outputs_are_small(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")
    settings: dict[str, Any] = {"small": True, "above": probability(cells), "check": True}
    return [criterion(start, share_within_bounds, cells, start, **settings) for start in usual_starts(cells)]


def imbalance(cells: Cells, start: str) -> Estimate:
    """Return by how much one class exceeds the other in linear regions at the start, on the fine distribution."""
    return Estimate.over(gradients_of(cells, start).fine_imbalance)


def imbalance_of_coarse(cells: Cells, start: str) -> Estimate:
    """Return the same on the coarsest distribution minus that on the fine one, of the same networks."""
    networks = gradients_of(cells, start)
    return Estimate.over(networks.imbalance.sortby("growth").isel(growth=0) - networks.fine_imbalance)


@claim(
    "When a deep network is initialised, its linear regions hold as many negatives as positives of a fine distribution",
    source="Malach & Shalev-Shwartz, section 4, after Conjecture 1",
    statistic="share of samples by which one class exceeds the other, summed over linear regions of a network, mean "
    f"over networks, below {ALIKE:g}; that on the coarsest distribution minus it, where a start makes several regions",
)
def regions_hold_both_classes_alike(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")
    usual = usual_starts(cells)
    alike = [criterion(f"{s}: fine", imbalance, cells, s, below=ALIKE, check=True) for s in (PRINTED, OTHER, *usual)]
    more = [criterion(f"{s}: coarse", imbalance_of_coarse, cells, s, above=0, check=True) for s in (OTHER, *usual)]
    return alike + more
