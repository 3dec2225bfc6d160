"""Measures and criteria of the claims of Malach & Shalev-Shwartz.

Every error is given by two rules, which are never mixed: the paper's, the smallest test error on the way and over
rates, and the clean one, chosen on one half of the test set and judged on the other. A claim has to hold by both.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis import selection
from isobath.analysis.cells import At, Cells
from isobath.analysis.combinations import slope
from isobath.analysis.estimates import Bounded, Estimate, Undetermined, exactly, proportion
from isobath.analysis.published import Published
from isobath.analysis.verdicts import Criterion, criterion
from isobath.claims.fractals.cells import fineness
from isobath.claims.fractals.thresholds import DRASTIC, EXACT, GOOD, GUESSING, HALF, NO_EFFECT, WHOLE

Pair = tuple[At, At]  # a fine cell and a coarse one


def by_rule(
    measure: Callable[..., Estimate],
    cells: Cells,
    rows: Iterable[tuple[Any, ...]],
    published: Published | None = None,
    **settings: Any,
) -> list[Criterion]:
    """Return a criterion for each row (label, *cells) and each rule: ``measure(cells, rule, *cells)``.

    A ``published`` number stands beside that by the paper's rule, as the paper has it by this one. ``settings`` holds
    bounds, and other arguments of the measure. Without rows there is one that says not run.
    """
    published_by = {selection.PAPERS: published}
    criteria = [
        criterion(f"{label}, {rule}", measure, cells, rule, *places, published=published_by.get(rule), **settings)
        for label, *places in rows
        for rule in selection.RULES
    ]
    return criteria or not_run(cells)


def not_run(cells: Cells) -> list[Criterion]:
    """Return the criterion of a grid without the cells that a claim needs."""
    return [Criterion(f"grid {cells.grid}", None)]


def error(cells: Cells, rule: str, coords: At, *, over: tuple[str, ...] = ()) -> Estimate:
    """Return the mean test error over networks that did not diverge; the rule chooses ``over`` these dims as well.

    Raises Undetermined where the best rate was not found among those that were offered.
    """
    return cells.error_at_best_rate(rule, over=over, **coords)


def gap(cells: Cells, rule: str, first: At, second: At, *, over: tuple[str, ...] = ()) -> Estimate:
    """Return the error of one cell minus that of the other."""
    return error(cells, rule, first, over=over) - error(cells, rule, second, over=over)


def slope_with_fineness(cells: Cells, rule: str, *places: At, over: tuple[str, ...]) -> Estimate:
    """Return the slope of the error of cells against the fineness of their tasks, by least squares."""
    x = np.array([fineness(cells, str(coords["task"])) for coords in places])
    return slope(x, (error(cells, rule, coords, over=over) for coords in places))


def gap_to_good(cells: Cells, rule: str, shallow: At, deep: At) -> Estimate:
    """Return the error of shallow networks minus one that is good: GOOD of the gain of deep ones over guessing."""
    return error(cells, rule, shallow) - (Estimate(GUESSING) * (1 - GOOD) + error(cells, rule, deep) * GOOD)


def least_error_of(cells: Cells, coords: At) -> Estimate:
    """Return the error of a cell by the clean rule: a proved bound holds at any rate and after any number of steps."""
    return replace(cells.quoted_error(selection.CLEAN, **coords), otherwise={}, alone={})


def error_beyond(cells: Cells, coords: At, bound: float) -> Estimate:
    """Return the error of a cell minus a bound that is proved."""
    return least_error_of(cells, coords) - Estimate(bound)


def loss_beyond_drastic(cells: Cells, rule: str, fine: At, coarse: At, *, over: tuple[str, ...]) -> Estimate:
    """Return the rise of the error on a finer curve, minus DRASTIC of the gain over guessing on the coarse one.

    The error on the coarse curve is in both, so that it enters once: e_fine - (1 - D) e_coarse - D / 2.
    """
    remainder = error(cells, rule, coarse, over=over) * (1 - DRASTIC)
    return error(cells, rule, fine, over=over) - remainder - Estimate(DRASTIC * HALF)


def interaction(cells: Cells, rule: str, first: Pair, second: Pair) -> Estimate:
    """Return the gap of one pair of cells minus that of the other."""
    return gap(cells, rule, *first) - gap(cells, rule, *second)


def within_others(cells: Cells, rule: str, compared: Pair, references: Sequence[Pair], *, side: int) -> Estimate:
    """Return NO_EFFECT of the smallest gap of the ``references``, minus (``side`` 1) or plus (-1) that of ``compared``.

    NO_EFFECT is below 1: a gap as large as the smallest of the references, which is an effect, never counts as none.
    """
    least = min((gap(cells, rule, *pair) for pair in references), key=lambda estimate: estimate.value)
    return least * NO_EFFECT - gap(cells, rule, *compared) * side


def gain_beyond_guessing(cells: Cells, rule: str, shallow: At, before: At, after: At) -> Estimate:
    """Return the gain of shallow networks over guessing, minus the gain by a step of depth."""
    return Estimate(GUESSING) - error(cells, rule, shallow) - gap(cells, rule, before, after)


def error_on(row: xr.Dataset, *classes: int) -> Bounded:
    """Return the error of a construction on the samples of ``classes``, of all if none is named."""
    selected = row.sel({"class": list(classes)}) if classes else row
    wrong = (selected.class_error * selected.class_count).round().sum()
    return proportion(int(wrong), int(selected.class_count.sum()))


def depth_of(row: xr.Dataset) -> int:
    """Return the depth of a construction, which counts its output layer."""
    return int(row.n_hidden_layers) + 1


def scored(cells: Cells, construction: str, criteria: Callable[[str, xr.Dataset], list[Criterion]]) -> list[Criterion]:
    """Return the criteria of every task that a construction was scored on, by its name and the numbers there."""
    rows = cells.by_task("constructions", construction=construction).items()
    return [part for task, row in rows for part in criteria(task, row)] or [Criterion(construction, None, check=True)]


def exact_and_small(task: str, row: xr.Dataset, excess: Mapping[str, Any]) -> list[Criterion]:
    """Return the checks of a network known in closed form: it makes no error and exceeds none of some sizes.

    ``excess`` says by how much it does: name -> number, claimed to be at most 0.
    """
    sizes = [Criterion(f"{task}: {name}", exactly(number), below=WHOLE, check=True) for name, number in excess.items()]
    return [criterion(f"{task}: error", error_on, row, below=EXACT, check=True), *sizes]


def where_training_suffices(
    cells: Cells, rule: str, coarse: str, measure: Callable[..., Estimate], *places: At, **arguments: Any
) -> Estimate:
    """Return a measure of places where networks learn the coarse curve of as many levels. Raises Undetermined."""
    if not coarse:
        raise Undetermined("no coarse curve of as many levels was run: that nothing is learned says nothing")
    control = error(cells, rule, {"task": coarse}, over=("depth", "width"))
    if not control.interval()[1] < GOOD * HALF:
        raise Undetermined(f"the networks are not known to learn the coarse curve: error {control.value:.3f}")
    return measure(cells, rule, *places, **arguments)
