"""Snakemakes that Snakemake starts for its jobs: on a cluster, and for rules of one's own that have Python code."""

from collections.abc import Callable
from typing import Any

from isobath.hooks import patches

START = "format_job_exec"  # of Snakemake's executors (interface 9): the command of a job
MODULE = " -m snakemake"


def leave_out_folder(executor: Any) -> bool:
    """Patch an executor class so that its Snakemakes import no file of the folder of the run.

    Returns False, and changes nothing, where the class has another interface.

    ``python -m`` looks there first: a file such as queue.py would stand in for a module of a library. The environment
    of the job itself stays as it is, so that a script of a rule finds the modules beside it.
    """

    def without_folder(start: Callable[[Any, Any], str]) -> Callable[[Any, Any], str]:
        return lambda executor, job: start(executor, job).replace(MODULE, f" -P{MODULE}", 1)

    return patches.wrap(executor, START, without_folder)
