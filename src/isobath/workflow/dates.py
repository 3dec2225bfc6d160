"""Dates of files: Snakemake removes all results of an input that is dated in the future, by a clock that was ahead."""

import os
import time
from collections.abc import Iterable
from pathlib import Path

from isobath.study.schema import ConfigError

SLACK = 60.0  # seconds by which the clocks of two machines may differ


def bring_to_now(inputs: Iterable[str], now: float | None = None) -> list[str]:
    """Date the inputs of jobs that are dated later than now to now, and return them.

    A file outside of the folder of the run is not ours to change: it is refused. Raises ConfigError.
    """
    latest = (time.time() if now is None else now) + SLACK
    late = [name for name in inputs if Path(name).exists() and Path(name).stat().st_mtime > latest]
    foreign = [name for name in late if Path(name).is_absolute() or os.path.normpath(name).startswith(os.pardir)]
    if foreign:
        raise ConfigError(
            f"{foreign[0]}: it is dated in the future, so that Snakemake would remove its results; date it "
            "to now: touch the file"
        )
    for name in late:
        os.utime(name, (now, now) if now is not None else None)
    return late
