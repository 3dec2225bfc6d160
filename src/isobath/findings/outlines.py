"""Outlines of all studies of a workflow, whether they were run or not, and the texts that people wrote on them."""

from collections.abc import Mapping
from pathlib import Path

from isobath import plugins
from isobath.disk import commits
from isobath.findings.ledger import Outline, Statement
from isobath.study import loading, places

STUDIES, TEXT = "workflow/studies", "findings.md"
OVERVIEW = f"workflow/{TEXT}"


def read(source: Path, scale: str) -> dict[str, Outline]:
    """Return every study of the workflow in ``source`` at a scale, by name. Raises ConfigError."""
    folders = [file.parent for file in sorted((source / STUDIES).glob(f"*/{places.STUDY}"))]
    return {folder.name: _outline(source, folder, scale) for folder in folders}


def texts(source: Path, studies: Mapping[str, Outline]) -> dict[str, str]:
    """Return the text on each study, and that on all of them under the name ""; missing texts are left out."""
    files = {"": source / OVERVIEW, **{name: source / STUDIES / name / TEXT for name in studies}}
    return {name: file.read_text(encoding="utf-8").strip() for name, file in files.items() if file.is_file()}


def _outline(source: Path, folder: Path, scale: str) -> Outline:
    study = loading.load_study(folder, _scale_of(folder, scale))
    found = {name: plugins.load_claim(folder.name, name) for name in study.claims}
    claims = [
        Statement(claim=name, statement=c.statement, source=c.source, statistic=c.statistic, own=c.own)
        for name, c in found.items()
    ]
    return Outline(
        title=study.title,
        source=study.source,
        claims_commit=commits.last(source, f"src/isobath/claims/{folder.name}*"),
        settings_commit=commits.last(source, f"{STUDIES}/{folder.name}/*.yaml"),
        claims=claims,
        deviations=study.deviations,
    )


def _scale_of(folder: Path, scale: str) -> str:
    """Return the scale, or another that the study has if it does not have this one."""
    scales = sorted(file.stem for file in folder.glob("*.yaml") if file.name != places.STUDY)
    return scale if scale in scales or not scales else scales[0]
