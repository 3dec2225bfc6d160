"""Training sets: one per task, size and draw."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from isobath.results import Inputs, Variable, Wildcards
from isobath.sizes import Counted, data_set
from isobath.study.run import StudyRun, data_files, ends, is_split, n_test
from isobath.study.schema import Study

PATH = "data/{task}/n{n_train}_draw{draw}.zarr.zip"
STAGE = "data"
START = 0.4
OVERHEAD = 0.09
DIMENSIONS = {
    "sample": "number of the sample",
    "feature": "component of the input",
    "target": "component of the real target",
}
VARIABLES = {
    "inputs": Variable("input x", ("sample", "feature")),
    "labels": Variable("class index", ("sample",), optional=True),
    "targets": Variable("real target y", ("sample", "target"), optional=True),
    "balance": Variable("fraction of class 0", optional=True),
}


class DataCell(NamedTuple):
    """A training set, as its task, size and number of its draw."""

    task: str
    n_train: int
    draw: int


def needed(run: StudyRun, cells: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the training sets that cells need, once each."""
    needs = (DataCell(*(cell[axis] for axis in DataCell._fields)) for cell in cells if "n_train" in cell)
    return [data_set._asdict() for data_set in dict.fromkeys(needs)]


def data_spec(study: Study, seed: int, task: str, n: int, draw: int | None) -> dict[str, Any]:
    """Return the spec of a training set, or with ``draw`` None of a test set."""
    settings = study.tasks[task].model_dump(mode="json", exclude={"n_test"})
    return {"task": settings, "name": task, "n": n, "draw": draw, "seed": seed}


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    task = names["task"]
    drawn = data_spec(run.study, run.config.seed, task, int(names["n_train"]), int(names["draw"]))
    return {**drawn, "n_test": n_test(run.study, task), "part": "train"} if is_split(run.study, task) else drawn


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    return {"files": data_files(run, names["task"])}


def lengths(spec: dict[str, Any]) -> dict[str, int]:
    return {"sample": spec["n"]}


def oddities(spec: Mapping[str, Any], arrays: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for a data set with neither labels nor targets."""
    if {"labels", "targets"}.isdisjoint(arrays):
        yield "it has neither labels nor targets"


def cost(run: StudyRun, names: Wildcards) -> Counted:
    task = names["task"]
    beside = n_test(run.study, task) if is_split(run.study, task) else 0
    return data_set(ends(run.study, task), int(names["n_train"]), beside=beside)
