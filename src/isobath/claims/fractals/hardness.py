"""Claims about gradient descent: section 4 of Malach & Shalev-Shwartz, and where its assumptions end."""

import math
from typing import Any

import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, NotRun, exactly, proportion
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.calculations.least_errors import least_errors
from isobath.claims.fractals.cells import curve_of, grid_of
from isobath.claims.fractals.measures import depth_of, exact_and_small, scored
from isobath.claims.fractals.thresholds import TINY
from isobath.fractals.bounds import separation_bounds

GRADIENTS = "calculations/initial_gradients"
PRINTED, OTHER = "uniform, b = 0.5", "uniform, b = 0.25"  # starts of Theorem 5 and its footnote


def gradients_of(cells: Cells, start: str) -> xr.Dataset:
    """Return the gradients and errors of networks with a start."""
    table = cells.group(GRADIENTS)
    if start not in table.start:
        raise NotRun(f"gradients of {start} were not calculated")
    return table.sel(start=start)


def share_within_bounds(cells: Cells, start: str, *, small: bool = False) -> Estimate:
    """Return the share of networks that keep the bounds of Theorem 5; ``small``: of those with |f| < 1."""
    networks = gradients_of(cells, start)
    kept = (networks.gradient_norm <= networks.gradient_bound) & (networks.error >= networks.error_bound)
    counted = networks.largest_output.max("growth") < 1 if small else xr.ones_like(kept.all("growth"))
    return proportion(int((kept.all("growth") & counted).sum()), int(counted.sum()))


def gradient_norm(cells: Cells, start: str) -> Estimate:
    """Return the norm of the gradient on the coarsest distribution."""
    return Estimate.over(gradients_of(cells, start).gradient_norm.isel(growth=0))


def share_stuck(cells: Cells, start: str) -> Estimate:
    """Return the share of networks with no gradient on the fine distribution, and the error of guessing."""
    networks = gradients_of(cells, start)
    stuck = (networks.fine_gradient_norm == 0) & (networks.fine_error == 0.5)
    return proportion(int(stuck.sum()), stuck.size)


def probability(cells: Cells) -> float:
    """Return 1 - delta, the probability that Theorem 5 speaks of; NaN where gradients were not calculated."""
    return 1 - float(cells.groups[GRADIENTS].delta) if GRADIENTS in cells.groups else math.nan


def usual_starts(cells: Cells) -> list[str]:
    """List the starts that are not of the paper; where there is none, a name for the criterion that was not run."""
    if GRADIENTS not in cells.groups:
        return ["usual starts"]
    return [str(start) for start in cells.groups[GRADIENTS].start.values if start not in (PRINTED, OTHER)]


@claim(
    "At the start the population gradient is at most 5 (P(n') - 1/2), with probability 1 - delta",
    source="Malach & Shalev-Shwartz, Theorem 5 and its footnote",
    statistic="share of networks that keep the bounds on gradient and error, for fine to coarse distributions",
)
def theorem_5(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")
    measure, above = share_within_bounds, probability(cells)
    return [criterion(start, measure, cells, start, above=above) for start in (PRINTED, OTHER)]


@claim(
    "The start that Theorem 5 prints is degenerate: its gradient vanishes on coarse distributions as well",
    source="not in the paper",
    statistic="norm of the gradient on the coarsest distribution, at b = 1/2 and b = 1/4",
)
def printed_start_is_degenerate(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")
    vanishes = criterion(PRINTED, gradient_norm, cells, PRINTED, below=TINY)
    return [vanishes, criterion(OTHER, gradient_norm, cells, OTHER, above=TINY)]


@claim(
    "The gradient of the usual starts vanishes likewise",
    source="not in the paper, which says it of starts with |w| <= 1 / (2 n_in)",
    statistic="share of networks that keep the bounds of Theorem 5",
)
def usual_starts_vanish_as_well(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")
    how: dict[str, Any] = {"above": probability(cells)}
    return [criterion(start, share_within_bounds, cells, start, **how) for start in usual_starts(cells)]


@claim(
    "The gradient of the usual starts vanishes likewise where |f| < 1: otherwise one class is not felt",
    source="not in the paper",
    statistic="share of the networks with |f| < 1 on [0, 1] that keep the bounds of Theorem 5",
)
def gradients_vanish_where_outputs_are_small(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")
    how: dict[str, Any] = {"small": True, "above": probability(cells)}
    return [criterion(start, share_within_bounds, cells, start, **how) for start in usual_starts(cells)]


def small_exact(cells: Cells, task: str, row: xr.Dataset) -> list[Criterion]:
    """Return the criteria of a construction that is exact, of width 10 at most and of a depth t <= n."""
    depth = depth_of(row) - int(cells.settings(task)["levels"])
    return exact_and_small(task, row, {"width beyond 10": row.largest_width - 10, "depth beyond n": depth})


@claim(
    "There are distributions that a network of depth t and width 10 knows, no network of one hidden layer and fewer "
    "than 2^(t - 1) units does, and no gradient leads to",
    source="Malach & Shalev-Shwartz, Corollary 2 and the fine distribution before it",
    statistic="on the line: error, width and depth of the network that folds by three; least error of functions of "
    "2^(t - 1) sign changes; share of networks with no gradient and an error of 1/2 on the fine distribution",
)
def corollary_2(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")

    def criteria(task: str, row: xr.Dataset) -> list[Criterion]:
        least = least_errors(curve_of(cells, task))  # by sign changes; the last is 0
        error = least[min(2 ** (depth_of(row) - 1), len(least) - 1)]
        shallow = Criterion(f"{task}: least error of one hidden layer", exactly(error), above=TINY)
        return [*small_exact(cells, task, row), shallow]

    above = probability(cells)
    stuck = [criterion(f"stuck, {start}", share_stuck, cells, start, above=above) for start in (PRINTED, OTHER)]
    return scored(cells, "certificate_by_three", criteria) + stuck


@claim(
    "Corollary 3 says nothing of Cantor sets: what it supposes leaves its bounds void",
    source="not in the paper, whose Corollary 3 this is about",
    statistic="error, width and depth of a network that knows the set; the bounds on gradient, which is never above "
    "1 there, and on error, at the least epsilon that this network leaves",
)
def corollary_3_is_void(tree: xr.DataTree) -> list[Criterion]:
    """Judge the premise, errors of 1/2 - epsilon^(n - t') or more at width 10 and any depth t' < n.

    A network of width 10 and depth t < n that makes no error leaves epsilon >= 2^(-1 / (n - t)). Here t is about n / 3,
    and so epsilon^(n / 2) tends to 2^(-3/4) from below as n grows. With weights of at most 1 / (2 n_in) and biases
    of at most 1/2 no activation on [0, 1] and no derivative is above 1.
    """
    cells = grid_of(tree, "theory")

    def criteria(task: str, row: xr.Dataset) -> list[Criterion]:
        n, t = int(cells.settings(task)["levels"]), depth_of(row)
        if t >= n:
            return [*small_exact(cells, task, row), Criterion(f"{task}: bounds", None)]
        gradient, error = map(exactly, separation_bounds(0.5 ** (1 / (n - t)), n))
        void = Criterion(f"{task}: bound on the gradient", gradient, above=1)
        return [*small_exact(cells, task, row), void, Criterion(f"{task}: bound on the error", error, below=0)]

    return scored(cells, "certificate_by_three", criteria)
