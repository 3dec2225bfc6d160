"""Ledger of findings, ``provenance.json``: everything on the pages that is not in the tables.

It names no time and no folder of the machine.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from isobath.archive import datapackage
from isobath.study.schema import Closed, Name

NAME = "provenance.json"
NOT_RUN = "not run"
ABOUT = {"study", "scale", "source", "spec", "code", "inputs"}  # entries of a record of verdicts besides its claims


class Key(NamedTuple):
    """A study in a run: results of one scale and one seed."""

    scale: str
    seed: int
    study: str

    @property
    def run(self) -> str:
        """Return the scale and the seed of the run."""
        return f"{self.scale}, seed {self.seed}"


class Statement(Closed):
    """A claim without its verdict, as the code has it."""

    claim: str
    statement: str
    source: str
    statistic: str
    own: bool


class Outline(Closed):
    """A study as the workflow has it: its title, its source, all claims in their order, deviations of its settings.

    ``not_judged`` is what its source asserts and no claim judges; ``dropped`` names the claims that runs were judged by
    and that it no longer has; ``grids`` are those that each claim reads; ``misworded`` are former texts of the
    statistic of a claim that described the same calculation wrongly. A ledger that has none of these stays as it was.
    The commits are those that last changed the code of its claims, with their bounds, and its settings.
    """

    title: str
    source: str
    claims_commit: str
    settings_commit: str
    claims: list[Statement]
    deviations: Sequence[str] = ()
    not_judged: Sequence[str] = ()
    dropped: Sequence[str] = ()
    grids: Mapping[str, Sequence[str]] = {}
    misworded: Mapping[str, Sequence[str]] = {}

    @model_serializer(mode="wrap")
    def _without_nothing(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = handler(self)
        may_lack = ("not_judged", "dropped", "grids", "misworded")
        return {key: value for key, value in content.items() if key not in may_lack or value}


def by_former_criteria(outline: Outline, record: Mapping[str, Any]) -> bool:
    """Tell whether a verdict is of a claim that measured something else, or that its study no longer has.

    ``record`` is a claim as a run judged it. A verdict of not run has no criteria. What was measured is known by the
    text of the statistic, the present one or one that was a wrong description of the same.
    """
    claims = [claim for claim in outline.claims if claim.claim == record["claim"] not in outline.dropped]
    texts = {text for c in claims for text in (c.statistic, *outline.misworded.get(c.claim, ()))}
    return record["verdict"] != NOT_RUN and record["statistic"] not in texts


def completed(outline: Outline, claims: Iterable[Statement]) -> Outline:
    """Return the outline of a study with those of the claims, which were judged, that it no longer has."""
    listed = {claim.claim for claim in outline.claims}
    further = [claim for claim in claims if claim.claim not in listed]
    dropped = [*outline.dropped, *(claim.claim for claim in further)]
    return outline.model_copy(update={"claims": [*outline.claims, *further], "dropped": dropped})


class Threshold(Closed):
    """A jamming threshold N* with its 95 % interval, in weights, of networks of one depth on a task."""

    task: str
    protocol: str
    depth: int
    n_train: int
    threshold: float
    low: float
    high: float


class Variance(Closed):
    """The part of a data set, a search for the rate or a start in the variance of the error of one network.

    ``sd`` is a standard deviation and ``share`` a share of the variance, with 95 % intervals, over ``data_sets``.
    """

    task: str
    depth: int
    width: int
    n_train: int
    data_sets: int
    origin: str
    sd: float
    sd_low: float
    sd_high: float
    share: float
    low: float
    high: float


class Cube(Closed):
    """The digest of a cube, whether its code is that of the commit, its networks by status, and its other cells.

    ``thresholds`` are its jamming thresholds that are known, ``variances`` the parts of the variances of its errors,
    where protocols differ in their search alone. A ledger that has none of them stays as it was.
    """

    sha256: str
    current: bool
    networks: dict[str, int]
    cells: dict[str, int]
    thresholds: Sequence[Threshold] = ()
    variances: Sequence[Variance] = ()

    @model_serializer(mode="wrap")
    def _without_nothing(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = handler(self)
        return {key: value for key, value in content.items() if key not in ("thresholds", "variances") or value}


class Judged(Closed):
    """A study that was run: the digest of its verdicts.json, the entries there besides claims, and its provenance."""

    sha256: str
    about: dict[str, Any]
    commit: str = ""  # at which the results were read; empty if that of the ledger
    page_commit: str = ""  # at which the run made its page, as the page says; empty if it is not known
    current: bool  # whether the code of the verdicts is that of the commit
    cubes: dict[str, Cube]
    made_by: dict[str, list[str]]  # versions of packages, processors
    hours: float | None  # core-hours of its jobs by their logs; None without logs

    @model_serializer(mode="wrap")
    def _without_nothing(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = handler(self)
        return {key: value for key, value in content.items() if key != "page_commit" or value}

    @property
    def networks(self) -> int:
        """Return the number of networks in all cubes; grids of a study may share some."""
        return sum(sum(cube.networks.values()) for cube in self.cubes.values())


class Run(Closed):
    """The studies that were judged at one scale with one seed, by name."""

    scale: str
    seed: int
    studies: dict[Name, Judged]

    @property
    def name(self) -> str:
        """Return the scale and the seed of the run."""
        return Key(self.scale, self.seed, "").run


def runs(records: Mapping[Key, Judged]) -> list[Run]:
    """Return the runs, sorted, that studies were judged in."""
    names = dict.fromkeys((key.scale, key.seed) for key in sorted(records))
    studies = {run: {key.study: records[key] for key in sorted(records) if key[:2] == run} for run in names}
    return [Run(scale=scale, seed=seed, studies=studies[scale, seed]) for scale, seed in names]


class Exhibit(Closed):
    """A figure: the run that it is from, and its ``file`` with its digest; both empty if it was too large."""

    study: str
    name: str
    caption: str
    scale: str
    seed: int
    file: str = Field(pattern=r"^(figures/[\w=-][\w.=-]*)?$")
    sha256: str


class Ledger(Closed):
    """All that the findings were made from.

    ``changed`` says whether code or settings differed from those of the commit.
    """

    commit: str  # the last that changed code or settings; empty if not known
    changed: bool
    studies: dict[Name, Outline]
    runs: list[Run]
    figures: list[Exhibit]

    @model_validator(mode="after")
    def _belongs_together(self) -> "Ledger":
        names = [run.name for run in self.runs]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"the run {twice} stands twice")
        for key, record in self.judged():
            if key.study not in self.studies:
                raise ValueError(f"the study {key.study}, which {key.run} judged, has no outline")
            if missing := sorted(ABOUT - record.about.keys()):
                raise ValueError(f"the verdicts of {key.study} with {key.run} lack {', '.join(missing)}")
        return self

    def judged(self) -> Iterator[tuple[Key, Judged]]:
        """Yield every study of every run."""
        for run in self.runs:
            for study, record in run.studies.items():
                yield Key(run.scale, run.seed, study), record

    def content(self) -> bytes:
        """Return the ledger as JSON; its last entry is the digest of the others."""
        content = self.model_dump(mode="json")
        return datapackage.written({**content, "sha256": hashlib.sha256(datapackage.written(content)).hexdigest()})

    @classmethod
    def of(cls, content: bytes) -> "Ledger":
        """Return the ledger that ``content`` wrote. Raises ValueError for one that was changed since, or is none."""
        entries = json.loads(content)
        digest = entries.pop("sha256", None) if isinstance(entries, dict) else None
        ledger = cls.model_validate_json(json.dumps(entries))
        if hashlib.sha256(datapackage.written(entries)).hexdigest() != digest:
            raise ValueError("its content does not match its checksum")
        return ledger
