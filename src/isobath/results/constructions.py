"""Constructions: networks whose weights are known in closed form, scored on the test set of a task."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from isobath import plugins
from isobath.results import Inputs, Member, Names, SeedBlocks, Variable, test_sets
from isobath.study.run import StudyRun, is_split, names_in, plain
from isobath.study.schema import Block, ConfigError, Study

PATH = "constructions/{task}/{construction}.zarr.zip"
GROUPS = {"constructions": ("task", "construction")}
PRESENT = "test_error"
DIMENSIONS = {"construction": "network known in closed form, as the study names it"}
VARIABLES = {
    "test_error": Variable("misclassified fraction of the test set"),
    "error_of_class0": Variable("misclassified fraction of class 0"),
    "error_of_class1": Variable("misclassified fraction of class 1"),
    "count_of_class0": Variable("samples of class 0 in the test set"),
    "count_of_class1": Variable("samples of class 1 in the test set"),
    "n_parameters": Variable("number of weights and biases"),
    "n_hidden_layers": Variable("number of hidden layers"),
    "largest_width": Variable("units of the largest layer"),
}


class ConstructionCell(NamedTuple):
    """A construction on the test set of a task."""

    task: str
    construction: str


def cells(study: Study | None, blocks: Iterable[Block]) -> dict[ConstructionCell, None]:
    """Return the cells of constructions, once each."""
    pairs = (pair for b in blocks for pair in product(b.tasks, b.constructions))
    return dict.fromkeys(ConstructionCell(*pair) for pair in pairs)


def names(run: StudyRun) -> Iterator[dict[str, Any]]:
    return (place._asdict() for place in cells(run.study, run.blocks))


def spec(run: StudyRun, names: Names) -> dict[str, Any]:
    """Return a construction with its settings, and the task that it knows."""
    place = ConstructionCell(names["task"], names["construction"])
    construction, task = run.study.constructions[place.construction], run.study.tasks[place.task]
    return {"construction": plain(construction), "task": plain(task), "cell": place._asdict()}


def inputs(run: StudyRun, names: Names) -> Inputs:
    return {"test_set": run.path(test_sets.PATH, **names)}


def members(spec: Mapping[str, Any], blocks_of: SeedBlocks) -> Iterator[Member]:
    """Yield the constructions of a cube."""
    for place in cells(None, [Block.model_validate(block) for block in spec["blocks"]]):
        yield Member("constructions", place._asdict(), PATH.format(**place._asdict()))


def described(study: Study, grid: str) -> dict[str, Any]:
    """Return the settings of the constructions of a grid."""
    named = names_in(study.grids[grid], "constructions")
    return {"constructions": {name: plain(study.constructions[name]) for name in named}}


def check(study: Study, where: str, name: str) -> None:
    """Refuse constructions of tasks that they don't know."""
    for grid, blocks in study.grids.items():
        for i, block in enumerate(blocks):
            for construction, task in product(block.constructions, block.tasks):
                _check_pair(study, construction, task, f"{where}: grids.{grid}[{i}]")


def _check_pair(study: Study, name: str, task: str, key: str) -> None:
    if is_split(study, task):
        raise ConfigError(f"{key} has constructions for task {task!r}; they need one that is sampled")
    try:
        plugins.accept("construction", study.constructions[name].model_dump(), study.tasks[task].model_dump())
    except ValueError as error:
        raise ConfigError(f"{key}: constructions.{name} on tasks.{task}: {error}") from None
