"""Attributes and metadata of stored results, read from the zip that a store is, without zarr: plans read them too."""

import json
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isobath.paths import obstacle


def attributes(path: Path) -> dict[str, Any]:
    """Return the attributes of a store; its arrays and its checksum are not read. Raises ValueError, OSError."""
    _require_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            attrs: dict[str, Any] = json.loads(archive.read("zarr.json"))["attributes"]
    except (zipfile.BadZipFile, struct.error, EOFError, KeyError, RuntimeError, ValueError):
        raise ValueError(f"{path}: it is not a complete store") from None
    return attrs


def metadata(path: Path) -> dict[str, dict[str, Any]]:
    """Return the zarr.json of every group and array of a store, by path ("" is the root). Raises ValueError, OSError.

    Arrays and the checksum are not read.
    """
    _require_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.rpartition("/")[2] == "zarr.json"]
            return {name.rpartition("/")[0]: json.loads(archive.read(name)) for name in names}
    except (zipfile.BadZipFile, struct.error, EOFError, KeyError, RuntimeError, ValueError):
        raise ValueError(f"{path}: it is not a complete store") from None


def _require_file(path: Path) -> None:
    """Refuse what is no file, such as a pipe, which would be read for ever. Raises ValueError."""
    if obstruction := obstacle(path):
        raise ValueError(f"{path}: it is {obstruction}")


def dims(array: Mapping[str, Any]) -> list[str]:
    """Return the dims of an array by its metadata; a scalar or a group has no entry for them."""
    return array.get("dimension_names") or []
