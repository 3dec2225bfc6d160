"""Constructions on finite data sets: one per training set, tested on the samples that it leaves."""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from isobath.results import Inputs, Member, SeedBlocks, Wildcards, constructions, split_test_sets
from isobath.results.constructions import PRESENT, VARIABLES, in_grid, pairs
from isobath.study.grids import Grid
from isobath.study.run import StudyRun
from isobath.study.schema import ConfigError, Study

__all__ = ["PRESENT", "VARIABLES"]
PATH = "split_constructions/{task}/{construction}/n{n_train}_draw{draw}.zarr.zip"
OVERHEAD = 0.2
STAGE = "constructions"
GROUPS = {"split_constructions": ("task", "construction", "n_train", "draw")}


class SplitConstructionCell(NamedTuple):
    """A construction on the samples that a training set leaves."""

    task: str
    construction: str
    n_train: int
    draw: int


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    """Return the spec of a construction, with the training set in its cell."""
    shared = constructions.spec(run, names)
    numbers = {axis: int(names[axis]) for axis in ("n_train", "draw")}
    return {**shared, "cell": {**shared["cell"], **numbers}}


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    return {"test_set": run.path(split_test_sets.PATH, **names)}


def members(grid: Grid, blocks_of: SeedBlocks) -> Iterator[Member]:
    """Yield the constructions on finite data sets."""
    for task, construction, block in in_grid(grid, verb="split"):
        for n, draw in product(block.n_train, range(block.draws)):
            cell = SplitConstructionCell(task, construction, n, draw)._asdict()
            yield Member("split_constructions", cell, PATH, cell)


def check(study: Study, where: str, name: str) -> None:
    """Refuse constructions on finite data sets without a size of the training set."""
    kinds = {entry: task.kind for entry, task in study.tasks.items()}
    for grid, blocks in study.grids.items():
        for i, block in enumerate(blocks):
            for task, _, _ in () if block.n_train else pairs([block], kinds, verb="split"):
                raise ConfigError(
                    f"{where}: grids.{grid}[{i}].n_train is missing; constructions on {task!r}, a finite data set, are "
                    "tested on the samples that a training set of that size leaves"
                )
