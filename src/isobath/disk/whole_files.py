"""Files that readers see whole: written beside their final name, fsynced and renamed."""

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


def replace(path: Path, content: bytes) -> None:
    """Write a file so that readers see all of it or the previous file. Raises OSError, which names it."""
    with writing(path) as file:
        file.write(content)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that becomes ``path`` when the block ends; of two writers at once the last to end decides.

    If the block raises, what was there stays and there is no partial file. Raises OSError, which names ``path``.
    """
    path = Path(path)
    partial = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)  # less what the umask says
    except OSError as error:
        raise _of(path, error) from error
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # else a power cut could leave the name without the content
        partial.replace(path)
        _sync_folder(path.parent)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(partial)):  # so is a full disk reported
            raise _of(path, error) from error
        raise


def _of(path: Path, error: OSError) -> OSError:
    """Return an error with the name of the file that was to be written."""
    return OSError(error.errno, error.strerror or str(error), str(path))


def _sync_folder(folder: Path) -> None:
    """Make a rename last. Some file systems of networks refuse to: a rename lasts there as they choose."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)
