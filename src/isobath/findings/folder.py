"""Folder of findings: its files are composed, written, read again and compared."""

import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from isobath.archive import datapackage
from isobath.disk import whole_files
from isobath.disk.store import require_file
from isobath.findings import (
    METHODS,
    OVERVIEW,
    FindingsError,
    ledger,
    markdown,
    methods,
    overview,
    page_of,
    study_page,
    tables,
)
from isobath.findings.contents import Findings

LIMIT = 10_000_000  # bytes of all files together
OF_ALL = {OVERVIEW, METHODS, ledger.NAME, tables.VERDICTS, tables.NUMBERS, datapackage.NAME}  # of any findings

Files = Mapping[str, bytes]  # by their names in the folder


def compose(findings: Findings, texts: Mapping[str, str], licence: str) -> Files:
    """Return all files of the findings; ``licence`` is that of the data. Raises FindingsError beyond LIMIT."""
    pages = {
        OVERVIEW: overview.lines(findings, texts.get("", "")),
        METHODS: methods.lines(findings),
        **{
            page_of(study): study_page.lines(findings, study, texts.get(study, "")) for study in findings.ledger.studies
        },
    }
    tabulated = tables.write(findings.claims, findings.ledger)
    data = {ledger.NAME: findings.ledger.content(), **tabulated, datapackage.NAME: tables.package(tabulated, licence)}
    files = {**{name: markdown.page(lines) for name, lines in pages.items()}, **data, **findings.files}
    size = sum(map(len, files.values()))
    if size > LIMIT:
        raise FindingsError(f"the findings have {size / 1e6:.1f} MB; at most {LIMIT / 1e6:.0f} MB are allowed")
    return files


def write(folder: Path, files: Files) -> None:
    """Write the files, and remove those of earlier findings in the folder that these do not have.

    A failure while they are written changes nothing. Raises FindingsError for a file that would be replaced and is not
    one of findings, OSError.
    """
    _require_own(folder, files)
    existing = _files(folder)
    earlier = _earlier(folder) & existing.keys()
    changed = _changed(existing, files)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".", suffix=".partial") as staging:
        for name in changed:
            whole_files.replace(Path(staging, name), files[name])
            (folder / name).parent.mkdir(exist_ok=True)
        for name in sorted(changed, key=_turn):
            Path(staging, name).replace(folder / name)
    for name in earlier - files.keys():
        existing[name].unlink()


def _turn(name: str) -> int:
    """Return when a new file takes its place: tables and figures, then the ledger that names them, then the pages.

    Whatever the ledger says is there once it is; the pages can be made again from these.
    """
    return 2 if name.endswith(".md") else 1 if name == ledger.NAME else 0


def read(folder: Path) -> Findings:
    """Return the findings in a folder by its tables and its ledger.

    Raises FindingsError if there are none, or if they are not those of the verdicts that the ledger names;
    FileNotFoundError for a table or a figure that is missing.
    """
    record = _ledger(folder)
    for name in (tables.VERDICTS, tables.NUMBERS):
        require_file(folder / name)
    verdicts, numbers = ((folder / name).read_bytes() for name in (tables.VERDICTS, tables.NUMBERS))
    drawings = {figure.file: _figure(folder / figure.file, figure.sha256) for figure in record.figures if figure.file}
    return Findings(record, tables.read(verdicts, numbers, record), drawings).checked()


def differences(folder: Path, files: Files) -> list[str]:
    """Return the names of the files that ``write`` would change or remove."""
    existing = _files(folder)
    return sorted({*_changed(existing, files), *(_earlier(folder) & existing.keys() - files.keys())})


def foreign(folder: Path, files: Files) -> list[str]:
    """Return the names of the files in a folder that ``write`` leaves alone, but for hidden ones."""
    others = _files(folder).keys() - files.keys() - _earlier(folder)
    return sorted(name for name in others if not any(part.startswith(".") for part in Path(name).parts))


def _changed(existing: Mapping[str, Path], files: Files) -> list[str]:
    """Return the names of the files that do not exist, or that have other bytes."""
    return [name for name, content in files.items() if name not in existing or existing[name].read_bytes() != content]


def _require_own(folder: Path, files: Files) -> None:
    """Refuse to replace what is not of earlier findings; equal files stay, as those of findings without a ledger."""
    try:
        _ledger(folder)
        owned = OF_ALL | _earlier(folder)
    except FindingsError:
        owned = {*files} if _is_ledger(folder / ledger.NAME) else set()
    for name, content in files.items():
        path = folder / name
        if path.exists() and name not in owned and not (path.is_file() and path.read_bytes() == content):
            raise FindingsError(f"{path} is there and is not of findings; move it, or name another folder as --output")


def _is_ledger(path: Path) -> bool:
    """Tell whether a file is the ledger of findings, perhaps of another version of isobath."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and {"studies", "runs"} <= content.keys()


def _ledger(folder: Path) -> ledger.Ledger:
    path = folder / ledger.NAME
    if not path.is_file():
        raise FindingsError(f"{path} is missing: the folder has no findings that could be kept or written anew")
    try:
        return ledger.Ledger.of(path.read_bytes())
    except ValidationError as error:
        raise FindingsError(f"{path} is not a provenance of findings: {error.errors()[0]['msg']}") from None
    except ValueError as error:
        raise FindingsError(f"{path} is not a provenance of findings: {error}") from None


def _figure(path: Path, digest: str) -> bytes:
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        raise FindingsError(f"{path} is not the drawing that {ledger.NAME} names")
    return content


def _files(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}


def _earlier(folder: Path) -> set[str]:
    """Return the names of the pages and figures of the findings in a folder; none where its ledger is not one."""
    try:
        record = _ledger(folder)
    except FindingsError:
        return set()
    return {page_of(study) for study in record.studies} | {figure.file for figure in record.figures}
