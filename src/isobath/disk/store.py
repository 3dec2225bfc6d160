"""Labelled arrays on disk: one result is one file, complete or absent, and checked on every read.

A result is a zarr v3 store inside a zip archive, ``*.zarr.zip``. The archive is made in memory
with sorted members and a fixed date, so equal data are equal bytes; it is written beside its
final name, fsynced and renamed. The archive's comment is the SHA-256 of all that precedes it:
a flipped bit or a missing tail anywhere is an error, and never a wrong number.
"""

import contextlib
import functools
import hashlib
import io
import json
import math
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from zarr.codecs import ZstdCodec
from zarr.storage import MemoryStore, ZipStore

from isobath import store_metadata
from isobath.disk import whole_files
from isobath.paths import STORE, obstacle

_DIGEST = 64  # characters of a SHA-256 in hexadecimal
_AT_ONCE = 2**22  # bytes of a file that are summed at once


class CorruptedStore(OSError):
    """A damaged result. Once the file is removed, the next run rebuilds it."""

    IS = "damaged"

    def __init__(self, path: Path, reason: str) -> None:
        remedy = "once it is removed (isobath verify --set-aside), the next run rebuilds it"
        super().__init__(f"{path}: {reason}. The file is {self.IS}; {remedy}.")
        self.path, self.reason = Path(path), reason

    def set_aside(self) -> None:
        """Rename the file to ``*.damaged`` and say so, unless another job has done so, or it can't be renamed."""
        aside = self.path.with_name(self.path.name + ".damaged")
        with contextlib.suppress(OSError):
            self.path.replace(aside)
            renamed = f"The file is {self.IS}, and was renamed to {aside.name}; the next run rebuilds it."
            self.args = (f"{self.path}: {self.reason}. {renamed}",)


class Misplaced(CorruptedStore):
    """A sound result under the name of another."""

    IS = "not the one of this name"


def write(data: xr.Dataset | xr.DataTree, path: Path) -> None:
    """Write ``data`` to ``path``: readers see the whole store or the previous file.

    Raises ValueError for names that zarr would take for a path, OSError if the file can't be written.
    """
    nodes = [n.to_dataset(inherit=False) for n in data.subtree] if isinstance(data, xr.DataTree) else [data]
    for node in nodes:
        _refuse_odd_names(node, path)
    tree = data if isinstance(data, xr.DataTree) else xr.DataTree(data)
    members = MemoryStore()
    clean = tree.map_over_datasets(lambda d: _strings_as_objects(d.drop_encoding()))
    encoding = {n.path: _encoding(n.to_dataset(inherit=False)) for n in clean.subtree}
    clean.to_zarr(members, zarr_format=3, consolidated=False, encoding=encoding, write_inherited_coords=False)
    whole_files.replace(path, _sealed({k: v.to_bytes() for k, v in members._store_dict.items()}))


def read(path: Path) -> xr.Dataset:
    """Read the dataset at ``path`` into memory. Raises CorruptedStore, FileNotFoundError."""
    return read_tree(path).to_dataset()


def read_tree(path: Path) -> xr.DataTree:
    """Read the tree at ``path`` into memory. Raises CorruptedStore, FileNotFoundError."""
    verify(path)
    with contextlib.closing(ZipStore(path, mode="r")) as store:
        return _in_order(_tree(store).load())


def open_tree(path: Path) -> xr.DataTree:
    """Open the tree at ``path`` after comparing its checksum; numbers are read when they are used.

    A file that replaces it later is not seen. Raises CorruptedStore, FileNotFoundError.
    """
    verify(path)
    return _in_order(_tree(ZipStore(path, mode="r")))


def _tree(store: ZipStore) -> xr.DataTree:
    return xr.open_datatree(store, engine="zarr", consolidated=False)  # type: ignore[arg-type]


def _in_order(tree: xr.DataTree) -> xr.DataTree:
    """Sort the variables: a zarr group lists its arrays in no order, and results made of them need one."""
    return tree.map_over_datasets(lambda d: _strings_as_objects(d[sorted(d.variables)]))


def digest(path: Path) -> str:
    """Return the SHA-256 of a file; that of a store is read from its last bytes, not computed.

    Raises CorruptedStore for what is no file, FileNotFoundError.
    """
    require_file(path)
    with Path(path).open("rb") as file:
        if not path.name.endswith(STORE):
            return hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(max(0, file.seek(0, os.SEEK_END) - _DIGEST))
        return file.read().decode("ascii", errors="replace")


def inputs(paths: Iterable[Path], digest: Callable[[Path], str] = digest) -> str:
    """Return one digest of the content of all files that a result was made from, in any order."""
    return hashlib.sha256("".join(sorted(map(digest, paths))).encode()).hexdigest()[:16]


def write_record(record: Mapping[str, Any], path: Path) -> None:
    """Write plain data as JSON, with the SHA-256 of the rest as its last entry. Raises ValueError for NaN."""
    whole_files.replace(path, record_bytes(record))


def read_record(path: Path) -> dict[str, Any]:
    """Read data that ``write_record`` wrote. Raises CorruptedStore, FileNotFoundError."""
    require_file(path)
    content = Path(path).read_bytes()
    try:
        record: dict[str, Any] = json.loads(content)
        del record["sha256"]
        complete = content == record_bytes(record)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise CorruptedStore(path, "it is not a complete record") from None
    if not complete:
        raise CorruptedStore(path, "its content does not match its checksum")
    return record


