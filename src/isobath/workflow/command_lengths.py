"""Lengths of the commands of jobs, which have their specs as arguments: a shell takes 128 KiB at most."""

from collections.abc import Iterable

from isobath.study.run import Run, canonical
from isobath.study.schema import ConfigError
from isobath.workflow.plan import Job

MOST = 120_000  # characters of a spec and of the paths beside it; Linux allows 131,072 for the whole command
OF_A_FOLDER = ("cubes", "page")  # of jobs with long specs, which find what they read in a folder
MANY = 200  # paths that a job reads: fewer make no long command


def require_short(run: Run, jobs: Iterable[Job]) -> None:
    """Refuse a job whose command no shell takes, before others are run for it. Raises ConfigError."""
    for job in jobs:
        if (length := _length(run, job)) > MOST:
            raise ConfigError(
                f"{job.outputs[0]}: its command would have {length} characters, and a shell takes {MOST} at most; give "
                "its grid fewer values or tasks, or config.yaml more seeds_per_job"
            )


def _length(run: Run, job: Job) -> int:
    """Return the characters of the spec and of the paths in the command of a job; 0 where both are few."""
    if job.rule in OF_A_FOLDER:
        return len(canonical(job.spec(run)))
    if len(job.inputs) < MANY:
        return 0
    return len(canonical(job.spec(run))) + sum(len(path) + 1 for path in job.inputs)
