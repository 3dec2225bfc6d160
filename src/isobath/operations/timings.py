"""``python -m isobath.operations.timings results/demo``: where the time of a run went, from its benchmark files and stores."""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from isobath.disk import store


class Expense(NamedTuple):
    """What one job took: its rule (the folder of its result), seconds, trainings of networks."""

    rule: str
    seconds: float
    trainings: int


def expenses(results: Path, logs: Path) -> Iterator[Expense]:
    """Every job below ``results`` (results/<scale>) that has a benchmark file below ``logs`` (logs/<scale>)."""
    for file in sorted(logs.rglob("*.tsv")):
        place = file.relative_to(logs)
        result = results / place.with_name(place.name.removesuffix(".tsv") + ".zarr.zip")
        if result.exists():
            with file.open(encoding="utf-8") as lines:
                seconds = [float(row["s"]) for row in csv.DictReader(lines, delimiter="\t")]
            data = store.read(result)
            yield Expense(place.parts[1], sum(seconds), data.status.size if "status" in data else 0)


def table(jobs: list[Expense]) -> str:
    """Jobs, seconds, share, trainings and trainings per second of each rule."""
    whole = sum(job.seconds for job in jobs)
    lines = [f"{'rule':<16}{'jobs':>6}{'seconds':>10}{'share':>8}{'trainings':>11}{'a second':>10}"]
    for rule in sorted({job.rule for job in jobs}):
        mine = [job for job in jobs if job.rule == rule]
        seconds, trainings = sum(job.seconds for job in mine), sum(job.trainings for job in mine)
        rate = f"{trainings / seconds:.2f}" if trainings else ""
        share = f"{100 * seconds / whole:.0f} %"
        lines.append(f"{rule:<16}{len(mine):>6}{seconds:>10.0f}{share:>8}{trainings or '':>11}{rate:>10}")
    return "\n".join(lines)


def main(results: Path) -> None:
    """Print the table of a results folder."""
    jobs = list(expenses(results, results.parent.parent / "logs" / results.name))
    print(table(jobs) if jobs else f"{results}: no benchmark files for it in logs/{results.name}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m isobath.operations.timings results/<scale>")
    main(Path(sys.argv[1]))
