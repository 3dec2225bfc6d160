"""``python -m isobath.operations.status results/demo``: how far a run is, grid by grid, what has failed and why.

Results and logs say it, so that it can be asked from anywhere while the run goes on, and long after; ``--watch`` asks
again and again. A result is stale if the next run makes it again: because the config now asks for another one, or
because something that it is made from is to be made.
"""

import argparse
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from isobath import results
from isobath.disk import logs
from isobath.operations import arguments
from isobath.operations.verify import faults
from isobath.study.run import Run
from isobath.workflow import forecasts, plan
from isobath.workflow.plan import Job

State = Literal["done", "running", "stale", "missing", "failed"]
STATES: tuple[State, ...] = ("done", "running", "stale", "missing", "failed")
ROW = "{:<12}{:<18}{:>8}" + 5 * "{:>9}" + "{:>12}{:>14}"
GENTLE = logs.BEAT  # seconds between two looks


class Condition(NamedTuple):
    """A job of the plan, how it fares, and why it has failed if it has."""

    job: Job
    state: State
    reason: str = ""


def conditions(run: Run, *, ended: bool = False) -> list[Condition]:
    """How every job of a run fares, in the order of the plan.

    Where the run has ``ended``, whatever has not said how it ended was killed, and what has paused has failed.
    """
    wrong = {fault.path: fault.kind for fault in faults(run, whole=False)}
    pending: set[str] = set()  # results that are to be made
    found = []
    for job in plan.jobs(run):
        kinds = {wrong[path] for path in job.outputs if path in wrong}
        condition = Condition(job, "done")
        if "missing" in kinds:
            condition = _unmade(run, job, ended=ended)
        elif kinds or not pending.isdisjoint(job.inputs):
            condition = Condition(job, "stale")
        if condition.state != "done":
            pending.update(job.outputs)
        found.append(condition)
    return found


def _unmade(run: Run, job: Job, *, ended: bool) -> Condition:
    """Of a job without its results."""
    entry = logs.read(run.home / job.log)
    if entry is None or entry.state == "finished":
        return Condition(job, "missing")
    if entry.state == "running":
        return Condition(job, "failed", "killed: its log ends without a word") if ended else Condition(job, "running")
    if entry.state == "paused" and not ended:
        return Condition(job, "missing")
    return Condition(job, "failed", entry.reason if entry.state == "failed" else f"{entry.state}: {entry.reason}")


def failures(found: Iterable[Condition]) -> list[str]:
    """How many jobs have failed, and of each its result, its reason and its log; nothing if none has."""
    failed = [condition for condition in found if condition.state == "failed"]
    about = [f"{c.job.outputs[0]}\n    {c.reason}\n    {c.job.log}" for c in failed]
    return [f"\n{len(failed)} failed:", *about] if failed else []


def table(run: Run, found: Sequence[Condition], seconds: Mapping[str, float]) -> Iterator[str]:
    """A row per grid, with all that its cube and its figures need, and one for all jobs of the run.

    ``seconds`` says what a job takes, by its log. What is left is divided by the jobs that are running, and takes no
    less time than its longest job.
    """
    yield ROW.format("study", "grid", "jobs", *STATES, "hours left", "to go")
    makers = {path: condition for condition in found for path in condition.job.outputs}
    for name, study in run.studies.items():
        for grid in study.grids:
            ends = [c.job.outputs[0] for c in found if (c.job.names.get("study"), _grid(run, c.job)) == (name, grid)]
            yield _row(name, grid, list(_needed(ends, makers)), seconds)
    yield _row("all", "", found, seconds)


def _grid(run: Run, job: Job) -> str | None:
    """Return the grid that the result of a job shows, if it shows one."""
    grid = results.option(job.rule, "grid")
    return grid(plan.part(run, job.rule, job.names), job.names) if grid else None


def _needed(paths: Iterable[str], makers: Mapping[str, Condition]) -> Iterator[Condition]:
    """The jobs that make ``paths`` and all that these are made from, once each."""
    todo, seen = list(paths), set[str]()
    while todo:
        condition = makers.get(todo.pop())
        if condition is not None and condition.job.log not in seen:
            seen.add(condition.job.log)
            todo += condition.job.inputs
            yield condition


def _row(study: str, grid: str, found: Collection[Condition], seconds: Mapping[str, float]) -> str:
    states = Counter(condition.state for condition in found)
    left = [seconds[condition.job.log] for condition in found if condition.state != "done"]
    running = states["running"]
    to_go = duration(max(sum(left) / running, *left)) if running else "" if left else "done"
    counts = (states[state] for state in STATES)
    return ROW.format(study, grid, len(found), *counts, f"{sum(left) / 3600:.2f}", to_go)


def duration(seconds: float) -> str:
    """In two units: 3 d 4 h, 2 h 5 min, 40 s."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 24 * 60:
        return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
    return f"{minutes // (24 * 60)} d {minutes % (24 * 60) // 60} h"


def report(run: Run) -> str:
    """All that there is to say."""
    found = conditions(run)
    known = forecasts.past(run, run.home)
    seconds = {forecast.job.log: forecast.seconds.middle for forecast in forecasts.forecasts(run, known)}
    return "\n".join([*table(run, found, seconds), *failures(found)])


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m isobath.operations.status", description="How far a run is.")
    arguments.arguments(parser)
    parser.add_argument("--watch", nargs="?", type=float, const=GENTLE, metavar="SECONDS", help="look again and again")
    given = parser.parse_args()
    while True:
        said = report(arguments.asked(given))
        print(f"\033[2J\033[H{said}" if given.watch else said, flush=True)
        if not given.watch:
            return
        time.sleep(given.watch)


if __name__ == "__main__":
    main()
