"""Outlines of all studies of a workflow, whether they were run or not, and the texts that people wrote on them."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from isobath import claim_files, roots
from isobath.disk import commits
from isobath.findings.ledger import Outline, Statement
from isobath.study import layers, places
from isobath.workflow import plan

STUDIES, TEXT = places.STUDIES, "findings.md"
OVERVIEW = f"workflow/{TEXT}"


def read(source: Path, scale: str) -> dict[str, Outline]:
    """Return every study of the workflow in ``source``, and of the user's own, at a scale, by name.

    Where ``source`` has no workflow, the studies that came with the package are not among them. Raises ConfigError.
    """
    known = places.studies(source)
    return {name: _outline(source, name, known, scale) for name in _here(source, known)}


def judged(source: Path, scale: str, studies: Iterable[str]) -> dict[str, Outline]:
    """Return those of the studies that were judged which came with the package, by name. Raises ConfigError."""
    known = places.studies(source)
    return {name: _outline(source, name, known, scale) for name in studies if name in known}


def texts(source: Path, studies: Mapping[str, Outline]) -> dict[str, str]:
    """Return the text on each study, and that on all of them under the name ""; missing texts are left out."""
    here = _here(source, places.studies(source))
    files = {"": source / OVERVIEW, **{name: here.get(name, source / STUDIES / name) / TEXT for name in studies}}
    return {name: file.read_text(encoding="utf-8").strip() for name, file in files.items() if file.is_file()}


def _here(source: Path, known: Mapping[str, Path]) -> dict[str, Path]:
    """Return the studies that lie in ``source`` or in folders of the user's own, by name."""
    ours = source / STUDIES
    return {name: folder for name, folder in known.items() if folder.parent == ours or roots.is_own(str(folder))}


def _outline(source: Path, name: str, known: Mapping[str, Path], scale: str) -> Outline:
    study = plan.load_study(known[name], _scale_of(known[name], known, scale), known)
    found = {claim: claim_files.load_claim(name, claim) for claim in study.claims}
    claims = [
        Statement(claim=name, statement=c.statement, source=c.source, statistic=c.statistic, own=c.own)
        for name, c in found.items()
    ]
    return Outline(
        title=study.title,
        source=study.source,
        claims_commit=commits.last(source, f"src/isobath/claims/{name}*"),
        settings_commit=commits.last(source, f"{STUDIES}/{name}/*.yaml"),
        claims=claims,
        deviations=study.deviations,
        not_judged=study.not_judged,
    )


def _scale_of(folder: Path, known: Mapping[str, Path], scale: str) -> str:
    """Return the scale, or another that the study has if it does not have this one."""
    scales = layers.scales(folder, known)
    return scale if scale in scales or not scales else scales[0]
