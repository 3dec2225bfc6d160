"""Attributes of stored results, read from the zip that a store is, without zarr: the plan of a run reads them too."""

import json
import struct
import zipfile
from pathlib import Path
from typing import Any


def attributes(path: Path) -> dict[str, Any]:
    """Return the attributes of a store; its arrays and its checksum are not read. Raises ValueError, OSError."""
    try:
        with zipfile.ZipFile(path) as archive:
            attrs: dict[str, Any] = json.loads(archive.read("zarr.json"))["attributes"]
    except (zipfile.BadZipFile, struct.error, EOFError, KeyError, RuntimeError, ValueError):
        raise ValueError(f"{path}: it is not a complete store") from None
    return attrs
