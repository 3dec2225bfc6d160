"""Calculations: numbers of a theory, computed without training, for the cube of a grid."""

from collections.abc import Iterator
from typing import Any

from isobath.results import Inputs, Member, SeedBlocks, Wildcards
from isobath.study.grids import Grid
from isobath.study.run import StudyRun

PATH = "calculations/{calculation}.zarr.zip"
START = 0.4
OVERHEAD = 6.0  # from 0.3 to 30 s in a demo
GROUPS: dict[str, tuple[str, ...]] = {"calculations": ()}  # each is a group of its own, without axes


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    plugin = run.study.calculations[names["calculation"]]
    settings = {"kind": plugin.kind, **plugin.settings}
    return {"calculation": settings, "name": names["calculation"], "seed": run.config.seed}


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    return {}


def members(grid: Grid, blocks_of: SeedBlocks) -> Iterator[Member]:
    """Yield the calculations of a grid, each a group of its own."""
    for name in grid.calculations:
        yield Member(f"calculations/{name}", {}, PATH, {"calculation": name})
