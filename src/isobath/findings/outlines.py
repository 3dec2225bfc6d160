"""Outlines of all studies of a workflow, whether they were run or not, and the texts that people wrote on them."""

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from isobath import claim_files, roots
from isobath.analysis.claim_grids import grids_read, without_results
from isobath.disk import commits
from isobath.findings.ledger import Outline, Statement
from isobath.study import layers, places
from isobath.study.schema import Study
from isobath.workflow import plan

STUDIES, TEXT = places.STUDIES, "findings.md"
OVERVIEW = f"workflow/{TEXT}"


def read(source: Path, scale: str) -> dict[str, Outline]:
    """Return every study of the workflow in ``source``, and of the user's own, at a scale, by name.

    Where ``source`` has no workflow, the studies that came with the package are not among them. Raises ConfigError.
    """
    folders = places.studies(source)
    return {name: _outline(source, name, folders, scale) for name in _in_source(source, folders)}


def judged(source: Path, scale: str, studies: Iterable[str]) -> dict[str, Outline]:
    """Return those of the studies that were judged which came with the package, by name. Raises ConfigError."""
    folders = places.studies(source)
    return {name: _outline(source, name, folders, scale) for name in studies if name in folders}


def drawn(source: Path, scale: str, studies: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of the figures of those studies that the workflow has, by study. Raises ConfigError."""
    folders = places.studies(source)
    return {name: [*_study(name, folders, scale).figures] for name in studies if name in folders}


def texts(source: Path, studies: Mapping[str, Outline]) -> dict[str, str]:
    """Return the text on each study, and that on all of them under the name ""; missing texts are left out."""
    folders = _in_source(source, places.studies(source))
    files = {"": source / OVERVIEW, **{name: folders.get(name, source / STUDIES / name) / TEXT for name in studies}}
    return {name: file.read_text(encoding="utf-8").strip() for name, file in files.items() if file.is_file()}


def _in_source(source: Path, folders: Mapping[str, Path]) -> dict[str, Path]:
    """Return the studies that lie in ``source`` or in folders of the user's own, by name."""
    home = source / STUDIES
    return {name: folder for name, folder in folders.items() if folder.parent == home or roots.is_own(str(folder))}


def _outline(source: Path, name: str, folders: Mapping[str, Path], scale: str) -> Outline:
    study = _study(name, folders, scale)
    loaded = {claim: claim_files.load_claim(name, claim) for claim in study.claims}
    claims = [
        Statement(claim=name, statement=c.statement, source=c.source, statistic=c.statistic, own=c.own)
        for name, c in loaded.items()
    ]
    nothing = without_results(study.grids)
    return Outline(
        title=study.title,
        source=study.source,
        claims_commit=commits.last(source, *sorted({_place(name, claim) for claim in study.claims})),
        settings_commit=commits.last(source, f"{STUDIES}/{name}/*.yaml"),
        claims=claims,
        deviations=study.deviations,
        not_judged=study.not_judged,
        grids={name: grids_read(c, nothing) for name, c in loaded.items()},
        misworded={name: c.misworded for name, c in loaded.items() if c.misworded},
    )


def _study(name: str, folders: Mapping[str, Path], scale: str) -> Study:
    return plan.load_study(folders[name], _scale_of(folders[name], folders, scale), folders)


def _place(study: str, claim: str) -> str:
    """Return the file of a claim; the folder, which has its bounds as well, if its study has one."""
    file = PurePosixPath(claim_files.claim_file(study, claim))
    return str(file if file.parent.name == "claims" else file.parent)


def _scale_of(folder: Path, folders: Mapping[str, Path], scale: str) -> str:
    """Return the scale, or another that the study has if it does not have this one."""
    scales = layers.scales(folder, folders)
    return scale if scale in scales or not scales else scales[0]
