"""Test sets of tasks that are sampled without end: one per task."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from isobath.results import Inputs, Wildcards
from isobath.results.training_sets import OVERHEAD, START, VARIABLES, data_spec, lengths, oddities
from isobath.sizes import Counted, data_set
from isobath.study.run import StudyRun, ends, is_split, n_test

__all__ = ["OVERHEAD", "START", "VARIABLES", "lengths", "oddities"]
PATH = "data/{task}/test.zarr.zip"
STAGE = "data"


def needed(run: StudyRun, cells: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the test sets of the tasks of cells that are sampled without end."""
    tasks = dict.fromkeys(cell["task"] for cell in cells if "task" in cell)
    return ({"task": task} for task in tasks if not is_split(run.study, task))


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    return data_spec(run.study, run.config.seed, names["task"], n_test(run.study, names["task"]), None)


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    return {}


def cost(run: StudyRun, names: Wildcards) -> Counted:
    return data_set(ends(run.study, names["task"]), n_test(run.study, names["task"]))
