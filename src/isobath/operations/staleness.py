"""Stale verdicts and pages: the results that they show have changed since, as the digests in them tell."""

import json
from collections.abc import Iterator
from pathlib import Path

from isobath.disk import store, verdict_files
from isobath.disk.attributes import read_attributes
from isobath.operations import arguments
from isobath.results import page as page_kind
from isobath.study import layers, loading
from isobath.study.schema import ConfigError
from isobath.workflow import own


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
        own.lay(home, layers.read(config).get("own"))


def of_page(folder: Path) -> Iterator[str]:
    """Yield the path of the page of ``results/<scale>``, and a line per way in which it does not show its results.

    Studies are compared by the digests of their contents on the page.
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
    if missing := [name for name in _studies(folder) if name not in studies]:
        yield f"  It does not show {_listed(missing)}: run the workflow with all studies."


def _studies(folder: Path) -> list[str]:
    """Return the studies that config.yaml names, and those that were judged."""
    try:
        studies = loading.named_studies(arguments.home_of(folder)[0])
    except ConfigError:
        studies = []
    return list(dict.fromkeys([*studies, *(file.parent.name for file in verdict_files.find(folder))]))


def _listed(studies: list[str]) -> str:
    return f"the stud{'y' if len(studies) == 1 else 'ies'} {', '.join(studies)}"
