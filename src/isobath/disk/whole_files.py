"""Files that readers see whole: written beside their final name, fsynced and renamed."""

import errno
import os
import secrets
from pathlib import Path


def replace(path: Path, content: bytes) -> None:
    """Write a file so that readers see all of it or the previous file. Raises OSError, which names it."""
    try:
        _replace(Path(path), content)
    except OSError as error:  # a full disk is reported without a name, or with that of the partial file
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}.partial")
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)  # less what the umask says
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
        _sync_folder(path.parent)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


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
