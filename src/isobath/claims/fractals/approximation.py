"""Claims about networks that are nearly right: Theorems 3 and 4 of Malach & Shalev-Shwartz, and the remark after them.

All of them are checks, as in ``theorems``.
"""

import math
from collections.abc import Iterator

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Bounded, Estimate, NotRun, exactly
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.fractals.cells import cells_of, curve_of, grid_of
from isobath.claims.fractals.foldings import Folding, foldings, of_each
from isobath.claims.fractals.measures import error_beyond, error_on, not_run
from isobath.claims.fractals.theorems import label_of
from isobath.claims.fractals.thresholds import SAMPLING, TINY, WHOLE
from isobath.fractals.approximation_curves import level_weights, probabilities
from isobath.fractals.bounds import unavoidable_error

MAPS = 2  # of the Cantor set on the line


def beyond_curve(cells: Cells, folding: Folding) -> Bounded:
    """Return the error of a folding of j levels minus 1 - P(j)."""
    bound, error = 1 - curve_of(cells, folding.task)[folding.known], error_on(folding.row)
    return Bounded(error.value - bound, low=error.low - bound, high=error.high - bound, count=error.count)


@claim(
    "A network of depth 2 floor(j / s) + 2 and width 5 d r^s that knows j levels has an error of at most 1 - P(j)",
    source="Malach & Shalev-Shwartz, Theorem 3",
    statistic=f"error of the network by closed form minus 1 - P(j), below {SAMPLING:g}, for several (j, s) of which s "
    "divides j; its width and depth beyond the theorem's",
)
def theorem_3(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")

    def criteria(folding: Folding) -> list[Criterion]:
        label = folding.label
        gap = criterion(f"{label}: error", beyond_curve, cells, folding, below=SAMPLING, check=True)
        sizes = folding.excess().items()
        return [gap, *(Criterion(f"{label}: {name}", exactly(size), below=WHOLE, check=True) for name, size in sizes)]

    return of_each("foldings", [f for f in foldings(cells) if f.known < f.levels and f.divides], criteria)


def least_beyond_bound(cells: Cells) -> Estimate:
    """Return the least error of functions of few sign changes minus the bound of Theorem 4, smallest of all."""
    errors = cells.group("calculations/least_errors")
    return exactly((errors.least_error - errors.error_bound).min())


def errors_beyond_bound(cells: Cells) -> Iterator[Criterion]:
    """Yield the error of every cell that Theorem 4 bounds, minus its bound."""
    for coords in (coords for task in cells.tasks("networks") for coords in cells_of(cells, task)):
        bound = unavoidable_error(
            curve_of(cells, coords["task"]), depth=coords["depth"], width=coords["width"], maps=MAPS
        )
        if bound:
            yield criterion(label_of(coords), error_beyond, cells, coords, bound, above=0, check=True)


@claim(
    "On the line a network of depth t and width k < r^s has an error of at least (1 - r^(s t - j)) (1 - P(j))",
    source="Malach & Shalev-Shwartz, Theorem 4",
    statistic="least error of functions with as many sign changes, and of trained networks, minus the bound",
)
def theorem_4(tree: xr.DataTree) -> list[Criterion]:
    line, theory = grid_of(tree, "line"), grid_of(tree, "theory")
    least = criterion("functions with few sign changes", least_beyond_bound, theory, above=-TINY, check=True)
    return [least, *(list(errors_beyond_bound(line)) or not_run(line))]


def least_beyond_guessing(cells: Cells) -> Estimate:
    """Return the least error of r^(s t) sign changes minus 1/2 - epsilon, smallest over curves flat up to level j.

    There j = s t + log_r(1 / (2 epsilon)) < n, so that epsilon is r^(s t - j) / 2.
    """
    errors = cells.group("calculations/least_errors")
    beyond = []
    for curve in errors.curve.values:
        level_probabilities = probabilities(level_weights(int(curve), int(errors.levels)))
        flat = int(np.flatnonzero(np.isclose(level_probabilities, 0.5)).max())
        for regions, least in zip(errors.regions.values, errors.least_error.sel(curve=curve).values, strict=True):
            log = round(math.log(regions, MAPS))
            levels = range(log + 1, min(flat, int(errors.levels) - 1) + 1)
            beyond += [float(least) - (0.5 - MAPS ** (log - j) / 2) for j in levels]
    if not beyond:
        raise NotRun("no curve is flat")
    return exactly(min(beyond))


@claim(
    "Where the curve stays flat for j = s t + log_r(1 / (2 epsilon)) levels, shallow networks err by 1/2 - epsilon or "
    "more",
    source="Malach & Shalev-Shwartz, section 3.2, after Theorem 4",
    statistic="least error of functions with r^(s t) sign changes minus 1/2 - epsilon, by exact calculation",
)
def shallow_networks_guess_on_flat_curves(tree: xr.DataTree) -> list[Criterion]:
    theory = grid_of(tree, "theory")
    return [criterion("flat curves on the line", least_beyond_guessing, theory, above=-TINY, check=True)]
