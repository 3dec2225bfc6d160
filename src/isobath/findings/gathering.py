"""Gathering of findings from results: verdicts that belong to their cubes, counts of networks, figures, core-hours."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from isobath.disk import commits, drawings, store, usage, verdict_files
from isobath.findings import FindingsError, figures, outlines
from isobath.findings.contents import Findings
from isobath.findings.figures import Figure
from isobath.findings.ledger import Cube, Judged, Key, Ledger, Outline, Statement, completed, runs
from isobath.page.contents import Study
from isobath.page.provenance import gathered

Verdicts = Mapping[Key, tuple[Path, Mapping[str, Any]]]  # the verdicts.json of each study in each run, and its content


def gather(folders: Sequence[Path], source: Path) -> Findings:
    """Return the findings of the runs in ``folders``, results/<scale> each, with all studies of the workflow.

    Raises FindingsError, ConfigError, CorruptedStore, FileNotFoundError.
    """
    verdicts = _verdicts(folders)
    commit, changed = commits.of(source)
    changed = changed or bool(commit and commits.own_changed())
    judged = {key: _judged(file, record, commit) for key, (file, record) in verdicts.items()}
    claims = {key: record["claims"] for key, (_, record) in verdicts.items()}
    exhibits, files = figures.choose(_drawn(verdicts, judged))
    studies = _outlines(source, verdicts)
    ledger = Ledger(commit=commit, changed=changed, studies=studies, runs=runs(judged), figures=exhibits)
    return Findings(ledger, claims, files).checked()


def _verdicts(folders: Sequence[Path]) -> Verdicts:
    """Return the verdicts of all studies and runs, sorted. Refuses two of one study, scale and seed."""
    found: dict[Key, tuple[Path, Mapping[str, Any]]] = {}
    for file in (file for folder in folders for file in verdict_files.find(folder)):
        record = store.read_record(file)
        key = Key(record["scale"], _seed(file, record), record["study"])
        if key in found:
            raise FindingsError(f"{file} and {found[key][0]} are both {key.study} at {key.scale} with seed {key.seed}")
        found[key] = file, record
    return dict(sorted(found.items()))


def _seed(file: Path, record: Mapping[str, Any]) -> int:
    """Return the seed of the cubes that verdicts were made from; refuse verdicts of other cubes than those there."""
    if why := verdict_files.other_cubes(file, record):
        raise FindingsError(f"{file}: the verdicts are not those of the cubes beside them: {why}; run the workflow")
    seeds = {int(_whole(cube)["seed"]) for cube in verdict_files.cubes(file, record).values()}
    if len(seeds) != 1:
        raise FindingsError(f"{file}: its cubes have the seeds {sorted(seeds)}; those of a run share one")
    return seeds.pop()


def _whole(cube: Path) -> Mapping[str, Any]:
    """Return the attributes of a cube; refuse one with gaps, whose verdicts the next run would change."""
    attributes = store.attributes(cube)
    if "failed" in attributes:
        raise FindingsError(
            f"{cube}: it has gaps, since jobs of {attributes['failed']} results failed; run the workflow"
        )
    return attributes


def _judged(file: Path, record: Mapping[str, Any], commit: str) -> Judged:
    paths = verdict_files.cubes(file, record)
    made = [record, *(store.attributes(path) for path in paths.values())]
    return Judged(
        sha256=store.digest(file),
        about={key: value for key, value in record.items() if key != "claims"},
        commit=commit,
        current=verdict_files.is_current("verdicts", record),
        cubes={grid: _cube(file.parent.name, grid, path) for grid, path in paths.items()},
        made_by={
            key: sorted({each[key] for each in made if key in each}) for key in ("versions", "processor", "device")
        },
        hours=usage.core_hours(file.parent),
    )


def _cube(study: str, grid: str, path: Path) -> Cube:
    cube = store.read_cube(path)
    (found,) = gathered([Study(study, "", "", cubes={grid: cube})])
    counts = {"networks": dict(sorted(found.networks.items())), "cells": dict(found.cells)}
    return Cube(sha256=store.digest(path), current=verdict_files.is_current("cubes", cube.attrs), **counts)


def _drawn(verdicts: Verdicts, judged: Mapping[Key, Judged]) -> figures.Drawn:
    """Return every figure of every study, from the run with most networks that drew it, of equals the first."""
    found: dict[Figure, figures.Shown] = {}
    for key, (file, _) in sorted(verdicts.items(), key=lambda item: -judged[item[0]].networks):
        for name in (path.stem for path in sorted((file.parent / "figures").glob("*.json"))):
            drawing = None if Figure.of(key, name) in found else drawings.read(file.parent, name)
            if drawing is not None:
                found[Figure.of(key, name)] = figures.shown(key, name, drawing)
    return found


def _outlines(source: Path, verdicts: Verdicts) -> dict[str, Outline]:
    """Return the studies of the workflow, and judged ones that it does not have, with all their claims."""
    scale = next(iter(verdicts)).scale
    found = dict(outlines.read(source, scale))
    found |= outlines.judged(source, scale, sorted({key.study for key in verdicts} - found.keys()))
    for key, (_, record) in verdicts.items():
        outline = found.get(key.study) or _unknown(key.study, record["source"])
        found[key.study] = completed(outline, map(_statement, record["claims"]))
    return found


def _unknown(study: str, source: str) -> Outline:
    """Return the outline of a study that is nowhere any more."""
    return Outline(title=study, source=source, claims_commit="", settings_commit="", claims=[])


def _statement(claim: Mapping[str, Any]) -> Statement:
    return Statement(**{name: claim[name] for name in Statement.model_fields})
