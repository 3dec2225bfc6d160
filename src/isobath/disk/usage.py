"""Usage of a job: seconds, CPU seconds and memory, as the job measures them at its end and writes them into its log."""

import hashlib
import os
import re
import resource
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from isobath.disk import logs
from isobath.paths import STORE
from isobath.store_metadata import spec_text

_NUMBER = r"(\d{1,12}\.\d{1,6})"  # finite, whatever stands in a file
_LINE = re.compile(
    rf"isobath: took {_NUMBER} s, {_NUMBER} CPU s of which {_NUMBER} to start, {_NUMBER} MB(?:, spec (\w+))?\n"
    r"isobath: (\w+)"
)


class Usage(NamedTuple):
    """The usage of a job, with that of its earlier attempts if it continues them."""

    seconds: float  # by the clock, after the start
    cpu: float  # seconds of one core, with the start
    start: float  # those of them before the stage began: Python, imports
    memory: float  # bytes at most
    spec: str = ""  # the digest of the settings of the job; empty where they are not known

    def __str__(self) -> str:
        numbers = f"{self.seconds:.3f} s, {self.cpu:.3f} CPU s of which {self.start:.3f} to start"
        spec = f", spec {self.spec}" if self.spec else ""
        return f"isobath: took {numbers}, {self.memory / 1e6:.1f} MB{spec}\n"


class Meter:
    """A meter of this process from now on, which adds to the usage of attempts that it continues: of the same spec."""

    def __init__(self, earlier: Usage | None = None, spec: str = "") -> None:
        self._earlier = earlier if earlier and earlier.spec == spec else Usage(0.0, 0.0, 0.0, 0.0)
        self._spec = spec
        self._began, self._start = time.monotonic(), _cpu()

    def read(self) -> Usage:
        """Return the usage until now."""
        seconds, cpu, start, memory, _ = self._earlier
        now = time.monotonic() - self._began
        return Usage(seconds + now, cpu + _cpu(), start + self._start, max(memory, _peak()), self._spec)


def read(log: Path, *ends: str) -> Usage | None:
    """Return the usage of a job by its log; None if there is none, or if the job did not end in one of ``ends``."""
    try:
        lines = logs.tail(log)
    except FileNotFoundError:
        return None
    match = _LINE.match("".join(lines[-2:]))
    if match is None or match[6] not in ends:
        return None
    seconds, cpu, start, memory = map(float, match.groups()[:4])
    return Usage(seconds, cpu, start, 1e6 * memory, match[5] or "")


def digest(spec: Mapping[str, Any]) -> str:
    """Return a digest of the spec of a job: 16 hexadecimal digits."""
    return hashlib.sha256(spec_text(spec).encode()).hexdigest()[:16]


def core_hours(study: Path) -> float | None:
    """Return the core-hours of all finished jobs of a study, to two digits; None if a result has no log.

    The logs of results/<scale>/<study> lie in logs/<scale>/<study> beside results: not those of results that were
    brought from another folder.
    """
    study = Path(os.path.abspath(study))  # noqa: PTH100 (resolve() would follow links)
    if len(study.parents) < 3:
        return None
    folder = Path(study.parents[2], "logs", *study.parts[-2:])
    stores = (file.relative_to(study).with_name(file.name.removesuffix(STORE)) for file in study.rglob(f"*{STORE}"))
    if not all(Path(folder, f"{store}.log").is_file() for store in stores):
        return None
    seconds = [took.cpu for log in sorted(folder.rglob("*.log")) if (took := read(log, "finished"))]
    return float(f"{sum(seconds) / 3600:.2g}") if seconds else None


def _cpu() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    used = (resource.getrusage(processes) for processes in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _peak() -> float:
    """Return the largest resident memory of this program in bytes.

    Linux's getrusage also counts that of the program that started this one; /proc does not.
    """
    status = Path("/proc/self/status")
    if status.exists() and (match := re.search(r"^VmHWM:\s+(\d+) kB$", status.read_text(), flags=re.MULTILINE)):
        return 1024.0 * int(match[1])
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(largest if sys.platform == "darwin" else 1024 * largest)
