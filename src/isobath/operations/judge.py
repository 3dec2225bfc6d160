"""One claim, judged by the cubes that are there: the way from a published number back to its results."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click
import xarray as xr

from isobath.analysis.claim_grids import grids_read, without_results
from isobath.analysis.judging import judged as verdict
from isobath.analysis.verdicts import Claim
from isobath.claim_files import load_claim
from isobath.disk import store
from isobath.operations import arguments, staleness
from isobath.operations.summary import lines
from isobath.paths import STUDY_FOLDER
from isobath.plugins import nearest
from isobath.results import cubes
from isobath.study import places
from isobath.study.schema import ConfigError
from isobath.workflow import plan


class Judged(NamedTuple):
    """The cubes that a claim reads, by their paths, None for one that is not there; and its record by the others."""

    cubes: Mapping[str, xr.DataTree | None]
    record: dict[str, Any]


def judged(folder: Path, study_name: str, name: str, source: Path | None = None) -> Judged:
    """Judge a claim by the cubes that it reads and that are in ``folder``, results/<scale>.

    The workflow, or the config, lies in ``source``, or beside ``results``. Raises ConfigError for a study or a claim
    that does not exist, or none of whose cubes does, ClaimError and CorruptedStore.
    """
    home, scale = arguments.home_of(folder)
    folders = places.studies(source or home)
    if study_name not in folders:
        raise ConfigError(f"there is no study {study_name}; {nearest(study_name, folders)}")
    study = plan.load_study(folders[study_name], scale, folders)
    if name not in study.claims:
        raise ConfigError(f"claims of the study {study_name} do not list {name}; {nearest(name, study.claims)}")
    claim = load_claim(study_name, name)
    of_study = STUDY_FOLDER.format(scale=scale, study=study_name)
    paths = {grid: f"{of_study}/{cubes.PATH.format(grid=grid)}" for grid in study.grids}
    asked = grids_read(claim, without_results(study.grids))
    if asked and not paths.keys() & {*asked}:
        raise ConfigError(
            f"the claim {name} reads the grid {asked[0]}, and {study_name} has none; {nearest(asked[0], paths)}"
        )
    found = _cubes(claim, {grid: home / path for grid, path in paths.items()})
    there = {grid: cube for grid, cube in found.items() if cube is not None}
    if not there:
        places_of = ", ".join(paths[grid] for grid in found)
        raise ConfigError(f"{places_of}: not there, so that {name} can't be judged; Snakemake makes them")
    record = verdict(claim, xr.DataTree.from_dict(there), name)
    return Judged({paths[grid]: cube for grid, cube in found.items()}, record)


def _cubes(claim: Claim, paths: Mapping[str, Path]) -> dict[str, xr.DataTree | None]:
    """Return the cubes that a claim reads, by grid; a grid may be asked for only where another one has results."""
    found: dict[str, xr.DataTree | None] = {}
    tree = without_results(paths)
    while more := [grid for grid in grids_read(claim, tree) if grid in paths and grid not in found]:
        found |= {grid: store.read_cube(paths[grid]) if paths[grid].is_file() else None for grid in more}
        there = {grid: cube for grid, cube in found.items() if cube is not None}
        tree = xr.DataTree.from_dict({**{grid: xr.Dataset() for grid in paths}, **there})
    return found


def report(found: Judged) -> Iterator[str]:
    """Yield the cubes that a claim reads, with their seeds and codes, and its verdict."""
    yield "It reads:"
    yield from (f"  {path} ({_origin(cube)})" for path, cube in found.cubes.items())
    yield ""
    if lacking := [path for path, cube in found.cubes.items() if cube is None]:
        yield f"By these alone, without {', '.join(lacking)}, which may change the verdict:"
    yield from lines(found.record)


def _origin(cube: xr.DataTree | None) -> str:
    """Return the seed and the code of a cube, in words."""
    return "not there" if cube is None else f"seed {cube.attrs.get('seed', '?')}, code {cube.attrs.get('code', '?')}"


@click.command(cls=arguments.Command)
@arguments.folder
@click.argument("study")
@click.argument("claim")
@arguments.source
@click.option("--json", "as_json", is_flag=True, help="Print the verdict with its numbers to full precision, as JSON.")
def command(folder: Path, study: str, claim: str, source: Path | None, *, as_json: bool) -> None:
    """Judge one claim by the cubes that it reads.

    For instance `isobath judge results/demo locality shallow_better_for_global`. The cubes are named; one that is not
    there is made by Snakemake, with the results that it gathers: `snakemake ... -- CUBE`.
    """
    staleness.lay_own_of(folder, source)
    found = judged(folder, study, claim, source)
    print(*([json.dumps(found.record, indent=1, ensure_ascii=False)] if as_json else report(found)), sep="\n")
