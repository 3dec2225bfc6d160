"""Durations of the jobs of a run, by rule, from the benchmark files of the workflow."""

import csv
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from isobath.disk import store
from isobath.operations import arguments


class Timing(NamedTuple):
    """The cost of one job: its rule (the folder of its result), seconds, and trainings of networks."""

    rule: str
    seconds: float
    trainings: int


def timings(results: Path, logs: Path) -> Iterator[Timing]:
    """Yield the timing of every job below ``results`` (results/<scale>) with a benchmark file below ``logs``."""
    for file in sorted(logs.rglob("*.tsv")):
        place = file.relative_to(logs)
        result = results / place.with_name(place.name.removesuffix(".tsv") + ".zarr.zip")
        if result.exists():
            data = store.read(result)
            yield Timing(place.parts[1], _seconds(file), data.status.size if "status" in data else 0)


def _seconds(file: Path) -> float:
    """Return the seconds of all attempts in a benchmark file. Raises OSError where there is something else."""
    try:
        with file.open(encoding="utf-8") as lines:
            seconds = [float(row["s"]) for row in csv.DictReader(lines, delimiter="\t")]
    except (LookupError, ValueError, TypeError, csv.Error):
        seconds = [math.nan]
    if not all(0 <= each < math.inf for each in seconds):
        raise OSError(f"{file}: it is no benchmark file, whose column s holds seconds; remove it")
    return sum(seconds)


def table(jobs: Sequence[Timing]) -> str:
    """Return a table of the jobs, seconds, share of the time, trainings and trainings per second of each rule."""
    whole = sum(job.seconds for job in jobs)
    lines = [f"{'rule':<16}{'jobs':>6}{'seconds':>10}{'share':>8}{'trainings':>11}{'a second':>10}"]
    for rule in sorted({job.rule for job in jobs}):
        group = [job for job in jobs if job.rule == rule]
        seconds, trainings = sum(job.seconds for job in group), sum(job.trainings for job in group)
        rate = f"{trainings / seconds:.2f}" if trainings else ""
        share = f"{100 * seconds / whole:.0f} %"
        lines.append(f"{rule:<16}{len(group):>6}{seconds:>10.0f}{share:>8}{trainings or '':>11}{rate:>10}")
    return "\n".join(lines)


@click.command(cls=arguments.Command)
@arguments.folder
def command(folder: Path) -> None:
    """Print the time that each rule took."""
    home, scale = arguments.home_of(folder)
    jobs = list(timings(folder, home / "logs" / scale))
    if not jobs:
        raise FileNotFoundError(f"{folder}: there are no benchmark files for it in logs/{scale}")
    print(table(jobs))
