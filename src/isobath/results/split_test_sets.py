"""Test sets of finite data sets: the rest that a training set leaves, one per training set."""

from collections.abc import Iterator
from typing import Any

from isobath.results import Inputs, Names, training_sets
from isobath.results.training_sets import VARIABLES, oddities
from isobath.sizes import Counted, data_set
from isobath.study.run import StudyRun, data_files, ends, is_split, n_test

__all__ = ["VARIABLES", "oddities"]
PATH = "data/{task}/n{n_train}_draw{draw}_test.zarr.zip"
STAGE = "data"
START = 0.4
OVERHEAD = 0.2


def names(run: StudyRun) -> Iterator[dict[str, Any]]:
    return (cell._asdict() for cell in training_sets.needed(run) if is_split(run.study, cell.task))


def spec(run: StudyRun, names: Names) -> dict[str, Any]:
    return {**training_sets.spec(run, names), "n_test": n_test(run.study, names["task"])}


def inputs(run: StudyRun, names: Names) -> Inputs:
    return {"files": data_files(run, names["task"])}


def cost(run: StudyRun, names: Names) -> Counted:
    return data_set(ends(run.study, names["task"]), n_test(run.study, names["task"]))
