"""Calculations: numbers of a theory, computed without training, for the cube of a grid."""

from collections.abc import Iterator, Mapping
from typing import Any

from isobath.results import Inputs, Member, Names, SeedBlocks
from isobath.study.run import StudyRun
from isobath.study.schema import Study

PATH = "calculations/{calculation}.zarr.zip"
START = 0.4
OVERHEAD = 6.0  # from 0.3 to 30 s in a demo
GROUPS: dict[str, tuple[str, ...]] = {"calculations": ()}  # each is a group of its own, without axes


def names(run: StudyRun) -> Iterator[dict[str, Any]]:
    return ({"calculation": name} for name in run.study.calculations)


def spec(run: StudyRun, names: Names) -> dict[str, Any]:
    plugin = run.study.calculations[names["calculation"]]
    settings = {"kind": plugin.kind, **plugin.settings}
    return {"calculation": settings, "name": names["calculation"], "seed": run.config.seed}


def inputs(run: StudyRun, names: Names) -> Inputs:
    return {}


def members(spec: Mapping[str, Any], blocks_of: SeedBlocks) -> Iterator[Member]:
    """Yield the calculations of a cube, each a group of its own."""
    for name in spec["calculations"]:
        yield Member(f"calculations/{name}", {}, PATH.format(calculation=name))


def described(study: Study, grid: str) -> dict[str, Any]:
    """Return the names of the calculations of a grid."""
    return {"calculations": [name for name, calculation in study.calculations.items() if calculation.grid == grid]}
