"""Contents of a page: studies with their verdicts, figures and cubes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import xarray as xr


@dataclass(frozen=True)
class Figure:
    """A figure of a study. ``record`` is the JSON that the stage of figures wrote, None if it was not drawn."""

    name: str
    record: Mapping[str, Any] | None = None
    drawings: Mapping[str, bytes] = field(default_factory=dict)  # svg, png -> the file


@dataclass(frozen=True)
class Study:
    """The results of a study. ``verdicts`` is None if it was not judged; ``cubes`` has those that exist, by grid."""

    name: str
    title: str
    source: str
    verdicts: Mapping[str, Any] | None = None
    figures: Sequence[Figure] = ()
    cubes: Mapping[str, xr.DataTree] = field(default_factory=dict)
