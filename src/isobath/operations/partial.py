"""``python -m isobath.operations.partial results/demo``: after a run in which cells failed, cubes, figures and verdicts without them.

The workflow does so itself when a run ends with failures. A cube has what failed as gaps, and figures say so. What is
made with gaps is dated to the beginning of 1970, older than all that it is made from: the next run makes it again,
whether the cell then succeeds or has been taken out of the study.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence

from isobath import results
from isobath.operations import arguments
from isobath.operations.status import Condition, conditions, failures
from isobath.study.run import Run, canonical
from isobath.workflow import plan
from isobath.workflow.plan import Job

OLDEST = 1  # seconds since 1970; 0 is no date to Snakemake


def fill(run: Run) -> list[str]:
    """Print what has failed, make what can be made without it, and say which files that is. The run must have ended.

    A cube is made if all that it lacks has failed or waits for what has. What depends on it is made if nothing else
    lacks; the page, which says what there is not, in any case.
    """
    found = conditions(run, ended=True)
    print(*failures(found), sep="\n", file=sys.stderr)
    excused, there, made = _excused(found), set[str](), list[str]()
    broken = any(condition.state == "failed" for condition in found)
    for condition in found:
        job, lacking = condition.job, [path for path in condition.job.inputs if path in excused]
        ready = set(job.inputs) <= there.union(lacking) and _has_gaps(job, lacking, made)
        if condition.state == "done":
            there.update(job.outputs)
        elif (ready or (broken and results.option(job.rule, "WITHOUT"))) and _make(run, job, lacking):
            there.update(job.outputs)
            made += job.outputs
    return made


def _excused(found: Sequence[Condition]) -> set[str]:
    """The results of the jobs that have failed, and of those that wait for them, cubes excepted: these are filled."""
    excused: set[str] = set()
    for condition in found:
        waits = condition.state != "done" and not excused.isdisjoint(condition.job.inputs)
        if not results.option(condition.job.rule, "arguments") and (condition.state == "failed" or waits):
            excused.update(condition.job.outputs)
    return excused


def _has_gaps(job: Job, lacking: Sequence[str], made: Sequence[str]) -> bool:
    """Whether a cube lacks some of its cells, but not all; or one of the others shows what was made with gaps."""
    if results.option(job.rule, "GATHERS"):
        return 0 < len(lacking) < len(job.inputs)
    return bool(results.option(job.rule, "arguments")) and not set(made).isdisjoint(job.inputs)


def _make(run: Run, job: Job, lacking: Sequence[str]) -> bool:
    """Run the stage of a job; where it fails, it has said why."""
    spec = job.spec(run)
    command = [sys.executable, "-m", f"isobath.stages.{results.stage(job.rule)}", "--spec", canonical(spec)]
    arguments = results.option(job.rule, "arguments")(job, lacking)
    command += ["--code", plan.code(job.rule, spec), *arguments, "--log", job.log]
    if subprocess.run(command, cwd=run.home, check=False).returncode:  # noqa: S603 (our own stages)
        return False
    for path in job.outputs:
        os.utime(run.home / path, (OLDEST, OLDEST))
        print(f"made with gaps: {path}", file=sys.stderr)
    return True


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m isobath.operations.partial", description="Make what can be made without cells."
    )
    arguments.arguments(parser)
    fill(arguments.asked(parser.parse_args()))


if __name__ == "__main__":
    main()
