"""Logs of jobs, from which the state of a job is read: running, finished, paused, failed or killed.

The log is the only file of a running job, so commands on any machine that sees the folder read its state there. A
running job touches its log every BEAT seconds; its last line is how it ended.
"""

import contextlib
import io
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, TextIO

State = Literal["running", "finished", "paused", "failed", "killed"]
BEAT = 20.0  # seconds between two touches
SILENCE = 5 * BEAT  # an incomplete log that is not touched for this time is that of a killed job
_SIGN = "isobath: "
TAIL = 10_000  # bytes of a log that are read for its last line
WORDS = TAIL // 5  # letters of that line at most, each of up to four bytes


class Entry(NamedTuple):
    """The state of a job, the message of its error or an empty text, and the time at which its log was last touched."""

    state: State
    reason: str
    touched: float  # seconds since 1970


class OutOfTime(RuntimeError):
    """The deadline of a job is near: its progress is on disk, and the next attempt continues from there."""


class LogFile(io.FileIO):
    """The file of a log that is being written; ``refusal`` says why something is not in it, None if nothing is.

    A disk without room costs the end of the log, and not the result of the job.
    """

    refusal: OSError | None = None

    def write(self, text: Any) -> int:
        """Write bytes, or leave them out where they can't be written."""
        try:
            return super().write(text)
        except OSError as error:
            self.refusal = error
            return memoryview(text).nbytes

    def close(self) -> None:
        """Close the file. File systems of networks may say only now that they had no room."""
        try:
            super().close()
        except OSError as error:
            self.refusal = error


@contextlib.contextmanager
def heartbeat(file: TextIO) -> Iterator[None]:
    """Touch a log until the block ends."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(BEAT):
            with contextlib.suppress(OSError):
                os.utime(file.fileno())

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def end(file: TextIO, state: State, reason: str = "") -> None:
    """Write how a job ended, on one line of at most WORDS letters."""
    file.write(f"{_SIGN}{state}{': ' if reason else ''}{' '.join(reason.split())[:WORDS]}\n")
    file.flush()


def tail(log: Path) -> list[str]:
    """Return the last lines of a log, with their ends: of TAIL bytes, which hold how its job ended.

    Raises FileNotFoundError.
    """
    with log.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL))
        return file.read().decode(errors="replace").splitlines(keepends=True)


def read(log: Path) -> Entry | None:
    """Return the state of the job of a log; None if there is no log."""
    try:
        lines = tail(log)
        touched = log.stat().st_mtime
    except FileNotFoundError:
        return None
    last = lines[-1].splitlines()[0] if lines else ""
    for state in ("finished", "paused", "failed", "killed"):
        if last.startswith(f"{_SIGN}{state}"):
            return Entry(state, last.removeprefix(f"{_SIGN}{state}").removeprefix(": "), touched)
    if time.time() - touched <= SILENCE:
        return Entry("running", "", touched)
    return Entry("killed", "its log is incomplete", touched)
