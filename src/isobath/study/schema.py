"""What config.yaml and a study may say: every key, its type and its default. What they may not is in config.py."""

import json
from typing import Annotated, Any, Literal

import annotated_types
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from isobath.settings import Count, Index, Positive

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.=-]{0,63}$"
Name = Annotated[str, Field(pattern=NAME)]
Some = annotated_types.MinLen(1)
Depth = Annotated[int, Field(ge=0, le=1000)]


class ConfigError(ValueError):
    """One sentence: file, key, value, what is allowed."""


class Closed(BaseModel):
    """No key but those declared, no value but of the declared type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Limits(Closed):
    """What a run may take; null is no limit."""

    hours: Positive | None = None
    disk_gb: Positive | None = None
    jobs: Count | None = None


def _unquoted(value: Any) -> Any:
    """Snakemake hands null and nested numbers of ``--config limits={hours: 500}`` on as words."""
    if isinstance(value, dict):
        return {key: _unquoted(inner) for key, inner in value.items()}
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


class Config(Closed):
    """config.yaml."""

    scale: Name
    studies: Annotated[list[Name], Some]
    seed: Index = 0
    seeds_per_job: Count = 10
    data: str | None = None
    limits: Annotated[Limits | None, BeforeValidator(_unquoted)] = None


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
    """``kind`` and the settings of that plug-in, which its signature declares; a word is a kind without settings."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, allow_inf_nan=False)
    kind: Name

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, content: Any) -> Any:
        return {"kind": content} if isinstance(content, str) else content

    @property
    def settings(self) -> dict[str, Any]:
        return dict(self.__pydantic_extra__ or {})


class Task(Plugin):
    """A data set. ``n_test`` is for a set whose test part is smaller than the study's."""

    n_test: Count | None = None


class Network(Plugin):
    """An architecture, but for its depth and width."""


class Loss(Plugin):
    """What a protocol minimises."""


class Kernel(Plugin):
    """A kernel, but for its depth."""


class Construction(Plugin):
    """A network whose weights are known in closed form, for the tasks of a block."""


class Calculation(Plugin):
    """Numbers of a theory, computed without training, for the cube of a grid."""

    grid: Name


class Protocol(Plugin):
    """A way of training a network.

    ``learning_rate`` is a search, a value, a sweep of values, or a formula in depth, width and n_train. With
    ``records`` the training is recorded at about so many epochs per decade, with ``record_every`` every so many. What
    is kept of a network are its errors, or its outputs on the test set and weights as well, from which the ensembles
    of a cell are made.
    """

    network: Network
    learning_rate: Search | Positive | Annotated[list[Positive], Some] | str
    loss: Loss = Loss(kind="cross_entropy")
    precision: Literal["float32", "float64"] = "float32"
    max_epochs: Count = 2500
    check_every: Count = 50
    records: Annotated[int, Field(ge=0, le=1000)] = 0
    record_every: Index = 0
    keep: Literal["errors", "outputs"] = "errors"


class Block(Closed):
    """Part of a grid: every combination of its entries.

    Width and seeds concern networks alone; constructions have no axis but their tasks.
    """

    tasks: Annotated[list[Name], Some]
    protocols: list[Name] = []
    kernels: list[Name] = []
    constructions: list[Name] = []
    depth: list[Depth] = []
    width: list[Count] = []
    n_train: list[Count] = []
    seeds: Count = 10
    draws: Count = 1


class Figure(Plugin):
    """A figure of one grid."""

    grid: Name
    caption: str


class Law(Plugin):
    """A scaling law: ``variable`` of a group of a grid's cube, as a function of ``axis``, of the form ``kind``.

    The points lie ``along`` a dim. ``above`` and ``below`` bound what is fitted, in units of the axis, and
    ``beyond`` and ``within`` bound the number of weights in units of the jamming threshold N*.
    """

    grid: Name
    group: Literal["networks", "ensembles"]  # intervals are over networks, which kernels have none of
    variable: Name
    axis: Name
    along: Name
    select: dict[Name, str | int | float | list[str | int | float]] = {}
    statistic: Literal["mean", "median", "root_mean_square"] = "mean"
    above: float | None = None
    below: float | None = None
    beyond: Positive | None = None
    within: Positive | None = None


class Study(Closed):
    """workflow/studies/<study>.yaml, merged with one of its scales."""

    title: str
    source: str
    n_test: Count
    tasks: Annotated[dict[Name, Task], Some]
    protocols: dict[Name, Protocol] = {}
    kernels: dict[Name, Kernel] = {}
    constructions: dict[Name, Construction] = {}
    calculations: dict[Name, Calculation] = {}
    grids: Annotated[dict[Name, list[Block]], Some]
    laws: dict[Name, Law] = {}
    figures: dict[Name, Figure] = {}
    claims: list[str] = []
