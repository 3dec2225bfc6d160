"""Constructions on finite data sets: one per training set, tested on the samples that it leaves."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from isobath.results import Inputs, Member, Names, SeedBlocks, constructions, split_test_sets
from isobath.results.constructions import PRESENT, VARIABLES, pairs
from isobath.study.run import StudyRun
from isobath.study.schema import Block, ConfigError, Study

__all__ = ["PRESENT", "VARIABLES"]
PATH = "split_constructions/{task}/{construction}/n{n_train}_draw{draw}.zarr.zip"
OVERHEAD = 0.55
STAGE = "constructions"
GROUPS = {"split_constructions": ("task", "construction", "n_train", "draw")}


class SplitConstructionCell(NamedTuple):
    """A construction on the samples that a training set leaves."""

    task: str
    construction: str
    n_train: int
    draw: int


def cells(study: Study, blocks: Iterable[Block]) -> dict[SplitConstructionCell, None]:
    """Return the cells of constructions on finite data sets, once each."""
    return _cells(blocks, {name: task.kind for name, task in study.tasks.items()})


def _cells(blocks: Iterable[Block], kinds: Mapping[str, str]) -> dict[SplitConstructionCell, None]:
    triples = pairs(blocks, kinds, verb="split")
    listed = (SplitConstructionCell(t, c, n, draw) for t, c, b in triples for n in b.n_train for draw in range(b.draws))
    return dict.fromkeys(listed)


def names(run: StudyRun) -> Iterator[dict[str, Any]]:
    return (place._asdict() for place in cells(run.study, run.blocks))


def spec(run: StudyRun, names: Names) -> dict[str, Any]:
    """Return the spec of a construction, with the training set in its cell."""
    shared = constructions.spec(run, names)
    numbers = {axis: int(names[axis]) for axis in ("n_train", "draw")}
    return {**shared, "cell": {**shared["cell"], **numbers}}


def inputs(run: StudyRun, names: Names) -> Inputs:
    return {"test_set": run.path(split_test_sets.PATH, **names)}


def members(spec: Mapping[str, Any], blocks_of: SeedBlocks) -> Iterator[Member]:
    """Yield the constructions of a cube."""
    kinds = {name: task["kind"] for name, task in spec["tasks"].items()}
    for place in _cells([Block.model_validate(block) for block in spec["blocks"]], kinds):
        yield Member("split_constructions", place._asdict(), PATH.format(**place._asdict()))


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
