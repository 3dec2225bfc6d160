"""Downloads of official files, from several mirrors in turn, verified before they are put in place.

A mirror can be unreachable, send a wrong file, stop half-way or send bytes too slowly; each failure takes a limited
time and leaves no file. The published files of a data set stand in a module of its own, as ``data/mnist.py``; their
names are those of the FILES of a task, below the folder of downloads.
"""

import hashlib
import os
import queue
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from isobath.data.unzipping import ERRORS, unzipping

MOST = 2**27  # bytes of a file, unzipped, of which the official checksum is computed


class File(NamedTuple):
    """A published file: its name, its mirrors, its SHA-256, and the MD5 of its unzipped content."""

    name: str
    mirrors: tuple[str, ...]
    sha256: str
    content_md5: str | None = None


class Timeouts(NamedTuple):
    """Seconds after which a mirror is given up: until it connects, between two bytes, and in total."""

    connect: float
    read: float
    total: float


class DownloadError(OSError):
    """No mirror gave the official file. The message has the failure of each, and the way to download it by hand."""


def passed(file: File, content: bytes) -> str:
    """Return the strictest check that the bytes of a local file pass.

    This is 'official file (SHA-256)'; 'official content (MD5)', if the content was compressed anew; or 'format only',
    if nothing but the check of its reader, which is not done here, can pass.
    """
    if hashlib.sha256(content).hexdigest() == file.sha256:
        return "official file (SHA-256)"
    if file.content_md5 is None:
        return "format only"
    digest = hashlib.md5(usedforsecurity=False)
    try:
        with unzipping(content, most=MOST, name=file.name) as stream:
            for chunk in stream.chunks():
                digest.update(chunk)
    except (*ERRORS, ValueError):
        return "format only"  # its reader will raise the error
    return "official content (MD5)" if digest.hexdigest() == file.content_md5 else "format only"


def fetch(
    file: File,
    destination: Path,
    *,
    connect_timeout: float = 10,
    read_timeout: float = 30,
    total_timeout: float = 1800,
) -> None:
    """Download ``file`` to ``destination`` from the first mirror that gives it; a previous file stays until then.

    Time limits are in seconds: ``connect_timeout`` until a mirror connects, ``read_timeout`` between two bytes,
    ``total_timeout`` in total. Raises DownloadError if all mirrors fail, OSError if the file can't be written.
    """
    destination.parent.mkdir(parents=True, exist_ok=True)
    timeouts = Timeouts(connect_timeout, read_timeout, total_timeout)
    hidden = f".{destination.name}."
    failures = []
    for url in file.mirrors:
        with tempfile.TemporaryDirectory(dir=destination.parent, prefix=hidden, ignore_cleanup_errors=True) as folder:
            try:
                verified = _attempt(url, file.sha256, Path(folder), timeouts)
            except Exception as error:
                failures.append(f"{url}: {_reason(error, timeouts)}")
                continue
            _publish(verified, destination)
            return
    raise DownloadError(_advice(file, destination, failures))


def _attempt(url: str, sha256: str, folder: Path, timeouts: Timeouts) -> Path:
    """Download into ``folder`` and verify. Raises the error of the mirror, which ``_reason`` puts into words."""
    import pooch  # type: ignore[import-untyped]  # noqa: PLC0415 (the workflow is parsed without it)
    import requests  # noqa: PLC0415 (imported later, it would take of the mirror's time)

    pooch.get_logger().setLevel("WARNING")
    deadline = _Deadline(timeouts.total)
    responses: list[requests.Response] = []
    http = pooch.HTTPDownloader(
        progressbar=deadline,
        timeout=(timeouts.connect, timeouts.read),
        headers={"Accept-Encoding": "identity"},  # a .gz must not be unzipped on the way
        hooks={"response": lambda response, **_: responses.append(response)},
    )

    def download(url: str, output_file: str, caller: object) -> None:
        try:
            http(url, output_file, caller)
        finally:  # else the connection stays open until garbage is collected
            for response in responses:
                response.close()
        with Path(output_file).open("rb") as file:
            if file.read(64).lstrip().startswith(b"<"):
                raise _Refused("an HTML page instead of the file")

    options = {"fname": "verified", "path": folder, "downloader": download}
    deadline.wait_for(lambda: pooch.retrieve(url, known_hash=f"sha256:{sha256}", **options))
    return folder / "verified"


class _Refused(Exception):
    """A mirror sent something other than the file."""


class _Deadline:
    """The total time limit of a mirror. Time-outs of a socket start anew with every byte, so slow mirrors pass them.

    The caller stops waiting at the deadline. The download itself stops with its next bytes, of which pooch informs
    this object as it would a progress bar; if no bytes follow, it ends with the process.
    """

    total = 0

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def wait_for(self, action: Callable[[], object]) -> None:
        """Run ``action`` in a thread. Raises its exceptions, and TimeoutError at the deadline."""
        outcome: queue.SimpleQueue[Exception | None] = queue.SimpleQueue()

        def work() -> None:
            try:
                action()
                outcome.put(None)
            except Exception as error:
                outcome.put(error)

        threading.Thread(target=work, daemon=True).start()
        try:
            error = outcome.get(timeout=max(0.0, self._end - time.monotonic()))
        except queue.Empty:
            raise TimeoutError from None
        if error is not None:
            raise error

    def update(self, _: int) -> None:
        """Stop a download after the deadline (pooch calls this with the number of new bytes)."""
        if time.monotonic() > self._end:
            raise TimeoutError

    def reset(self) -> None:
        """Do nothing; pooch calls this."""

    def close(self) -> None:
        """Do nothing; pooch calls this."""


def _publish(verified: Path, destination: Path) -> None:
    with verified.open("rb") as file:
        os.fsync(file.fileno())
    verified.chmod(0o644)  # a temporary file is private
    verified.replace(destination)


def _reason(error: Exception, timeouts: Timeouts) -> str:
    """Return the reason of a failure in a few words."""
    import requests  # noqa: PLC0415 (pooch raises its errors)

    response = getattr(error, "response", None)
    if response is not None:
        return f"answered {response.status_code} {response.reason}"
    if type(error) is ValueError:  # from pooch; errors of requests are subclasses
        return "not the official file (SHA-256 differs)"
    if "Read timed out" in str(error):  # within a body requests calls it a ConnectionError
        error = requests.ReadTimeout()
    reasons = (  # in this order: a ConnectTimeout is a ConnectionError as well
        (TimeoutError, f"not complete after {timeouts.total:g} s"),
        (requests.ConnectTimeout, f"no connection within {timeouts.connect:g} s"),
        (requests.ReadTimeout, f"silent for {timeouts.read:g} s"),
        (requests.exceptions.ChunkedEncodingError, "broke off half-way"),
        (requests.ConnectionError, "no connection"),
    )
    message = " ".join(str(error).split())[:100] or type(error).__name__
    return next((reason for kind, reason in reasons if isinstance(error, kind)), message)


def _advice(file: File, destination: Path, failures: list[str]) -> str:
    return (
        f"{file.name} can't be downloaded ({'; '.join(failures)}): download it by hand to {destination} "
        f"(SHA-256 {file.sha256}), or put it as {file.name} in a folder and set `data: <folder>` in config.yaml"
    )
