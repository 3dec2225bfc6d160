"""Jobs that a killed Snakemake has left on SLURM: they would write the results that the next run makes again.

A job is known by its folder and by the targets in its script. No other run makes a target of this one, since Snakemake
has locked it. The job that replaces an orphan continues the training that this one has saved.
"""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

PATIENCE = 60.0  # seconds that an answer of SLURM, or the end of the jobs, may take
TARGET = re.compile(r"\w+:(?:\w+=[^\s,'\"]+,?)+")


class SlurmError(OSError):
    """SLURM does not answer."""


class Target(NamedTuple):
    """The result that a job is to make: a rule and its wildcards, as Snakemake hands them to a job."""

    rule: str
    wildcards: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return f"{self.rule}:{','.join(f'{key}={value}' for key, value in self.wildcards)}"


def cancel(targets: Iterable[Target], folder: Path) -> list[str]:
    """Cancel the jobs in ``folder`` that make one of ``targets``, and return their numbers once they have ended.

    Where there is no SLURM there are no such jobs. Raises SlurmError.
    """
    if shutil.which("squeue") is None:
        return []
    names = {*map(str, targets)}
    orphans = [job for job in _alive() if _folder(job) == folder.resolve() and _makes(job, names)]
    if orphans:
        _output_of("scancel", *orphans)
        end = time.monotonic() + PATIENCE
        while not {*orphans}.isdisjoint(_alive()):
            if time.monotonic() > end:
                raise SlurmError(f"the jobs {' '.join(orphans)} of an earlier run were cancelled and have not ended")
            time.sleep(1)
    return orphans


def _alive() -> list[str]:
    """Return the numbers of the jobs of this user that have not ended."""
    return _output_of("squeue", "--noheader", f"--user={os.getuid()}", "--format=%A").split()


def _folder(job: str) -> Path | None:
    match = re.search(r"^\s*WorkDir=(.*)$", _output_of("scontrol", "show", "job", job), flags=re.MULTILINE)
    return Path(match[1]).resolve() if match else None


def _makes(job: str, targets: Collection[str]) -> bool:
    script = _output_of("scontrol", "write", "batch_script", job, "-")
    return not {target.rstrip(",") for target in TARGET.findall(script)}.isdisjoint(targets)


def _output_of(*command: str) -> str:
    """Return the output of a command of SLURM."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SlurmError(f"{command[0]} can't be asked for jobs of an earlier run: {error}") from None
    if result.returncode and command[0] != "scontrol":  # it fails for a job that has ended, or has no script
        raise SlurmError(f"{command[0]} can't be asked for jobs of an earlier run: {result.stderr.strip()}")
    return result.stdout
