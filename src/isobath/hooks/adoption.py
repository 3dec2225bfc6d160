"""Adoption of results that jobs finished after their Snakemake was killed.

Snakemake marks the outputs of a job as incomplete until it has seen the job end. A result that is whole, and was made
from the settings, code and inputs that are asked for now, is kept: its mark is removed.
"""

import contextlib
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from pathlib import Path

from isobath.operations.verify import faults_of
from isobath.study.run import Run
from isobath.workflow import plan

MARKS, LOCKS = ".snakemake/incomplete", ".snakemake/locks"


def adopt(run: Run) -> list[str]:
    """Remove the marks of whole results of a run that is not going on, and return their paths.

    A job whose outputs are all marked is adopted as a whole or not at all.
    """
    marks = dict(_marks(run.home / MARKS))
    if not marks or any((run.home / LOCKS).glob("*")):
        return []
    jobs = [job for job in plan.jobs(run) if not marks.keys().isdisjoint(job.outputs)]
    adopted = [path for job in jobs if not faults_of(run, job) for path in job.outputs if path in marks]
    for path in adopted:
        marks[path].unlink(missing_ok=True)
    return adopted


def _marks(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the path that each mark is for, and the mark, named by the path in base64, cut into folders if long.

    Files with other names, which a file system or a desktop leaves there, are no marks.
    """
    for mark in folder.rglob("*"):
        if mark.is_file():
            name = "".join(part.removeprefix("@") for part in mark.relative_to(folder).parts)
            with contextlib.suppress(ValueError):  # both of base64 and of UTF-8
                yield urlsafe_b64decode(name).decode(), mark
