"""Constructions: networks whose weights are known in closed form, one per task that is sampled without end."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from isobath import plugins
from isobath.binding import parts
from isobath.results import Inputs, Member, SeedBlocks, Variable, Wildcards, test_sets
from isobath.study.grids import Grid, plain
from isobath.study.run import StudyRun
from isobath.study.schema import Block, ConfigError, Study

PATH = "constructions/{task}/{construction}.zarr.zip"
OVERHEAD = 0.2
GROUPS = {"constructions": ("task", "construction")}
PRESENT = "test_error"
NETWORK = "mlp"  # whose weights constructions give that do not say it
DIMENSIONS = {"construction": "network known in closed form, as the study names it", "class": "class index"}
VARIABLES = {
    "test_error": Variable("misclassified fraction of the test set"),
    "class_error": Variable("misclassified fraction of the samples of a class", ("class",), optional=True),
    "class_count": Variable("samples of a class in the test set", ("class",), optional=True),
    "n_parameters": Variable("number of weights and biases"),
    "n_hidden_layers": Variable("number of hidden layers"),
    "largest_width": Variable("units of the largest layer"),
}


class ConstructionCell(NamedTuple):
    """A construction on the test set of a task."""

    task: str
    construction: str


def pairs(blocks: Iterable[Block], kinds: Mapping[str, str], *, verb: str) -> Iterator[tuple[str, str, Block]]:
    """Yield task, construction and block wherever blocks ask for a task of a kind (``kinds``) with this verb."""
    for block in blocks:
        for task, construction in product(block.tasks, block.constructions):
            if plugins.verb_of("task", kinds[task]) == verb:
                yield task, construction, block


def in_grid(grid: Grid, *, verb: str) -> Iterator[tuple[str, str, Block]]:
    """Yield task, construction and block of a grid, of the tasks with this verb."""
    return pairs(grid.blocks, {name: task["kind"] for name, task in grid.tasks.items()}, verb=verb)


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    """Return a construction with its settings, the network whose weights it gives, and the task that it knows."""
    construction, task = run.study.constructions[names["construction"]], run.study.tasks[names["task"]]
    cell = {name: names[name] for name in ConstructionCell._fields}
    kind, settings = parts(plugins.literal("construction", construction.kind, "NETWORK", NETWORK))
    network = {"kind": kind, **settings}
    return {"construction": plain(construction), "network": network, "task": plain(task), "cell": cell}


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    return {"test_set": run.path(test_sets.PATH, **names)}


def members(grid: Grid, blocks_of: SeedBlocks) -> Iterator[Member]:
    """Yield the constructions on tasks that are sampled."""
    for task, construction, _ in in_grid(grid, verb="sample"):
        cell = ConstructionCell(task, construction)._asdict()
        yield Member("constructions", cell, PATH, cell)


def check(study: Study, where: str, name: str) -> None:
    """Refuse constructions of tasks that they don't know."""
    for grid, blocks in study.grids.items():
        for i, block in enumerate(blocks):
            for construction, task in product(block.constructions, block.tasks):
                _check_pair(study, construction, task, f"{where}: grids.{grid}[{i}]")


def _check_pair(study: Study, name: str, task: str, key: str) -> None:
    try:
        plugins.accept("construction", study.constructions[name].model_dump(), study.tasks[task].model_dump())
    except ValueError as error:
        raise ConfigError(f"{key}: constructions.{name} on tasks.{task}: {error}") from None
