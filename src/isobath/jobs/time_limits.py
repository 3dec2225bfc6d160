"""Time limits of a job: its deadline, from SLURM or the environment, and the interval between checkpoints."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence

SHARE, LEAST = 1 / 20, 30.0  # of the time that is left, and seconds: kept for saving before the job ends
SAVE_EVERY = 60.0  # seconds
PATIENCE = 10.0  # seconds that squeue may take


def deadline() -> float | None:
    """Return the time, on time.monotonic, at which a training should stop for the next attempt; None if never.

    A job knows its end from SLURM ($SLURM_JOB_END_TIME, seconds since 1970) or from $ISOBATH_TIME_LIMIT (seconds
    from now). Before the end of a SLURM job, a twentieth of the time that is left, at least 30 s, is kept for saving.
    """
    if limit := os.environ.get("ISOBATH_TIME_LIMIT"):
        return time.monotonic() + float(limit)
    end = _job_end()
    if end is None:
        return None
    remaining = end - time.time()
    return time.monotonic() + remaining - max(LEAST, remaining * SHARE)


def _job_end() -> float | None:
    """Return the end of this SLURM job in seconds since 1970; None if it has no end or is no SLURM job."""
    job, end = os.environ.get("SLURM_JOB_ID"), os.environ.get("SLURM_JOB_END_TIME")
    if job and not end:  # not every release tells its jobs: 22.05 does not
        command = ["squeue", "--noheader", "--jobs", job, "--format", "%e"]
        end = _output(command, env={**os.environ, "SLURM_TIME_FORMAT": "%s"}).strip()
    return float(end) if end and end.isdigit() else None


def _output(command: Sequence[str], env: Mapping[str, str]) -> str:
    """Return what a command prints; nothing where it is not there, as in containers, or does not answer."""
    try:
        return subprocess.run(command, env=env, check=False, capture_output=True, text=True, timeout=PATIENCE).stdout  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ""


def save_every() -> float:
    """Return the seconds of training between two checkpoints: $ISOBATH_SAVE_EVERY, else 60."""
    return float(os.environ.get("ISOBATH_SAVE_EVERY") or SAVE_EVERY)