def record_bytes(record: Mapping[str, Any]) -> bytes:
    """Return the file of a record. Raises ValueError for NaN."""
    dumps = functools.partial(json.dumps, allow_nan=False, default=_plain)
    record = json.loads(dumps(record))  # as it will be read: its keys are strings
    seal = hashlib.sha256(dumps(record, sort_keys=True).encode()).hexdigest()
    return f"{dumps({**record, 'sha256': seal}, indent=2, ensure_ascii=False)}\n".encode()


def _plain(value: Any) -> Any:
    """Return a number that JSON does not know, such as a bound of a claim that is one of NumPy's, as one of Python."""
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"{value!r:.80} is no plain data")


def attributes(path: Path) -> dict[str, Any]:
    """Read the attributes of a store without its arrays. Raises CorruptedStore, FileNotFoundError."""
    require_file(path)
    try:
        return store_metadata.attributes(path)
    except ValueError:
        raise CorruptedStore(path, "it is not a complete store") from None


def metadata(path: Path) -> dict[str, dict[str, Any]]:
    """Read the zarr.json of every group and array of a store, by path ("" is the root), after comparing its checksum.

    Raises CorruptedStore, FileNotFoundError.
    """
    verify(path)
    return store_metadata.metadata(path)


def require_file(path: Path) -> None:
    """Raise CorruptedStore where a folder, a link to nothing or a pipe, which has no end, lies at ``path``."""
    if obstruction := obstacle(Path(path)):
        raise CorruptedStore(path, f"it is {obstruction}")


def verify(path: Path) -> None:
    """Raise CorruptedStore unless the file is equal to the bit to one that ``write`` made."""
    require_file(path)
    with Path(path).open("rb") as file:
        left, seal = file.seek(0, os.SEEK_END) - _DIGEST - 2, hashlib.sha256()
        file.seek(0)
        while content := file.read(min(max(left, 0), _AT_ONCE)):
            seal.update(content)
            left -= len(content)
        tail = file.read()
    if left or tail[:-_DIGEST] != _DIGEST.to_bytes(2, "little"):
        raise CorruptedStore(path, "it is not a complete store")
    if seal.hexdigest().encode() != tail[-_DIGEST:]:
        raise CorruptedStore(path, "its content does not match its checksum")


def read_cube(path: Path) -> xr.DataTree:
    """Read the cube at ``path``, .../<scale>/<study>/cubes/<grid>.zarr.zip. Raises Misplaced unless it is that one."""
    tree = read_tree(path)
    require_place(path, tree.attrs)
    return tree


def open_cube(path: Path) -> xr.DataTree:
    """Open the cube at ``path`` as ``open_tree`` does. Raises Misplaced unless it is that one."""
    tree = open_tree(path)
    require_place(path, tree.attrs)
    return tree


def require_place(path: Path, attrs: Mapping[Any, Any]) -> None:
    """Raise Misplaced unless a cube says, in its attributes, the scale, study and grid of its path."""
    *_, scale, study, _, file = Path(os.path.abspath(path)).parts  # noqa: PTH100 (resolve() would follow links)
    by_path = {"scale": scale, "study": study, "grid": file.removesuffix(STORE)}
    by_attributes = {key: attrs.get(key) for key in by_path}
    if None in by_attributes.values():
        raise Misplaced(path, "it does not say its scale, study and grid, as cubes of earlier versions do not")
    if by_attributes != by_path:
        raise Misplaced(
            path, "it is the cube of " + ", ".join(f"{key} {value}" for key, value in by_attributes.items())
        )


def _encoding(dataset: xr.Dataset) -> dict[Any, dict[str, Any]]:
    return {name: {"compressors": [ZstdCodec(level=3, checksum=True)]} for name in dataset.variables}


def _strings_as_objects(dataset: xr.Dataset) -> xr.Dataset:
    """Convert strings to objects.

    Fixed-width strings have no zarr v3 specification, and numpy's StringDType does not compare as xarray expects.
    """
    strings = {name: v.astype(object) for name, v in dataset.variables.items() if v.dtype.kind in "UT"}
    return dataset.assign({n: v for n, v in strings.items() if n in dataset.data_vars}).assign_coords(
        {n: v for n, v in strings.items() if n in dataset.coords}
    )


def _refuse_odd_names(dataset: xr.Dataset, path: Path) -> None:
    for name in (*dataset.variables, *dataset.dims):
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"{path}: {name!r} can't name a variable or dimension; it must be an identifier")
    for owner, attrs in (("the dataset", dataset.attrs), *((n, v.attrs) for n, v in dataset.variables.items())):
        for key, value in attrs.items():
            finite = isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))
            if not finite:
                raise ValueError(
                    f"{path}: attribute {key!r} of {owner} is {value!r}; it must be a string or a finite number, and "
                    "Python's own, not NumPy's"
                )


def _sealed(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(members):
            archive.writestr(zipfile.ZipInfo(name), members[name])
    body = buffer.getvalue()[:-2]  # all but the length of the (empty) comment
    return body + _DIGEST.to_bytes(2, "little") + hashlib.sha256(body).hexdigest().encode()
