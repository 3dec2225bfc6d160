"""Zips whose bytes depend on their members and on the build of zlib alone: sorted, dated 1980, readable by all."""

import contextlib
import hashlib
import io
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

from isobath.disk import whole_files

Content = bytes | Path  # the content of a member, or the file that holds it
SUMS = ("SHA256SUMS", "SHA256SUMS-cells")  # members with the checksums of all others
PACKED = (".zip", ".png")  # members that another compression would not make smaller


def write(members: Mapping[str, Content], path: Path) -> None:
    """Write a zip of ``members`` (name -> content), which is whole or absent. Raises OSError."""
    with whole_files.writing(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name in sorted(members):
            with archive.open(_header(name, size(members[name])), "w") as target, _open(members[name]) as source:
                shutil.copyfileobj(source, target)


def has_sums(path: Path) -> bool:
    """Tell whether a file is a whole zip with checksums of its members, as archives are."""
    try:
        with zipfile.ZipFile(path) as archive:
            return not {*SUMS}.isdisjoint(archive.namelist())
    except (zipfile.BadZipFile, OSError):
        return False


def size(content: Content) -> int:
    """Return the size of a member in bytes."""
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def digest(content: Content) -> str:
    """Return the SHA-256 of a member in hexadecimal."""
    with _open(content) as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def checksums(digests: Mapping[str, str]) -> bytes:
    """Format digests (name -> SHA-256) as ``sha256sum --check`` reads them."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode()


def _header(name: str, length: int) -> zipfile.ZipInfo:
    header = zipfile.ZipInfo(name)
    header.compress_type = zipfile.ZIP_STORED if name.endswith(PACKED) else zipfile.ZIP_DEFLATED
    header.create_system, header.external_attr = 3, 0o100644 << 16  # a plain file of Unix, wherever it is made
    header.file_size = length  # decides between zip and zip64
    return header


def _open(content: Content) -> contextlib.AbstractContextManager[io.BufferedReader | io.BytesIO]:
    return io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")
