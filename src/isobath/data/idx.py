"""Reader of the IDX format, in which MNIST and its relatives are published.

A file begins with a header of big-endian integers: 0, 0, the type (8 for bytes), the number of axes, the length of
each axis as 32 bits. The values follow as unsigned bytes in row-major order. Files are read in memory. Any other file
is refused: one that is shifted by a byte would give plausible nonsense.
"""

import gzip
import io
import math
import struct
import zlib

import numpy as np

UNSIGNED_BYTE = 0x08
CLASSES = 10


def images(content: bytes, *, name: str) -> np.ndarray:
    """Read the images of a gzipped IDX file: uint8 (n, rows, columns). Errors mention ``name``. Raises ValueError."""
    return _array(content, 3, name)


def labels(content: bytes, *, name: str) -> np.ndarray:
    """Read the labels of a gzipped IDX file: uint8 (n,), each 0 .. 9. Errors mention ``name``. Raises ValueError."""
    classes = _array(content, 1, name)
    if classes.max() >= CLASSES:
        raise ValueError(f"{name}: a label is {classes.max()}; allowed: 0 to {CLASSES - 1}")
    return classes


def pair(files: tuple[bytes, bytes], *, names: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """Read images (n, rows, columns) and labels (n,) from two files, which must agree on n. Raises ValueError."""
    x, y = images(files[0], name=names[0]), labels(files[1], name=names[1])
    if len(x) != len(y):
        raise ValueError(f"{names[0]} has {len(x)} images and {names[1]} {len(y)} labels; they must be as many")
    return x, y


def _array(content: bytes, axes: int, name: str) -> np.ndarray:
    raw = _unzipped(content, name)
    magic, expected = raw[:4], bytes((0, 0, UNSIGNED_BYTE, axes))
    if magic != expected:
        raise ValueError(f"{name}: starts with 0x{magic.hex()}; unsigned bytes in {axes} axes start 0x{expected.hex()}")
    start = 4 + 4 * axes
    if len(raw) < start:
        raise ValueError(f"{name}: ends after {len(raw)} bytes; its header alone has {start}")
    shape = struct.unpack(f">{axes}I", raw[4:start])
    if not all(shape):
        raise ValueError(f"{name}: is of shape {shape}; every length must be at least 1")
    if len(raw) - start != math.prod(shape):
        raise ValueError(f"{name}: has {len(raw) - start} bytes of values; its shape {shape} needs {math.prod(shape)}")
    return np.frombuffer(raw, np.uint8, offset=start).reshape(shape)


def _unzipped(content: bytes, name: str) -> bytes:
    try:
        with gzip.open(io.BytesIO(content)) as stream:
            return stream.read()  # reading to the end compares the checksum of the content
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{name}: can't be unzipped ({error}); it must be a complete .gz file") from None
