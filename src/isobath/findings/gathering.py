"""Gathering of findings from results: verdicts that belong to their cubes, counts of networks, figures, core-hours."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from isobath.disk import commits, drawings, store, usage, verdict_files
from isobath.findings import FindingsError, cube_numbers, figures, outlines
from isobath.findings.contents import Findings
from isobath.findings.figures import Figure
from isobath.findings.ledger import ABOUT, Cube, Judged, Key, Ledger, Outline, Statement, completed, runs
from isobath.page.contents import Study
from isobath.page.provenance import gathered
from isobath.paths import STORE
from isobath.results import page as page_kind

Verdicts = Mapping[Key, tuple[Path, Mapping[str, Any]]]  # the verdicts.json of each study in each run, and its content


def gather(folders: Sequence[Path], source: Path) -> Findings:
    """Return the findings of the runs in ``folders``, results/<scale> each, with all studies of the workflow.

    Raises FindingsError, ConfigError, CorruptedStore, FileNotFoundError.
    """
    verdicts = _verdicts(folders)
    commit, changed = commits.of(source)
    changed = changed or bool(commit and commits.own_changed())
    records = {key: _record(file, record, commit) for key, (file, record) in verdicts.items()}
    claims = {key: record["claims"] for key, (_, record) in verdicts.items()}
    studies = _outlines(source, verdicts)
    exhibits, files = figures.choose(_figures(verdicts, records, _drawn(source, verdicts)))
    ledger = Ledger(commit=commit, changed=changed, studies=studies, runs=runs(records), figures=exhibits)
    return Findings(ledger, claims, files).checked()


def _verdicts(folders: Sequence[Path]) -> Verdicts:
    """Return the verdicts of all studies and runs, sorted. Refuses two of one study, scale and seed."""
    verdicts: dict[Key, tuple[Path, Mapping[str, Any]]] = {}
    for file in (file for folder in folders for file in verdict_files.find(folder)):
        record = store.read_record(file)
        if missing := sorted(ABOUT - record.keys()):
            raise store.CorruptedStore(file, f"it is no record of verdicts: it lacks {', '.join(missing)}")
        key = Key(record["scale"], _seed(file, record), record["study"])
        if key in verdicts:
            raise FindingsError(
                f"{file} and {verdicts[key][0]} are both {key.study} at {key.scale} with seed {key.seed}"
            )
        verdicts[key] = file, record
    return dict(sorted(verdicts.items()))


def _seed(file: Path, record: Mapping[str, Any]) -> int:
    """Return the seed of the cubes that verdicts were made from; refuse verdicts of other cubes than those there."""
    if reason := verdict_files.other_cubes(file, record):
        raise FindingsError(f"{file}: the verdicts are not those of the cubes beside them: {reason}; run the workflow")
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


def _record(file: Path, record: Mapping[str, Any], commit: str) -> Judged:
    paths = verdict_files.cubes(file, record)
    attributes = [record, *(store.attributes(path) for path in paths.values())]
    return Judged(
        sha256=store.digest(file),
        about={key: value for key, value in record.items() if key != "claims"},
        commit=commit,
        page_commit=commits.of_page(file.parents[1] / page_kind.FILE),
        current=verdict_files.is_current("verdicts", record),
        cubes={grid: _cube(file.parent.name, grid, path) for grid, path in paths.items()},
        made_by={
            **{key: sorted({attrs[key] for attrs in attributes if key in attrs}) for key in ("versions", "processor")},
            "device": sorted(_devices(file.parent)),
        },
        hours=usage.core_hours(file.parent),
    )


def _devices(study: Path) -> set[str]:
    """Return the devices, cpu or cuda, on which the results of a study were made, of those that say so."""
    stores = (store.attributes(path) for path in study.rglob(f"*{STORE}"))
    return {attributes["device"] for attributes in stores if "device" in attributes}


def _cube(study: str, grid: str, path: Path) -> Cube:
    cube = store.read_cube(path)
    (content,) = gathered([Study(study, "", "", cubes={grid: cube})])
    counts = {"networks": dict(sorted(content.networks.items())), "cells": dict(content.cells)}
    current = verdict_files.is_current("cubes", cube.attrs)
    return Cube(
        sha256=store.digest(path),
        current=current,
        thresholds=list(cube_numbers.thresholds(cube)),
        variances=list(cube_numbers.variances(cube)),
        **counts,
    )


def _figures(verdicts: Verdicts, records: Mapping[Key, Judged], drawn: Mapping[Key, Collection[str]]) -> figures.Drawn:
    """Return the figures that each study has, from the run with most networks that drew it, of equals the first."""
    by_figure: dict[Figure, figures.Shown] = {}
    for key, (file, _) in sorted(verdicts.items(), key=lambda item: -records[item[0]].networks):
        for name in (path.stem for path in sorted((file.parent / "figures").glob("*.json"))):
            if Figure.of(key, name) in by_figure or name not in drawn.get(key, [name]):
                continue
            if drawing := drawings.read(file.parent, name):
                _require_of_its_cube(file.parent, name, drawing.record)
                by_figure[Figure.of(key, name)] = figures.shown(key, name, drawing)
    return by_figure


def _require_of_its_cube(study: Path, name: str, record: Mapping[str, Any]) -> None:
    cube = study / "figures" / record["cube"]
    if not cube.is_file() or store.inputs([cube]) != record["inputs"]:
        raise FindingsError(f"{study / 'figures' / name}: the figure is not that of {cube.name}; run the workflow")


def _drawn(source: Path, verdicts: Verdicts) -> dict[Key, list[str]]:
    """Return the names of the figures of each study that was judged, at its scale, without those it lacks."""
    by_scale = {key.scale: [k.study for k in verdicts if k.scale == key.scale] for key in verdicts}
    found = {scale: outlines.drawn(source, scale, studies) for scale, studies in by_scale.items()}
    return {key: found[key.scale][key.study] for key in verdicts if key.study in found[key.scale]}


def _outlines(source: Path, verdicts: Verdicts) -> dict[str, Outline]:
    """Return the studies of the workflow, and judged ones that it does not have, with all their claims."""
    scale = next(iter(verdicts)).scale
    by_study = dict(outlines.read(source, scale))
    by_study |= outlines.judged(source, scale, sorted({key.study for key in verdicts} - by_study.keys()))
    for key, (_, record) in verdicts.items():
        outline = by_study.get(key.study) or _unknown(key.study, record["source"])
        by_study[key.study] = completed(outline, map(_statement, record["claims"]))
    return by_study


def _unknown(study: str, source: str) -> Outline:
    """Return the outline of a study that is nowhere any more."""
    return Outline(title=study, source=source, claims_commit="", settings_commit="", claims=[])


def _statement(claim: Mapping[str, Any]) -> Statement:
    return Statement(**{name: claim[name] for name in Statement.model_fields})
