"""One claim, judged by the cubes that are there: the way from a published number back to its results."""

from collections.abc import Iterator
from pathlib import Path

import click
import xarray as xr

from isobath.analysis.grids_read import grids_read, without_results
from isobath.analysis.verdicts import judge
from isobath.claim_files import load_claim
from isobath.disk import store
from isobath.operations import arguments, staleness
from isobath.operations.summary import lines
from isobath.paths import STUDY
from isobath.plugins import nearest
from isobath.results import cubes
from isobath.study import places
from isobath.study.schema import ConfigError
from isobath.workflow import plan


def report(folder: Path, study_name: str, name: str, source: Path | None = None) -> Iterator[str]:
    """Yield the cubes that a claim reads, in ``results/<scale>``, and its verdict by those that are there.

    The workflow, or the config, lies in ``source``, or beside ``results``. Raises ConfigError for a study or a claim
    that does not exist, or none of whose cubes does, and CorruptedStore.
    """
    home, scale = arguments.home_of(folder)
    folders = places.studies(source or home)
    if study_name not in folders:
        raise ConfigError(f"there is no study {study_name}; {nearest(study_name, folders)}")
    study = plan.load_study(folders[study_name], scale, folders)
    if name not in study.claims:
        raise ConfigError(f"the study {study_name} has no claim {name}; {nearest(name, study.claims)}")
    claim = load_claim(study_name, name)
    of_study = STUDY.format(scale=scale, study=study_name)
    paths = {grid: f"{of_study}/{cubes.PATH.format(grid=grid)}" for grid in study.grids}
    read = [grid for grid in grids_read(claim, without_results(study.grids)) if grid in paths]
    found = {grid: store.read_cube(home / paths[grid]) for grid in read if (home / paths[grid]).is_file()}
    lacking = [paths[grid] for grid in read if grid not in found]
    if not found:
        raise ConfigError(f"{', '.join(lacking)}: not there, so that {name} can't be judged; Snakemake makes them")
    yield "It reads:"
    yield from (f"  {paths[grid]} ({_origin(found.get(grid))})" for grid in read)
    yield ""
    if lacking:
        yield f"By these alone, without {', '.join(lacking)}, which may change the verdict:"
    yield from lines(judge(claim, xr.DataTree.from_dict(found), name))


def _origin(cube: xr.DataTree | None) -> str:
    """Return the seed and the code of a cube, in words."""
    return "not there" if cube is None else f"seed {cube.attrs.get('seed', '?')}, code {cube.attrs.get('code', '?')}"


@click.command(cls=arguments.Command)
@arguments.folder
@click.argument("study")
@click.argument("claim")
@arguments.source
def command(folder: Path, study: str, claim: str, source: Path | None) -> None:
    """Judge one claim by the cubes that it reads.

    For instance `isobath judge results/demo locality shallow_better_for_global`. The cubes are named; one that is not
    there is made by Snakemake, with the results that it gathers: `snakemake ... -- CUBE`.
    """
    staleness.lay_own_of(folder, source)
    print(*report(folder, study, claim, source), sep="\n")
