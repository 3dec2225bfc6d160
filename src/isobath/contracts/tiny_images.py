"""Tiny made-up images of digits, and the files of MNIST and of CIFAR that hold such images."""

import gzip
import io
import struct
import tarfile
from collections.abc import Iterable
from functools import partial

import numpy as np

from isobath.data import cifar_binary
from isobath.randomness import Name, stream
from isobath.tasks import mnist_parity

zipped = partial(gzip.compress, mtime=0)  # the time would be in the names of tests

TEMPLATES = stream(0, "templates").integers(0, 200, (10, 6, 5))
MEMBERS = (*cifar_binary.TRAIN, *cifar_binary.TEST)


def as_idx(values: np.ndarray, *, magic: bytes | None = None) -> bytes:
    """Return values as an IDX file; its first four bytes are ``magic``, or those of unsigned bytes in as many dims."""
    header = struct.pack(">BBBB", 0, 0, 8, values.ndim) if magic is None else magic
    return header + struct.pack(f">{values.ndim}I", *values.shape) + values.astype(np.uint8).tobytes()


def drawn(n: int, *names: Name) -> tuple[np.ndarray, np.ndarray]:
    """Return noisy images of a template for each digit, integers (n, 6, 5), and the digits (n,)."""
    generator = stream(1, "images", n, *names)
    digits = np.concatenate([np.arange(10), generator.integers(0, 10, n - 10)])
    return TEMPLATES[digits] + generator.integers(0, 50, (n, 6, 5)), digits


def mnist(train: int = 300, test: int = 100, *, size: tuple[int, int] = (6, 5)) -> dict[str, bytes]:
    """Return the files of MNIST, name -> content, with images of a size and a black border."""
    border = [(0, 0), *((0, full - inner) for full, inner in zip(size, (6, 5), strict=True))]
    pairs = [drawn(n) for n in (train, test)]
    parts = [part for images, digits in pairs for part in (np.pad(images, border), digits)]
    return {name: zipped(as_idx(part)) for name, part in zip(mnist_parity.FILES, parts, strict=True)}


def records(n: int, *names: Name) -> np.ndarray:
    """Return records of CIFAR, uint8 (n, 3073): a label and the pixels."""
    generator = stream(2, "records", *names)
    return np.column_stack([np.arange(n) % 10, generator.integers(0, 256, (n, 3072))]).astype(np.uint8)


def archive(members: Iterable[tuple[str, bytes]], *, extra: Iterable[tarfile.TarInfo] = ()) -> bytes:
    """Return a packed archive with members, name and content, in the folder of CIFAR, and ``extra`` entries."""
    raw = io.BytesIO()
    with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in members:
            info = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        for info in extra:
            tar.addfile(info)
    return raw.getvalue()


def cifar(**changes: bytes | None) -> dict[str, bytes]:
    """Return the members of the archive of CIFAR, name -> content, with ``changes``; None leaves a member out."""
    batches: dict[str, bytes | None] = {name: records(20, name).tobytes() for name in MEMBERS}
    batches["readme.html"] = b"<html>"
    return {name: content for name, content in (batches | changes).items() if content is not None}
