"""Reader of the IDX format, in which MNIST and its relatives are published.

A file begins with a header of big-endian integers: 0, 0, the type (8 for bytes), the number of axes, the length of
each axis as 32 bits. The values follow as unsigned bytes in row-major order. Files are read in memory. Any other file
is refused: one that is shifted by a byte would give plausible nonsense.
"""

import math
import struct

import numpy as np

from isobath.data.unzipping import ERRORS, unzipping

MOST = 2**27  # bytes of a file, unzipped: almost three times the images of MNIST
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
    try:
        with unzipping(content, most=MOST, name=name) as stream:
            shape = _shape(stream.read(4 + 4 * axes), axes, name)
            raw = b"".join(stream.chunks())
    except ERRORS as error:
        raise ValueError(f"{name}: can't be unzipped ({error}); it must be a complete .gz file") from None
    if len(raw) != math.prod(shape):
        raise ValueError(f"{name}: has {len(raw)} bytes of values; its shape {shape} needs {math.prod(shape)}")
    return np.frombuffer(raw, np.uint8).reshape(shape)


def _shape(header: bytes, axes: int, name: str) -> tuple[int, ...]:
    magic, expected = header[:4], bytes((0, 0, UNSIGNED_BYTE, axes))
    if magic != expected:
        raise ValueError(f"{name}: starts with 0x{magic.hex()}; unsigned bytes in {axes} axes start 0x{expected.hex()}")
    if len(header) < 4 + 4 * axes:
        raise ValueError(f"{name}: ends after {len(header)} bytes; its header alone has {4 + 4 * axes}")
    shape = struct.unpack(f">{axes}I", header[4:])
    if not all(shape):
        raise ValueError(f"{name}: is of shape {shape}; every length must be at least 1")
    return shape
