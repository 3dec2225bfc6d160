"""Criteria of a claim of Mori & Ueda: one measure for each task, or for each task and depth."""

from collections.abc import Callable
from itertools import product
from typing import Any

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate
from isobath.analysis.verdicts import Criterion, criterion
from isobath.claims.locality.cells import Label, tasks_of
from isobath.claims.locality.thresholds import DEEP, SHALLOW

Measure = Callable[..., Estimate]


def by_task(measure: Measure, cells: Cells, labels: list[Label], *args: Any, **bounds: Any) -> list[Criterion]:
    """Return a criterion for each task with one of the labels: ``measure(cells, task, *args)`` within the bounds."""
    return [criterion(task, measure, cells, task, *args, **bounds) for task in tasks_of(cells, labels)]


def by_task_and_depth(measure: Measure, cells: Cells, labels: list[Label], **bounds: Any) -> list[Criterion]:
    """Return a criterion for each such task at each depth, shallow and deep: ``measure(cells, task, depth)``."""
    pairs = product(tasks_of(cells, labels), (SHALLOW, DEEP))
    return [criterion(f"{task}, L = {depth}", measure, cells, task, depth, **bounds) for task, depth in pairs]
