"""What a job says of itself in its log: that it has begun, that it lives, how it ended.

The log is the only file that a running job shows, so whoever looks after a run reads it there, on
any machine that sees the folder. While a job lives, its log is touched every BEAT seconds.
"""

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple, TextIO

State = Literal["running", "finished", "paused", "failed", "killed"]
BEAT = 20.0  # seconds between two touches
SILENCE = 5 * BEAT  # after which a job that has not said how it ended is taken for killed
_SIGN = "isobath: "


class Entry(NamedTuple):
    """How a job fares: its state, the sentence of its error if it has one, and when its log was last touched."""

    state: State
    reason: str
    touched: float  # seconds since 1970


class OutOfTime(RuntimeError):
    """The job's time is nearly up; its progress is on disk and the next attempt continues from there."""


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


def end(file: TextIO, state: State, reason: str = "") -> None:
    """Say how a job ended, on one line."""
    file.write(f"{_SIGN}{state}{': ' if reason else ''}{' '.join(reason.split())}\n")
    file.flush()


def read(log: Path) -> Entry | None:
    """How the job of a log fares; None if there is no log."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 10000))
            lines = file.read().decode(errors="replace").splitlines()
        touched = log.stat().st_mtime
    except FileNotFoundError:
        return None
    last = lines[-1] if lines else ""
    for state in ("finished", "paused", "failed"):
        if last.startswith(f"{_SIGN}{state}"):
            return Entry(state, last.removeprefix(f"{_SIGN}{state}").removeprefix(": "), touched)
    if time.time() - touched <= SILENCE:
        return Entry("running", "", touched)
    return Entry("killed", "its log ends without a word", touched)
