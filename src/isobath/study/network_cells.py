"""Cells of networks: the networks that the blocks of a grid ask for, with the spec of a training."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from isobath.study import formulas
from isobath.study.grids import plain
from isobath.study.run import StudyRun
from isobath.study.schedules import evenly_spaced, log_spaced
from isobath.study.schema import Block, ConfigError, LearningRateSearch, Protocol, Study


class NetworkCell(NamedTuple):
    """Networks that differ in their seed alone. Width is 0 where depth is: a perceptron has none."""

    task: str
    protocol: str
    depth: int
    width: int
    n_train: int
    draw: int


def cell(names: Mapping[str, Any]) -> NetworkCell:
    """Return the cell that wildcards name, as text or numbers."""
    numbers = (int(names[axis]) for axis in ("depth", "width", "n_train", "draw"))
    return NetworkCell(names["task"], names["protocol"], *numbers)


def cells(blocks: Iterable[Block]) -> dict[NetworkCell, int]:
    """Return the number of seeds of each cell; where blocks overlap, the larger."""
    seeds: dict[NetworkCell, int] = {}
    for b in blocks:
        for task, protocol, depth, n, draw in product(b.tasks, b.protocols, b.depth, b.n_train, range(b.draws)):
            for width in b.widths(depth):
                place = NetworkCell(task, protocol, depth, width, n, draw)
                seeds[place] = max(b.seeds, seeds.get(place, 0))
    return seeds


@lru_cache(maxsize=64)
def all_cells(run: StudyRun) -> dict[NetworkCell, int]:
    """Return the cells of all grids of a study: grids share them."""
    return cells(run.blocks)


def learning_rate(study: Study, place: NetworkCell) -> Any:
    """Return the rate of a cell, its sweep, or the settings of its search. Raises FormulaError."""
    rate = study.protocols[place.protocol].learning_rate
    if isinstance(rate, str):
        return formulas.positive(rate, place._asdict())
    return rate.model_dump(mode="json", exclude={"draws"}) if isinstance(rate, LearningRateSearch) else rate


def searched(study: Study, protocol: str) -> bool:
    """Return whether a protocol's learning rate is searched for rather than given."""
    return isinstance(study.protocols[protocol].learning_rate, LearningRateSearch)


def searched_at(study: Study, place: NetworkCell) -> NetworkCell:
    """Return the cell whose search finds the rate of a cell: the cell itself, unless its data set shares one."""
    rate = study.protocols[place.protocol].learning_rate
    sharing = rate.draws if isinstance(rate, LearningRateSearch) else 1
    return place._replace(draw=place.draw - place.draw % sharing)


def recorded(protocol: Protocol) -> list[int]:
    """Return the epochs at which a training is recorded; none if it is not."""
    if protocol.record_every:
        return evenly_spaced(protocol.max_epochs, protocol.record_every)
    return log_spaced(protocol.max_epochs, protocol.records) if protocol.records else []


def training_spec(study: Study, seed: int, place: NetworkCell) -> dict[str, Any]:
    """Return the part of a spec that the search for a learning rate and the training of networks share."""
    plugin = study.protocols[place.protocol]
    protocol = plugin.model_dump(mode="json", exclude={"learning_rate", "records", "record_every", "store"})
    protocol["network"] = plain(plugin.network)
    return {"cell": place._asdict(), "protocol": protocol, "learning_rate": learning_rate(study, place), "seed": seed}


def check_formulas(study: Study, blocks: Iterable[Block], origin: str) -> None:
    """Refuse a formula of a learning rate that has no value at one of the cells."""
    for place in cells(blocks):
        try:
            learning_rate(study, place)
        except formulas.FormulaError as error:
            coordinates = ", ".join(f"{axis} {getattr(place, axis)}" for axis in formulas.VARIABLES)
            raise ConfigError(f"{origin}: protocols.{place.protocol}.learning_rate at {coordinates}: {error}") from None
