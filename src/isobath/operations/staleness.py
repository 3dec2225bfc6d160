"""Stale verdicts and pages: the results that they show, or the settings of these, have changed since."""

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from isobath.disk import store, verdict_files
from isobath.disk.attributes import read_attributes
from isobath.operations import arguments
from isobath.results import page as page_kind
from isobath.store_metadata import spec_text
from isobath.study import loading, places
from isobath.study.run import Run
from isobath.study.schema import ConfigError
from isobath.workflow import own, plan


def lay_own_of(folder: Path, source: Path | None = None) -> None:
    """Lay the user's own folders of the run of ``results/<scale>`` over the package, where it has a config.

    The config lies in ``source``, or beside ``results``; there is none beside a folder that was moved elsewhere.
    """
    try:
        home = source or arguments.home_of(folder)[0]
    except ConfigError:
        return
    config = loading.config_file(home)
    if config.is_file():
        own.lay(home, loading.part(config).get("own"))


def of_verdicts(file: Path, record: Mapping[str, Any], source: Path | None = None) -> Iterator[str]:
    """Yield a line per reason why verdicts are not those that the next run would make, or why that is not known."""
    try:
        for reason in (*verdict_files.stale(file, record), *of_settings(file, record, source)):
            yield f"Stale: {reason}; run the workflow."
    except ConfigError as error:
        yield f"Not compared with the present settings: {error}"


def of_settings(file: Path, record: Mapping[str, Any], source: Path | None = None) -> Iterator[str]:
    """Yield a sentence per way in which verdicts were made with other settings than the study has now.

    The study is looked up in ``source``, or beside ``results``; one that is not there is not compared. The seed is that
    of the results: it may be the command line's.
    """
    home, scale = arguments.home_of(file.parents[1])
    name, all_studies = file.parent.name, places.studies(source or home)
    if name not in all_studies:
        return
    study = plan.load_study(all_studies[name], scale, all_studies)
    cubes = {}
    for grid, path in verdict_files.cubes(file, record).items():
        with contextlib.suppress(OSError):  # what is missing or damaged is said elsewhere
            cubes[grid] = read_attributes(path)
    settings = {"scale": scale, "studies": [name], "seed": next((cube.get("seed") for cube in cubes.values()), 0)}
    run = Run(loading.config_of(settings, str(file)), {name: study})

    def differs(rule: str, made_by: Mapping[str, Any], **names: str) -> bool:
        return spec_text(plan.spec(run, rule, {"study": name, **names})) != made_by.get("spec")

    if changed := [grid for grid in study.grids if grid in cubes and differs("cubes", cubes[grid], grid=grid)]:
        yield f"the settings of {', '.join(changed)} have changed since the results were made"
    if differs("verdicts", record):
        yield "the claims or the grids of the study have changed since the verdicts were made"


def of_page(folder: Path, source: Path | None = None) -> Iterator[str]:
    """Yield the path of the page of ``results/<scale>``, and a line per way in which it does not show its results.

    Studies are compared by the digests of their contents on the page. The config lies in ``source``, or beside
    ``results``.
    """
    page = folder / page_kind.FILE
    if not page.is_file():
        yield f"There is no page {page}: run the workflow."
        return
    try:
        attrs = read_attributes(page)
        studies, digests = json.loads(attrs["spec"])["studies"], json.loads(attrs["studies"])
    except (store.CorruptedStore, KeyError):
        yield f"The page {page} is damaged, or of an earlier version: run the workflow."
        return
    yield f"Page: {page}"
    changed = [
        name
        for name in digests
        if store.inputs(page_kind.existing_paths(folder / name, studies[name])) != digests[name]
    ]
    if changed:
        yield f"  It was made before {_listed(changed)} changed: run the workflow."
    if missing := [name for name in _studies(folder, source) if name not in studies]:
        yield f"  It does not show {_listed(missing)}: run the workflow with all studies."


def _studies(folder: Path, source: Path | None) -> list[str]:
    """Return the studies that config.yaml names, and those that were judged."""
    try:
        studies = loading.named_studies(source or arguments.home_of(folder)[0])
    except ConfigError:
        studies = []
    return list(dict.fromkeys([*studies, *(file.parent.name for file in verdict_files.find(folder))]))


def _listed(studies: list[str]) -> str:
    return f"the stud{'y' if len(studies) == 1 else 'ies'} {', '.join(studies)}"
