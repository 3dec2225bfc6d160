"""Drawings of figures, with the records that have their captions and checksums."""

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

from isobath.disk import store
from isobath.results import figures as kind


class Drawing(NamedTuple):
    """A drawn figure: its record, and the bytes of its files by format."""

    record: dict[str, Any]
    files: dict[str, bytes]


def read(folder: Path, figure: str, formats: tuple[str, ...] = ("svg", "png")) -> Drawing | None:
    """Return a figure of the study in ``folder``; None if it was not drawn. Raises CorruptedStore for other bytes."""
    path = folder / kind.PATH.format(figure=figure)
    if not path.exists():
        return None
    record = store.read_record(path)
    files = {suffix: folder / kind.DRAWING.format(figure=figure, format=suffix) for suffix in formats}
    if lacking := [file.name for file in files.values() if file.name not in record.get("files", {})]:
        raise store.CorruptedStore(path, f"it is no record of the figure: it lacks {', '.join(lacking)}")
    return Drawing(record, {suffix: _checked(file, record["files"][file.name]) for suffix, file in files.items()})


def _checked(path: Path, digest: str) -> bytes:
    store.require_file(path)
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        raise store.CorruptedStore(path, "its content does not match the checksum in its record")
    return content
