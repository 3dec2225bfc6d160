"""The keys of config.yaml and of a study: type, default and description of each, written here alone.

The tables of config/README.md and the JSON schemas for editors are made from this module (``make schema``).
"""

from typing import Annotated, Any, ClassVar, Literal

import annotated_types
from pydantic import BaseModel, ConfigDict, Field, model_validator

from isobath import paths, plugins
from isobath.settings import Count, Index, NonNegative, Open, Positive

NAME = paths.NAME
Name = Annotated[str, Field(pattern=NAME)]
WORK = r"^(arXiv:\d{4}\.\d{4,5}|doi:10\.\d{4,9}/\S+|https://\S+)$"
Work = Annotated[str, Field(pattern=WORK)]
NotEmpty = annotated_types.MinLen(1)
SENTENCES = ("deviations", "not_judged")  # keys of a study that are printed as they are
OF_ALL_SCALES = ("extends", *SENTENCES)  # keys of a study that the file of a scale can't have
Depth = Annotated[int, Field(ge=0, le=1000)]


class ConfigError(ValueError):
    """One sentence: file, key, value, what is allowed."""


class Closed(BaseModel):
    """A mapping that has the declared keys alone, with values of the declared types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Limits(Closed):
    """The largest run that may start. A key that is left out, or null, sets no limit."""

    hours: Positive | None = Field(None, description="core-hours of all jobs that are left to do, as forecast")
    disk_gb: Positive | None = Field(None, description="disk space that the results take, in GB")
    jobs: Count | None = Field(None, description="number of jobs")


class Config(Closed):
    """A run: config.yaml. Each key can also be given on the command line, as ``--config scale=paper``."""

    scale: Name = Field(
        description="size of the experiments, an overlay of each study: `smoke` (minutes, for tests), `demo` (25 "
        "minutes to an hour on 2 cores), `laptop` (a night on 2 cores), `source` (some figures of three studies at the "
        "size of their papers) or `paper` (the settings of the sources, on a cluster)"
    )
    studies: Annotated[list[Name], NotEmpty] = Field(
        description="studies to run, folders of `workflow/studies` or of your own; example: `[locality, width]`"
    )
    own: str | list[str] | None = Field(
        None,
        description="folder of plug-ins, claims and studies of your own, beside config.yaml, or a list of folders; "
        "`own` if it is there; example: `mine`",
    )
    seed: Index = Field(
        0,
        description="root of every random stream; another seed gives other data, other initial weights, other "
        "orders, and has a folder of its own: snakemake --directory ../seed1 --config seed=1",
    )
    seeds_per_job: Count = Field(
        10,
        description="number of networks, differing in their seed alone, that one job trains as one stack; trained "
        "perceptrons and convolutional networks do not depend on it, others by rounding, and outputs and losses by "
        "their last digit at most",
    )
    data: str | None = Field(
        None, description="folder with data files that are not to be downloaded; example: `/data`, with `mnist/` in it"
    )
    limits: Limits | None = Field(None, description="the largest run that may start; null sets no limit")


class LearningRateSearch(Closed):
    """A search of the rate of least cross-validated error, by successive halving and Bayesian optimisation."""

    minimum: Positive = Field(1e-3, description="smallest learning rate")
    maximum: Positive = Field(10.0, description="largest learning rate")
    folds: Annotated[int, Field(ge=2)] = Field(10, description="folds of the cross-validation")
    initial: Count = Field(8, description="log-spaced learning rates that are tried first")
    rounds: Index = Field(4, description="rounds of suggestions that follow; 0 tries the initial ones alone")
    suggestions: Count = Field(3, description="learning rates per round, trained at the same time")
    patience: Annotated[float, Field(ge=1)] = Field(
        4.0,
        description="a fold is given up once it trains this many times as long as at the rate that fits fastest",
    )
    widenings: Index = Field(1, description="how often the range grows by two rates where the best lies at its end")
    noise: Positive = Field(0.01, description="standard deviation of a cross-validated error, for the Gaussian process")
    partition: Index = Field(0, description="number of the partition into folds; another makes another search")
    ties: Literal["smaller", "larger"] = Field("smaller", description="choice among learning rates of equal error")
    draws: Count = Field(1, description="data sets that share a search, which is made on the first of them")


class Plugin(BaseModel):
    """A plug-in: its kind, and the settings that the keyword-only arguments of that kind declare.

    A word is short for a kind without settings.
    """

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, allow_inf_nan=False)
    family: ClassVar[str]
    kind: Name = Field(description="file name of the plug-in, without .py; `isobath kinds` lists them")

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, content: Any) -> Any:
        return {"kind": content} if isinstance(content, str) else content

    @property
    def settings(self) -> dict[str, Any]:
        return dict(self.__pydantic_extra__ or {})


class Task(Plugin):
    """A data set, or a rule that labels fresh samples."""

    family = "task"
    n_test: Count | None = Field(None, description="number of test samples, if it is not that of the study")


class Network(Plugin):
    """An architecture. Depth and width come from the grid."""

    family = "network"


class Loss(Plugin):
    """A loss, which a protocol minimises."""

    family = "loss"


class Kernel(Plugin):
    """A kernel for regression, and how its ridge is chosen. Depth comes from the grid."""

    family = "kernel"

    ridges: list[NonNegative] = Field(
        default=[],
        description="ridges lambda to choose from, by the error on held-out training samples, for every depth; the "
        "training set is then regressed with the chosen one: n lambda is added to the Gram matrix of n samples, "
        "divided by its mean diagonal. Empty: the training set is interpolated; example: `[1e-6, 1e-4, 1e-2]`",
    )
    validation: Open = Field(default=0.2, description="share of the training set, at random, that chooses the ridge")


class Construction(Plugin):
    """A network whose weights are known in closed form, for the tasks of a block."""

    family = "construction"


class Calculation(Plugin):
    """Numbers of a theory that need no training."""

    family = "calculation"
    grid: Name = Field(description="grid whose cube the numbers are stored in")


class Protocol(Plugin):
    """A way of training a network: optimiser, loss, learning rate, stopping."""

    family = "protocol"
    network: Network = Field(description="architecture: `kind` and settings; example: `{kind: mlp}`")
    learning_rate: LearningRateSearch | Positive | Annotated[list[Positive], NotEmpty] | str = Field(
        description="a number; a list of increasing numbers to sweep over; a formula in `depth`, `width` and "
        '`n_train`, such as `"min(0.1 * width**-1.5, 1e-4)"` (+ - * / ** min max sqrt log exp); '
        "or a search, given by its keys"
    )
    loss: Loss = Field(
        Loss(kind=plugins.default("loss")),
        description="loss that is minimised, averaged over samples; it defines when a sample is learned, and which "
        "error is reported; example: `squared_hinge`, or `{kind: power, p: 4}`",
    )
    precision: Literal["float32", "float64"] = Field(
        "float32", description="number format of the training; near jamming only float64 reaches zero loss"
    )
    max_epochs: Count = Field(2500, description="epochs after which a network that has not fitted counts as unfitted")
    check_every: Count = Field(50, description="epochs between two checks whether a network has fitted")
    records: Annotated[int, Field(ge=0, le=1000)] = Field(
        0, description="recordings of the training per factor of ten in epochs, log-spaced; 0 records nothing"
    )
    record_every: Index = Field(
        0, description="epochs between two recordings, evenly spaced; 0 records nothing; excludes `records`"
    )
    store: Literal["errors", "weights", "outputs"] = Field(
        "errors",
        description="what is stored of a network: `errors`; `weights`: its weights as well, of which oscillations are "
        "counted; `outputs`: its weights and its outputs on the test set, which ensembles need",
    )


class Block(Closed):  # kinds of result add keys of their own: see blocks.py
    """A part of a grid: every combination of the values of its lists is one cell."""

    tasks: Annotated[list[Name], NotEmpty] = Field(description="names of tasks")
    protocols: list[Name] = Field([], description="names of protocols: a network is trained with each")
    kernels: list[Name] = Field([], description="names of kernels: a regression is made with each")
    constructions: list[Name] = Field(
        [], description="names of constructions: each is tested on each task, whatever the other axes"
    )
    depth: list[Depth] = Field([], description="numbers L of hidden layers; 0 is a perceptron without hidden layer")
    width: list[Count] = Field([], description="units, or channels, per hidden layer; networks of depth >= 1 need it")
    n_train: list[Count] = Field([], description="numbers N of training samples")
    seeds: Count = Field(10, description="networks per cell, which differ in their seed alone")
    draws: Count = Field(1, description="independent data sets per cell")

    def widths(self, depth: int) -> list[int]:
        """Return the widths of the networks of a depth; at depth 0 one, which is 0: a perceptron has none."""
        return self.width if depth else [0]

    def shapes(self) -> int:
        """Count the pairs of a depth and a width."""
        return sum(len(self.widths(depth)) for depth in self.depth)


class Figure(Plugin):
    """A figure, drawn from the cube of one grid."""

    family = "figure"
    grid: Name = Field(description="grid whose cube is drawn")
    caption: str = Field(min_length=1, description="caption, in whole sentences, as it is printed on the page")
    claims: list[str] = Field(
        [], description="claims of the study that the figure bears on, which the page links to it"
    )
    notes: bool = Field(
        True, description="small print on bars and marks; false leaves it to the caption, but for cells that failed"
    )


class Law(Plugin):
    """A scaling law: a variable of a cube as a function of an axis, in the form that `kind` names."""

    family = "form"
    grid: Name = Field(description="grid whose cube holds the points")
    group: Name = Field(
        description="group of the cube that holds the variable, of a kind of result over networks; example: `networks`"
    )
    variable: Name = Field(description="variable that is fitted; example: `test_error`")
    axis: Name = Field(description="variable or dim that it is a function of; example: `n_weights`")
    along: Name = Field(description="dim along which the points of one fit lie; example: `width`")
    select: dict[Name, str | int | float | list[str | int | float]] = Field(
        {}, description="values of other dims to which the fit is restricted; example: `{step: [1000, 10000]}`"
    )
    statistic: Literal["mean", "median", "root_mean_square"] = Field(
        "mean", description="how the networks of a point are averaged"
    )
    above: float | None = Field(None, description="smallest value of the axis that is fitted, in units of the axis")
    below: float | None = Field(None, description="largest value of the axis that is fitted, in units of the axis")
    beyond: Positive | None = Field(
        None, description="smallest number of weights that is fitted, in units of the jamming threshold N*"
    )
    within: Positive | None = Field(
        None, description="largest number of weights that is fitted, in units of the jamming threshold N*"
    )


class Study(Closed):
    """A study: ``study.yaml`` in ``workflow/studies/<study>``, merged with the overlay of a scale, ``<scale>.yaml``."""

    title: str = Field(description="title of the study, as it is printed on the page")
    source: str = Field(description="publication that is reproduced: authors, title, year")
    works: dict[str, Work] = Field(
        {}, description='arXiv number, DOI or address, by the word that names it; example: `{Mori: "arXiv:2005.12488"}`'
    )
    deviations: list[str] = Field(
        [],
        description="sentences on settings that differ from the publication, or that it does not state, at any scale; "
        "stands in study.yaml alone",
    )
    not_judged: list[str] = Field(
        [], description="what the source asserts and no claim judges, and why not: as `deviations`, in study.yaml alone"
    )
    n_test: Count = Field(description="number of test samples of each task, unless the task has its own")
    tasks: Annotated[dict[Name, Task], NotEmpty] = Field(description="data sets, by name")
    protocols: dict[Name, Protocol] = Field({}, description="ways of training a network, by name")
    kernels: dict[Name, Kernel] = Field({}, description="kernels for regression, by name")
    constructions: dict[Name, Construction] = Field({}, description="networks known in closed form, by name")
    calculations: dict[Name, Calculation] = Field({}, description="numbers of a theory, by name")
    grids: Annotated[dict[Name, list[Block]], NotEmpty] = Field(
        description="experiments, by name: each is a list of blocks, and its results become one cube"
    )
    laws: dict[Name, Law] = Field({}, description="scaling laws that are fitted to a grid, by name")
    figures: dict[Name, Figure] = Field({}, description="figures, by name")
    claims: list[str] = Field(
        [],
        description="what the source asserts, to be judged: functions of `claims/<study>.py` or of a file in "
        "`claims/<study>/`, or of another study as `locality.<function>`",
    )
    extends: Name | None = Field(
        None,
        description="another study, which this one equals but for the keys that it states: mappings are merged, "
        "anything else is replaced, null removes; stands in study.yaml alone; example: `locality`",
    )
