"""Test sets of finite data sets: the rest that a training set leaves, one per training set."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from isobath.results import Inputs, Wildcards, training_sets
from isobath.results.training_sets import VARIABLES, oddities
from isobath.sizes import Counted, data_set
from isobath.study.run import StudyRun, data_files, ends, is_split, n_test

__all__ = ["VARIABLES", "oddities"]
PATH = "data/{task}/n{n_train}_draw{draw}_test.zarr.zip"
STAGE = "data"
START = 0.4
OVERHEAD = 0.12


def needed(run: StudyRun, cells: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the test sets that training sets of finite data sets leave."""
    return (names for names in training_sets.needed(run, cells) if is_split(run.study, names["task"]))


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    return {**training_sets.spec(run, names), "part": "test"}


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    return {"files": data_files(run, names["task"])}


def cost(run: StudyRun, names: Wildcards) -> Counted:
    task, n_train = names["task"], int(names["n_train"])
    return data_set(ends(run.study, task), n_test(run.study, task), beside=n_train)
