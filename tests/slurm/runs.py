"""Runs of the workflow on the cluster of the tests: how they are started, what they say, and their jobs."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from house import SNAKEMAKE
from slurm import cluster

# The profile, without the patience of a cluster, and with a thread for every job.
SUBMIT = [SNAKEMAKE[0], "--profile", "workflow/profiles/slurm"]
SUBMIT += ["--slurm-init-seconds-before-status-checks", "2", "--seconds-between-status-checks", "1"]
SUBMIT += ["--set-threads", "kernels=1"]
SUBMIT += ["--config", "scale=smoke"]


class Job(NamedTuple):
    """A job as SLURM reports it."""

    id: str
    name: str
    state: str
    limit: str
    memory: str
    gpus: str


@contextlib.contextmanager
def submitted(
    house: Path, environment: dict[str, str], *arguments: str, study: str = "locality"
) -> Iterator[subprocess.Popen[bytes]]:
    """Run the workflow on the cluster; it ends with the block at the latest."""
    more = {"PYTHONWARNINGS": "ignore", "ISOBATH_SAVE_EVERY": "0.5"}
    how = {"cwd": house, "env": {**os.environ, **environment, **more}, "stderr": subprocess.STDOUT}
    with (house / "submitted.log").open("w") as out:
        run = subprocess.Popen([*SUBMIT, f"studies=[{study}]", *arguments], stdout=out, **how)
        try:
            yield run
        finally:
            run.kill()
            run.wait()


def said(house: Path) -> str:
    return (house / "submitted.log").read_text(encoding="utf-8")


def seen(environment: dict[str, str]) -> list[Job]:
    """Return all jobs, first come first."""
    lines = cluster.queue(environment, "jobid:10,comment:250,state:15,timelimit:15,minmemory:15,tres-per-job:40")
    return sorted((Job(*line.split()) for line in lines), key=lambda job: int(job.id))
