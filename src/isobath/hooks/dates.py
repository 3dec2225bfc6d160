"""Dates of files: Snakemake removes results that are older than their inputs, by a clock that was ahead or stepped."""

import os
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

from isobath.hooks import patches
from isobath.study.schema import ConfigError

SLACK = 60.0  # seconds by which the clocks of two machines may differ
STAMP = ".snakemake_timestamp"
CHECK = "check_output_mtime"  # of Snakemake's DAG: it refuses the outputs of a job that are older than its inputs


def bring_to_now(inputs: Iterable[str], now: float | None = None) -> list[str]:
    """Date the inputs of jobs that are dated later than now to now, and return them.

    A file outside of the folder of the run, or behind a link, is not ours to change: it is refused. Raises ConfigError.
    """
    latest = ((time.time() if now is None else now) + SLACK) * 1e9
    late = [path for path in map(Path, inputs) if path.exists() and date_of(path) > latest]
    foreign = [path for path in late if _is_outside(path) or (path.is_symlink() and path.stat().st_mtime_ns > latest)]
    if foreign:
        raise ConfigError(
            f"{foreign[0]}: it is dated in the future, so that Snakemake would remove its results; date it "
            "to now: touch the file"
        )
    for path in late:
        os.utime(path, (now, now) if now is not None else None, follow_symlinks=False)
    return [str(path) for path in late]


def _is_outside(path: Path) -> bool:
    """Tell whether the name of a file leads out of the folder of the run."""
    return path.is_absolute() or os.path.normpath(path).startswith(os.pardir)


def date_after(inputs: Iterable[Path], outputs: Iterable[Path]) -> None:
    """Date outputs that are older than the newest input to the date of this one; absent files are passed over."""
    newest = max((date_of(path) for path in inputs if path.exists()), default=0)
    for path in (_dated(path) for path in outputs if path.exists()):
        if path.lstat().st_mtime_ns < newest:
            os.utime(path, ns=(newest, newest), follow_symlinks=False)


def _dated(path: Path) -> Path:
    """Return the file at whose date Snakemake looks: a stamp in an output that is a folder, or the file itself."""
    return path / STAMP if (path / STAMP).is_file() else path


def date_of(path: Path) -> int:
    """Return the date of a file, of a link the later one of itself and of the file that it leads to (ns)."""
    return max(path.stat().st_mtime_ns, path.lstat().st_mtime_ns)


def keep_order(dag: Any) -> bool:
    """Patch the class of a DAG so that outputs of a job that has ended are dated no earlier than its inputs.

    Returns False, and changes nothing, where the class has no such check. By a clock that steps back during a run, or
    that of another machine, results of hours would be removed, though the job had just made them.
    """

    def in_order(check: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def checked(self: Any, job: Any, outputs: Any) -> None:
            date_after(map(Path, job.input), map(Path, outputs))
            await check(self, job, outputs)

        return checked

    return patches.wrap(dag, CHECK, in_order)
