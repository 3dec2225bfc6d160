"""Contents of a page: studies with their verdicts, figures and cubes, and the build of isobath that made them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import xarray as xr


@dataclass(frozen=True)
class Figure:
    """A figure of a study. ``record`` is the JSON that the stage of figures wrote, None if it was not drawn."""

    name: str
    record: Mapping[str, Any] | None = None
    drawings: Mapping[str, bytes] = field(default_factory=dict)  # svg, png -> the file


class Code(NamedTuple):
    """The file of a claim, and the figures that the study says bear on it."""

    file: str
    figures: Sequence[str]


@dataclass(frozen=True)
class Study:
    """The results of a study. ``verdicts`` is None if it was not judged; ``cubes`` has those that exist, by grid.

    ``works`` has the identifiers of publications by the words that name them, ``code`` has the file of
    each claim, by its name.
    ``deviations`` are sentences that say where the settings are not those of the source, ``not_judged`` what it asserts
    that no claim judges.
    ``stale`` says why the verdicts do not belong to the present cubes and code.
    """

    name: str
    title: str
    source: str
    verdicts: Mapping[str, Any] | None = None
    figures: Sequence[Figure] = ()
    cubes: Mapping[str, xr.DataTree] = field(default_factory=dict)
    works: Mapping[str, str] = field(default_factory=dict)
    deviations: Sequence[str] = ()
    not_judged: Sequence[str] = ()
    code: Mapping[str, Code] = field(default_factory=dict)
    stale: Sequence[str] = ()


@dataclass(frozen=True)
class Build:
    """The isobath that made a page: its version, the last commit of its code, whether that has ``changed`` since.

    The address of its ``repository`` is empty if its metadata has none.
    """

    version: str
    commit: str = ""
    changed: bool = False
    repository: str = ""
