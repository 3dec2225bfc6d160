"""Claims on acceleration: deep linear networks on l_p regressions (Arora, Cohen & Hazan).

Every method is at the best of its own rates on each data set. On each data set the better of two and three layers on
the other data sets is taken.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.convergence import Arrival, Method, arrival, compared, methods
from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.analysis.grid_reader import grids_of
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.expressivity.thresholds import FASTER, GAPS, NOT_FASTER, OF_A_STEP

GRIDS = ("diabetes", "correlated", "table")
DEEP = (2, 3)  # layers
WORDS = "two or three layers"
DESCENT = "gradient descent, N = {}"
RIVALS = tuple(f"{kind}, N = 1" for kind in ("adagrad", "adadelta", "momentum", "adam"))


def every(tree: xr.DataTree, grid: str, power: int) -> tuple[xr.Dataset, dict[str, Method]]:
    """Return the networks of a grid, and their methods by label."""
    networks = Cells.of(tree, grid, first=("task", "n_train")).group("networks")
    networks = compared(networks, power="protocol_loss_p", optimum="newton")
    return networks, {method.label: method for method in methods(networks, power)}


def arrived(
    tree: xr.DataTree, grid: str, power: int, label: str, *, gap: float, lasting: bool, stride: int = 1
) -> Arrival:
    """Return the steps of a method to a gap, at every ``stride``-th rate. Raises NotRun where it was not run."""
    networks, by_label = every(tree, grid, power)
    if label not in by_label:
        raise NotRun(f"grid {grid} has no {label} with p = {power}")
    return arrival(networks, by_label[label], gap, lasting=lasting, stride=stride)


def deep_arrival(tree: xr.DataTree, grid: str, power: int, **rule: Any) -> Arrival:
    """Return the steps of two or three layers: on each data set, of those that are better on the other data sets.

    Raises Undetermined where a run did not arrive, so that its steps are not known, and where a rate was not found.
    """
    arrivals = [arrived(tree, grid, power, DESCENT.format(n), **rule) for n in DEEP]
    if any(steps.censored for steps in arrivals):
        raise Undetermined("runs of two or three layers did not arrive within the last step")
    for steps in arrivals:
        steps.require_rates()
    draws = sorted(set.intersection(*(set(steps.steps) for steps in arrivals)))
    if len(draws) < 2:
        raise Undetermined("one data set cannot choose between two and three layers for another")
    table = np.log([[steps.steps[d] for d in draws] for steps in arrivals])
    best_elsewhere = (table.sum(1, keepdims=True) - table).argmin(0).tolist()
    chosen = [arrivals[n].on({d}) for d, n in zip(draws, best_elsewhere, strict=True)]
    return Arrival(
        {d: steps for each in chosen for d, steps in each.steps.items()},
        {d: rate for each in chosen for d, rate in each.rates.items()},
        frozenset(),
        frozenset(),
        {d: ratio for each in chosen for d, ratio in each.at_the_edge.items()},
    )


def acceleration(tree: xr.DataTree, grid: str, power: int, label: str, *, at_least: bool, **rule: Any) -> Estimate:
    """Return ln of the steps of a method over those of two or three layers, by a rule of ``arrived``.

    Where the method did not arrive its steps are the fewest possible, so that the ratio is a lower bound. Unless
    ``at_least`` is true, that raises Undetermined. Data sets that one of both lacks are left out.
    """
    slow, deep = arrived(tree, grid, power, label, **rule), deep_arrival(tree, grid, power, **rule)
    common = slow.steps.keys() & deep.steps.keys()
    slow, deep = slow.on(common), deep.on(common)
    if slow.censored and not at_least:
        raise Undetermined(f"{label} did not arrive within the last step on {len(slow.censored)} data sets")
    return replace(slow.logarithm(label) - deep.logarithm(WORDS), at_least=bool(slow.censored))


def present(tree: xr.DataTree) -> list[str]:
    """List the grids that were run."""
    return [grid for grid in GRIDS if grid in grids_of(tree)]


STEPS = "ln(steps of {} over steps of the better of two and three layers), p = {}"
AT_GAP = f", until the gap is {GAPS[0]:g} for the first time"
OTHERWISE = f", until it is {GAPS[1]:g} for the first time, and until it stays below either"
RULES: dict[str, dict[str, Any]] = {
    f"{words}, gap {gap:g}": {"gap": gap, "lasting": lasting}
    for words, lasting in {"for the first time": False, "to stay": True}.items()
    for gap in GAPS
}
FIRST, *OTHER = RULES  # as the source counts, and the other ways, by all of which a claim has to hold


def by_rule(
    tree: xr.DataTree, power: int, labels: Sequence[str], rules: Sequence[str], *, at_least: bool, **bounds: Any
) -> list[Criterion]:
    """Return a criterion for each data set, method and rule; where no data set was run, one that says so."""
    places = [(grid, label, rule) for grid in present(tree) for label in labels for rule in rules]
    settings = {"at_least": at_least, "above": -math.inf, "below": math.inf} | bounds
    return [
        criterion(f"{grid}: {label}, {rule}", acceleration, tree, grid, power, label, **RULES[rule], **settings)
        for grid, label, rule in places
    ] or [Criterion(f"p = {power}", None)]


def quartic(tree: xr.DataTree, rules: Sequence[str]) -> list[Criterion]:
    """Return the criteria that depth accelerates l_4 regression, by some ways of counting steps."""
    return by_rule(tree, 4, [DESCENT.format(1)], rules, at_least=True, above=math.log(FASTER))


@claim(
    "Depth accelerates l_4 regression",
    source="the notes, implicit acceleration by overparametrization (Arora, Cohen & Hazan)",
    statistic=STEPS.format("one layer", 4) + f"{AT_GAP}, claimed to be above ln {FASTER:g}",
)
def depth_accelerates_quartic(tree: xr.DataTree) -> list[Criterion]:
    return quartic(tree, [FIRST])


@claim(
    "Depth accelerates l_4 regression by other ways of counting steps as well",
    own=True,
    statistic=STEPS.format("one layer", 4) + f"{OTHERWISE}, claimed to be above ln {FASTER:g}",
)
def quartic_acceleration_by_other_counts(tree: xr.DataTree) -> list[Criterion]:
    return quartic(tree, OTHER)


def squares(tree: xr.DataTree, rules: Sequence[str]) -> list[Criterion]:
    """Return the criteria that depth does not accelerate l_2 regression, by some ways of counting steps."""
    return by_rule(tree, 2, [DESCENT.format(1)], rules, at_least=False, below=math.log(NOT_FASTER))


@claim(
    "Depth does not accelerate l_2 regression",
    source="not in the notes; Arora, Cohen & Hazan, the work that they review",
    statistic=STEPS.format("one layer", 2) + f"{AT_GAP}, claimed to be below ln {NOT_FASTER:g}",
)
def no_acceleration_for_squares(tree: xr.DataTree) -> list[Criterion]:
    return squares(tree, [FIRST])


@claim(
    "Depth does not accelerate l_2 regression by other ways of counting steps either",
    own=True,
    statistic=STEPS.format("one layer", 2) + f"{OTHERWISE}, claimed to be below ln {NOT_FASTER:g}",
)
def no_acceleration_for_squares_by_other_counts(tree: xr.DataTree) -> list[Criterion]:
    return squares(tree, OTHER)


def against_rivals(tree: xr.DataTree, rules: Sequence[str]) -> list[Criterion]:
    """Return the criteria that depth is faster than other methods on one layer, by some ways of counting steps."""
    return by_rule(tree, 4, RIVALS, rules, at_least=True, above=0.0)


@claim(
    "Depth accelerates l_4 regression by more than commonly used techniques do",
    source="the notes, implicit acceleration by overparametrization",
    statistic=STEPS.format("AdaGrad, AdaDelta, momentum and Adam on one layer", 4)
    + f"{AT_GAP}, claimed to be positive",
)
def faster_than_adaptive_methods(tree: xr.DataTree) -> list[Criterion]:
    return against_rivals(tree, [FIRST])


@claim(
    "Depth is faster than commonly used techniques by other ways of counting steps as well",
    own=True,
    statistic=STEPS.format("AdaGrad, AdaDelta, momentum and Adam on one layer", 4)
    + f"{OTHERWISE}, claimed to be positive",
)
def faster_than_adaptive_methods_by_other_counts(tree: xr.DataTree) -> list[Criterion]:
    return against_rivals(tree, OTHER)


def change_by_stride(tree: xr.DataTree, grid: str, power: int, gap: float) -> Estimate:
    """Return the change of ln of an acceleration when every second rate is looked at in place of each."""
    coarse, fine = (
        acceleration(tree, grid, power, DESCENT.format(1), at_least=False, gap=gap, lasting=True, stride=stride)
        for stride in (2, 1)
    )
    return replace(coarse - fine, otherwise={})  # what a finer list could change is the question here


@claim(
    "Twice as coarse a list of rates shows the same acceleration by depth",
    own=True,
    statistic="ln(steps of one layer over steps of the better of two and three layers), to stay: with every second "
    f"rate minus with all, claimed to lie within {OF_A_STEP:.2g} of 0, half of the step between rates",
)
def rates_are_dense_enough(tree: xr.DataTree) -> list[Criterion]:
    places = [(grid, power, gap) for grid in present(tree) for power in (2, 4) for gap in GAPS]
    rows = [(f"{grid}: p = {power}, gap {gap:g}", grid, power, gap) for grid, power, gap in places]
    criteria = [
        criterion(label, change_by_stride, tree, *arguments, above=-OF_A_STEP, below=OF_A_STEP)
        for label, *arguments in rows
    ]
    return criteria or [Criterion("any regression", None)]
