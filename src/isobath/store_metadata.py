"""Attributes and metadata of stored results, read from the zip that a store is, without zarr: plans read them too."""

import contextlib
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from isobath.paths import obstacle


def attributes(path: Path) -> dict[str, Any]:
    """Return the attributes of a store; its arrays and its checksum are not read. Raises ValueError, OSError."""
    with _archive(path) as archive:
        attrs: dict[str, Any] = json.loads(archive.read("zarr.json"))["attributes"]
        return attrs


def metadata(path: Path) -> dict[str, dict[str, Any]]:
    """Return the zarr.json of every group and array of a store, by path ("" is the root). Raises ValueError, OSError.

    Arrays and the checksum are not read.
    """
    with _archive(path) as archive:
        names = [name for name in archive.namelist() if name.rpartition("/")[2] == "zarr.json"]
        return {name.rpartition("/")[0]: json.loads(archive.read(name)) for name in names}


@contextlib.contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open the zip of a store, to be read in the block.

    Raises ValueError for an incomplete one, and for a path that is no file, such as a pipe, which would be read for
    ever.
    """
    if obstruction := obstacle(path):
        raise ValueError(f"{path}: it is {obstruction}")
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, KeyError, TypeError, RuntimeError, ValueError):
        raise ValueError(f"{path}: it is not a complete store") from None


def dims(array: Mapping[str, Any]) -> list[str]:
    """Return the dims of an array by its metadata; a scalar or a group has no entry for them."""
    return array.get("dimension_names") or []


def spec_text(spec: Mapping[str, Any]) -> str:
    """Return the text of a spec that results have in their attributes, and that is compared with theirs."""
    return json.dumps(spec, sort_keys=True)
