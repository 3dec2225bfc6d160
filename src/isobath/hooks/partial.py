"""Partial results after a run with failures: cubes with gaps, and the figures, verdicts and page made from them.

The workflow calls ``fill`` when a run ends with failures. The failed cells are gaps of a cube, and figures name them.
Partial results are dated to the beginning of 1970, older than their inputs: the next run makes them again, whether
the cell then succeeds or has been removed from the study.
"""

import os
import subprocess
import sys
from collections.abc import Sequence

from isobath import results
from isobath.operations.status import Condition, conditions, failures
from isobath.study.run import Run, canonical
from isobath.workflow import plan
from isobath.workflow.plan import Job

OLDEST = 1  # seconds since 1970; Snakemake takes 0 for a missing date


def fill(run: Run, since: float | None = None) -> list[str]:
    """Print the failed jobs, then make every result that can be made without theirs, and return the files made.

    The run must have ended; it began at ``since``, in seconds since 1970. A cube is made if each of its missing cells
    failed or depends on a failure; figures and verdicts if they lack nothing else. The page is made in any case: it
    names the missing results.
    """
    jobs = conditions(run, ended=True, since=since)
    print(*failures(jobs), sep="\n", file=sys.stderr)
    unavailable, available, filled = _unavailable(jobs), set[str](), list[str]()
    any_failed = any(condition.state == "failed" for condition in jobs)
    for condition in jobs:
        job, missing = condition.job, [path for path in condition.job.inputs if path in unavailable]
        ready = set(job.inputs) <= available.union(missing) and _has_gaps(job, missing, filled)
        if condition.state == "done":
            available.update(job.outputs)
        elif (ready or (any_failed and results.option(job.rule, "WITHOUT"))) and _make(run, job, missing):
            available.update(job.outputs)
            filled += job.outputs
    return filled


def _unavailable(jobs: Sequence[Condition]) -> set[str]:
    """Return the results of failed jobs and of the jobs that depend on them, except results that can be partial."""
    unavailable: set[str] = set()
    for condition in jobs:
        depends = condition.state != "done" and not unavailable.isdisjoint(condition.job.inputs)
        if not results.option(condition.job.rule, "arguments") and (condition.state == "failed" or depends):
            unavailable.update(condition.job.outputs)
    return unavailable


def _has_gaps(job: Job, missing: Sequence[str], filled: Sequence[str]) -> bool:
    """Tell whether a cube lacks some of its cells, but not all; or another result has a partial result as input."""
    if results.option(job.rule, "GATHERS"):
        return 0 < len(missing) < len(job.inputs)
    return bool(results.option(job.rule, "arguments")) and not set(filled).isdisjoint(job.inputs)


def _make(run: Run, job: Job, missing: Sequence[str]) -> bool:
    """Run the stage of a job, and tell whether it succeeded; if not, the stage has printed its error."""
    spec = job.spec(run)
    command = [sys.executable, "-P", "-m", f"isobath.stages.{results.stage(job.rule)}", "--spec", canonical(spec)]
    further = results.option(job.rule, "arguments")(job, missing)
    command += ["--code", plan.code(job.rule, spec), *further, "--log", job.log]
    if subprocess.run(command, cwd=run.home, check=False).returncode:  # noqa: S603 (our own stages)
        return False
    for path in job.outputs:
        os.utime(run.home / path, (OLDEST, OLDEST))
        print(f"made with gaps: {path}", file=sys.stderr)
    return True
