"""Unzipping in memory, up to a size: a few megabytes of gzip can hold terabytes."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

ERRORS = (gzip.BadGzipFile, EOFError, zlib.error)  # of content that is no complete gzip
CHUNK = 1 << 20


class Bounded(io.BufferedIOBase):
    """The unzipped bytes of gzipped content, in their order. Reading past the most of them raises ValueError."""

    def __init__(self, stream: gzip.GzipFile, most: int, name: str) -> None:
        self._stream, self._most, self._name = stream, most, name
        self._left = most

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes: ``size`` of them, or fewer at the end."""
        content = self._stream.read(self._left + 1 if size is None or size < 0 else size)
        self._left -= len(content)
        if self._left < 0:
            raise ValueError(f"{self._name}: holds more than {self._most} bytes, the most that are read")
        return content

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes that are left; reaching the end compares the checksum of gzip."""
        while content := self.read(CHUNK):
            yield content


@contextmanager
def unzipping(content: bytes, *, most: int, name: str) -> Iterator[Bounded]:
    """Open gzipped content for reading, ``most`` bytes of it; errors mention ``name``."""
    with gzip.open(io.BytesIO(content)) as stream:
        yield Bounded(stream, most, name)
