"""The queue of SLURM: how many of its jobs run and wait for a run."""

import os
import subprocess
from collections import Counter
from pathlib import Path

LOGS = ".snakemake/slurm_logs"  # where Snakemake keeps the logs of the jobs that it submits
PATIENCE = 10.0  # seconds that squeue may take
RUNNING, WAITING = ("RUNNING", "COMPLETING", "CONFIGURING"), ("PENDING", "REQUEUED", "SUSPENDED")


def jobs(folder: Path) -> str | None:
    """Return a sentence on this user's jobs that were submitted in ``folder``; None where there is no squeue.

    A squeue that fails or takes too long is reported only where a run has submitted jobs.
    """
    command = ["squeue", "--noheader", f"--user={os.getuid()}", "--format=%T|%Z"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)  # noqa: S603
    except FileNotFoundError:
        return None
    except (OSError, subprocess.TimeoutExpired) as error:
        return _silence(folder, str(error))
    if result.returncode:
        return _silence(folder, " ".join(result.stderr.split()))
    rows = (line.partition("|") for line in result.stdout.splitlines())
    states = Counter(
        state.strip() for state, _, job_folder in rows if Path(job_folder.strip()).resolve() == folder.resolve()
    )
    if not states:
        return None
    running, waiting = (sum(states[state] for state in group) for group in (RUNNING, WAITING))
    return f"SLURM: {running} jobs of this folder run and {waiting} wait; each may be several of those above."


def _silence(folder: Path, reason: str) -> str | None:
    """Say that SLURM does not answer; None for a folder from which no job was submitted to it."""
    return f"SLURM does not answer: {reason}" if (folder / LOGS).is_dir() else None
