"""Progress of a run: the state of every job, a table by grid, the jobs that failed and their reasons.

Everything is read from the results and logs, so any machine that sees the folder can read it, during the run and
later. A result is stale if the next run makes it again: the config now asks for another result, or one of its inputs
is to be made.
"""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import click

from isobath import results
from isobath.disk import logs
from isobath.operations import arguments
from isobath.operations.verify import faults
from isobath.study.run import Run
from isobath.workflow import forecasts, plan, queues
from isobath.workflow.job_costs import CORE, FORKED
from isobath.workflow.plan import Job
from isobath.workflow.progress import duration

State = Literal["done", "running", "stale", "missing", "failed"]
STATES: tuple[State, ...] = ("done", "running", "stale", "missing", "failed")
ROW = "{:<13} {:<18}{:>8}" + 5 * "{:>9}" + "{:>12}{:>14}"
REMOVED = "it finished, and its result was removed since: Snakemake's messages say why"
INTERVAL = logs.BEAT  # seconds between two reports of --watch: a log does not change faster


class Condition(NamedTuple):
    """A job of the plan, its state, and the reason of a failure."""

    job: Job
    state: State
    reason: str = ""


def conditions(run: Run, *, ended: bool = False, since: float | None = None) -> list[Condition]:
    """Return the condition of every job of a run, in the order of the plan.

    If the run has ``ended``, a job whose log is incomplete was killed, and a job that paused has failed. If it began
    at ``since``, in seconds since 1970, older logs are those of another run, and say nothing.
    """
    fault_of = {fault.path: fault.kind for fault in faults(run, whole=False)}
    pending: set[str] = set()  # results that are to be made
    states: list[Condition] = []
    for job in plan.jobs(run):
        kinds = {fault_of[path] for path in job.outputs if path in fault_of}
        condition = Condition(job, "done")
        if "missing" in kinds:
            condition = _unmade(run, job, ended=ended, since=since)
        elif kinds or not pending.isdisjoint(job.inputs):
            condition = Condition(job, "stale")
        if condition.state != "done":
            pending.update(job.outputs)
        states.append(condition)
    return states


def _unmade(run: Run, job: Job, *, ended: bool, since: float | None) -> Condition:
    """Return the condition of a job without results, from its log."""
    entry = logs.read(run.home / job.log)
    if entry is None or entry.touched < (since or 0.0):
        return Condition(job, "missing")
    if entry.state == "finished":
        return Condition(job, "missing") if since is None else Condition(job, "failed", REMOVED)
    if entry.state == "running":
        return Condition(job, "failed", "killed: its log is incomplete") if ended else Condition(job, "running")
    if entry.state == "paused" and not ended:
        return Condition(job, "missing")
    return Condition(job, "failed", entry.reason if entry.state == "failed" else f"{entry.state}: {entry.reason}")


def failures(jobs: Iterable[Condition]) -> list[str]:
    """Return the number of failed jobs, then each reason below the results of its jobs; an empty list if none failed.

    The log below a reason is that of the first of its jobs.
    """
    failed = [condition for condition in jobs if condition.state == "failed"]
    by_reason: dict[str, list[Job]] = {}
    for condition in failed:
        by_reason.setdefault(condition.reason, []).append(condition.job)
    return [f"\n{len(failed)} failed:", *(_alike(*entry) for entry in by_reason.items())] if failed else []


def _alike(reason: str, jobs: Sequence[Job]) -> str:
    """Return the results of jobs that failed for one reason, the reason, and the log of the first."""
    others = f" and {len(jobs) - 1} more with this reason" if len(jobs) > 1 else ""
    return "\n".join([*(job.outputs[0] for job in jobs), f"    {reason}", f"    {jobs[0].log}{others}"])


def table(run: Run, jobs: Sequence[Condition], seconds: Mapping[str, float], clock: float = 1.0) -> Iterator[str]:
    """Yield a row per grid, counting every job that its cube and its figures depend on, and a row of all jobs.

    ``seconds`` are the CPU seconds of each job, by its log, and ``clock`` how long one of these takes by the clock. The
    work that is left is divided by the number of running jobs; it takes at least as long as its longest job.
    """
    yield ROW.format("study", "grid", "jobs", *STATES, "hours left", "to go")
    makers = {path: condition for condition in jobs for path in condition.job.outputs}
    for name, study in run.studies.items():
        for grid in study.grids:
            ends = [c.job.outputs[0] for c in jobs if (c.job.names.get("study"), _grid(run, c.job)) == (name, grid)]
            yield _row(name, grid, list(_needed(ends, makers)), seconds, clock)
    yield _row("all", "", jobs, seconds, clock)


def _grid(run: Run, job: Job) -> str | None:
    """Return the grid that the result of a job shows, if it shows one."""
    grid = results.option(job.rule, "grid")
    return grid(plan.part(run, job.rule, job.names), job.names) if grid else None


def _needed(paths: Iterable[str], makers: Mapping[str, Condition]) -> Iterator[Condition]:
    """Yield the jobs that make ``paths`` and all their inputs, each job once."""
    todo, listed_logs = list(paths), set[str]()
    while todo:
        condition = makers.get(todo.pop())
        if condition is not None and condition.job.log not in listed_logs:
            listed_logs.add(condition.job.log)
            todo += condition.job.inputs
            yield condition


def _row(study: str, grid: str, jobs: Collection[Condition], seconds: Mapping[str, float], clock: float) -> str:
    states = Counter(condition.state for condition in jobs)
    left = [seconds[condition.job.log] for condition in jobs if condition.state != "done"]
    running = states["running"]
    to_go = duration(clock * max(sum(left) / running, *left)) if running else "" if left else "done"
    counts = (states[state] for state in STATES)
    return ROW.format(study, grid, len(jobs), *counts, f"{sum(left) / 3600:.2f}", to_go)


def report(run: Run) -> str:
    """Return the table of a run and the list of its failed jobs."""
    jobs = conditions(run)
    queue = queues.jobs(run.home)
    rates = CORE if queue else FORKED
    history = forecasts.past(run, run.source, rates)
    seconds = {forecast.job.log: forecast.seconds.middle for forecast in forecasts.forecasts(run, history, rates)}
    return "\n".join([*table(run, jobs, seconds, history.clock), *([queue] if queue else []), *failures(jobs)])


@click.command(cls=arguments.Command)
@arguments.folder
@arguments.source
@arguments.config
@click.option(
    "--watch",
    type=arguments.Seconds(min=0, max=86_400, min_open=True),
    is_flag=False,
    flag_value=INTERVAL,
    metavar="[SECONDS]",
    help=f"Report again and again, every SECONDS ({INTERVAL:g}); the folder stands before it.",
)
def command(folder: Path, source: Path | None, config: Mapping[str, Any], watch: float | None) -> None:
    """Show the progress of a run and the jobs that failed.

    Results and logs are read, not changed, so this can be called at any time and from any machine that sees them.
    """
    while watch:
        print(f"\033[2J\033[H{_by_another_process(folder, source, config)}", end="", flush=True)
        time.sleep(watch)
    print(report(arguments.load_run(folder, config, source)))


def _by_another_process(folder: Path, source: Path | None, config: Mapping[str, Any]) -> str:
    """Return the report that another process makes, since one process reads the code of each module once."""
    settings = [f"{key}={json.dumps(value)}" for key, value in config.items()]
    words = [
        str(folder),
        *(["--workflow", str(source)] if source else []),
        *(["--config", *settings] if settings else []),
    ]
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-P", "-m", "isobath", "status", *words], capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise click.ClickException(ended.stderr.removeprefix("Error: ").strip())
    return ended.stdout
