"""What config.yaml and a study may say: every key, its type and its default. What they may not is in config.py."""

from typing import Annotated, Any, Literal

import annotated_types
from pydantic import BaseModel, ConfigDict, Field

from isobath.settings import Count, Index, Positive

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.=-]{0,63}$"
Name = Annotated[str, Field(pattern=NAME)]
Some = annotated_types.MinLen(1)
Sizes = Annotated[list[Count], Some]
Depths = Annotated[list[Annotated[int, Field(ge=0, le=1000)]], Some]


class Closed(BaseModel):
    """No key but those declared, no value but of the declared type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Config(Closed):
    """config.yaml."""

    scale: Name
    studies: Annotated[list[Name], Some]
    seed: Index = 0
    seeds_per_job: Count = 10


class Search(Closed):
    """How a protocol's learning rate is found: see learning_rates.Search."""

    minimum: Positive = 1e-3
    maximum: Positive = 10.0
    folds: Annotated[int, Field(ge=2)] = 10
    initial: Count = 8
    rounds: Index = 4
    suggestions: Count = 3
    noise: Positive = 0.01
    ties: Literal["smaller", "larger"] = "smaller"


class Plugin(BaseModel):
    """``kind`` and the settings of that plug-in, which its signature declares."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, allow_inf_nan=False)
    kind: Name

    @property
    def settings(self) -> dict[str, Any]:
        return dict(self.__pydantic_extra__ or {})


class Task(Plugin):
    """A data set."""


class Network(Plugin):
    """An architecture, but for its depth and width."""


class Kernel(Plugin):
    """A kernel, but for its depth."""


class Protocol(Plugin):
    """A way of training a network. ``learning_rate`` is a search, a value or a sweep of values."""

    network: Network
    learning_rate: Search | Positive | Annotated[list[Positive], Some]
    loss: Literal["cross_entropy", "mean_squared_error"] = "cross_entropy"
    max_epochs: Count = 2500
    check_every: Count = 50


class Block(Closed):
    """Part of a grid: every combination of its entries. Width and seeds concern networks alone."""

    tasks: Annotated[list[Name], Some]
    protocols: list[Name] = []
    kernels: list[Name] = []
    depth: Depths
    width: list[Count] = []
    n_train: Sizes
    seeds: Count = 10
    draws: Count = 1


class Figure(Plugin):
    """A figure of one grid."""

    grid: Name
    caption: str


class Study(Closed):
    """workflow/studies/<study>.yaml, merged with one of its scales."""

    title: str
    source: str
    n_test: Count
    tasks: Annotated[dict[Name, Task], Some]
    protocols: dict[Name, Protocol] = {}
    kernels: dict[Name, Kernel] = {}
    grids: Annotated[dict[Name, Annotated[list[Block], Some]], Some]
    figures: dict[Name, Figure] = {}
    claims: list[str] = []
