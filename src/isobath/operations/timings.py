"""Durations of the jobs of a run, by the kind of their results, as the jobs have measured them: from their logs."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from isobath.disk import store, usage
from isobath.disk.usage import Usage
from isobath.operations import arguments
from isobath.paths import STORE

SUFFIXES = (STORE, ".json", ".html")  # of results
ROW = "{:<16}{:>6}{:>10}{:>8}{:>7}{:>10}{:>9}{:>11}{:>10}"
HEADINGS = ("results", "jobs", "CPU s", "share", "start", "seconds", "peak MB", "trainings", "a CPU s")


class Timing(NamedTuple):
    """The cost of one job: the folder of its result, its usage, and trainings of networks."""

    folder: str
    usage: Usage
    trainings: int


def timings(results: Path, logs: Path) -> Iterator[Timing]:
    """Yield the timing of every job below ``results`` (results/<scale>) that has finished by its log below ``logs``."""
    for file in sorted(logs.rglob("*.log")):
        place, took = file.relative_to(logs), usage.read(file, "finished")
        name = results / place.with_suffix("")
        result = next((p for s in SUFFIXES if (p := name.with_name(name.name + s)).exists()), None)
        if took and result:
            yield Timing(place.parts[1] if len(place.parts) > 2 else place.stem, took, trainings(result))


def trainings(result: Path) -> int:
    """Count the networks that a result has a status of; results of other kinds have none."""
    if not result.name.endswith(STORE):
        return 0
    status = store.metadata(result).get("status")
    return math.prod(status["shape"]) if status else 0


def table(jobs: Sequence[Timing]) -> str:
    """Return a table with a row per folder of results, and a last row of all jobs.

    The share is of the CPU seconds of all jobs. The start is the share of a row's CPU seconds that Python took to start
    and import.
    """
    total = sum(job.usage.cpu for job in jobs)
    rows = {name: [job for job in jobs if job.folder == name] for name in sorted({job.folder for job in jobs})}
    return "\n".join([ROW.format(*HEADINGS), *(_row(*row, total) for row in rows.items()), _row("all", jobs, total)])


def _row(name: str, jobs: Sequence[Timing], total: float) -> str:
    cpu, start, seconds = (sum(getattr(job.usage, name) for job in jobs) for name in ("cpu", "start", "seconds"))
    trained, peak = sum(job.trainings for job in jobs), max(job.usage.memory for job in jobs) / 1e6
    shares = (f"{100 * part / all_:.0f}%" for part, all_ in ((cpu, total), (start, cpu)))
    rate = f"{trained / cpu:.2f}" if trained else ""
    numbers = (f"{cpu:.0f}", *shares, f"{seconds:.0f}", f"{peak:.0f}", trained or "", rate)
    return ROW.format(name, len(jobs), *numbers)


@click.command(cls=arguments.Command)
@arguments.folder
def command(folder: Path) -> None:
    """Print the time and memory that each kind of result took."""
    home, scale = arguments.home_of(folder)
    jobs = list(timings(folder.resolve(), home / "logs" / scale))
    if not jobs:
        raise FileNotFoundError(f"{folder}: there are no logs of jobs for it in logs/{scale}")
    print(table(jobs))
