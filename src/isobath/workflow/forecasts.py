"""Forecasts of the time and memory that jobs take, from counts and past jobs; and the limits of a run.

A ratio is the measured time of work over its counted cost. Of past jobs that are alike in study, rule and protocol, or
in their rule alone, it has a value over all of their work, and an interval that holds 80 % of this work. Pilots of the
same scale come before them.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from isobath import results
from isobath.disk import usage
from isobath.sizes import Counted
from isobath.study.run import Run
from isobath.study.schema import Block, ConfigError
from isobath.workflow import job_costs, pilots, plan
from isobath.workflow.job_costs import CORE, Cost, Rates
from isobath.workflow.pilots import Correction
from isobath.workflow.plan import Job
from isobath.workflow.ranges import PRIOR, Range

OTHERWISE = "raise it there, or go on without limits: --config limits=null"
ENOUGH = 3  # past jobs, from which similar jobs are forecast
SPEED = 2.0  # the largest ratio of a training's CPU seconds to those counted to its last epoch
Key = tuple[str, ...]


class Past(NamedTuple):
    """Past jobs: the CPU seconds of each by its log, and the ratios of CPU seconds, without starts, to counted work.

    ``clock`` is how long a CPU second of theirs took: more than a second where programs share the cores. ``pilots``
    are the corrections by networks of this scale, by study and protocol.
    """

    seconds: Mapping[str, float]
    ratios: Mapping[Key, Range]
    clock: float = 1.0
    pilots: Mapping[tuple[str, str], Correction] = {}


class Forecast(NamedTuple):
    """A forecast of one job: seconds, peak memory in bytes, bytes of its result with its log; and files."""

    job: Job
    seconds: Range
    memory: float
    disk: float

    @property
    def files(self) -> int:
        """Return the number of files that the job leaves: results, Snakemake's note on each, and log."""
        return 2 * len(self.job.outputs) + 1


class Total(NamedTuple):
    """A forecast of many jobs: hours on one core (or GPU), bytes of the largest job, bytes and files of all."""

    jobs: int
    hours: Range
    memory: float
    disk: float
    files: int


def past(run: Run, source: Path, rates: Rates = CORE) -> Past:
    """Read past jobs from their logs, of every scale of the studies in ``source``.

    A job whose settings have changed since is none of them. They count with the seconds of a core that they used, so
    that other programs on the machine change no estimate; a job that waits for its GPU uses a core as well.
    """
    seconds: dict[str, float] = {}
    elapsed = 0.0
    pairs: dict[Key, list[tuple[float, float]]] = defaultdict(list)
    for folder in sorted((run.home / "logs").glob("*/")):
        scaled_run = run if folder.name == run.config.scale else _run_at(folder.name, run, source)
        if scaled_run is None:
            continue
        for job in plan.jobs(scaled_run):
            took = usage.read(run.home / job.log, "finished")
            if took is None or took.spec != usage.digest(job.spec(scaled_run)):
                continue
            seconds[job.log] = took.cpu
            elapsed += took.seconds + took.start
            cost = job_costs.cost(scaled_run, job, rates)
            if cost.work > cost.overhead:  # the others say nothing about work
                for key in _keys(job):
                    pairs[key].append((cost.work, max(0.0, took.cpu - took.start - cost.overhead)))
    clock = max(1.0, elapsed / sum(seconds.values())) if len(seconds) >= ENOUGH else 1.0
    ratios = {key: _ratio(of_key) for key, of_key in pairs.items() if len(of_key) >= ENOUGH}
    return Past(seconds, ratios, clock, pilots.corrections(pilots.read(run.home, run.config.scale), rates))


def _run_at(scale: str, run: Run, source: Path) -> Run | None:
    """Return a run at another scale; None for a scale that the studies no longer have, or without its data files."""
    try:
        scaled_run = plan.of(run.config.model_copy(update={"scale": scale}), source, f"scale {scale}")
    except ConfigError:
        return None
    return replace(scaled_run, home=run.home)


def forecasts(run: Run, history: Past, rates: Rates = CORE) -> Iterator[Forecast]:
    """Yield a forecast of every job, in the order of the plan. A job that was run before takes as long again."""
    disk: dict[str, float] = {}
    for job, counts in zip(plan.jobs(run), _counts(run), strict=True):
        cost = job_costs.of_counts(counts, job, rates)
        gathered = sum(disk.get(path, 0.0) for path in job.inputs) if results.option(job.rule, "GATHERS") else 0.0
        disk[job.outputs[0]] = cost.disk + gathered
        took = history.seconds.get(job.log)
        work = _work(history, job, cost)
        seconds = Range(*(cost.start + cost.overhead + w for w in work)) if took is None else Range(took, took, took)
        yield Forecast(job, seconds, cost.memory + 3 * gathered, cost.disk + gathered)


@lru_cache(maxsize=2)
def _counts(run: Run) -> Sequence[Counted]:
    """Return the counted costs of all jobs, in the order of the plan; demands and estimates ask for them repeatedly."""
    return tuple(job_costs.counted(run, job.rule, job.names) for job in plan.jobs(run))


def _work(history: Past, job: Job, cost: Cost) -> Range:
    """Return the seconds of a job's work; a job without a last epoch trains nothing, and has no pilot."""
    pilot = history.pilots.get((job.names.get("study", ""), job.names.get("protocol", "")))
    if pilot and math.isfinite(cost.longest):
        return pilot.seconds(cost.work, cost.longest)
    ratio = next((history.ratios[key] for key in _keys(job) if key in history.ratios), PRIOR)
    return Range(*(min(r * cost.work, SPEED * cost.longest) for r in ratio))


def needs(listed: Iterable[Forecast]) -> dict[str, set[str]]:
    """Return the logs of the jobs whose results a job reads, by its log, among the jobs of forecasts."""
    jobs = [forecast.job for forecast in listed]
    writers = {path: job.log for job in jobs for path in job.outputs}
    return {job.log: {writers[path] for path in job.inputs if path in writers} for job in jobs}


def total(listed: Collection[Forecast]) -> Total:
    """Sum forecasts. Errors are taken as fully correlated, so lower and upper bounds add up."""
    hours = Range(*(sum(f.seconds[i] for f in listed) / 3600 for i in range(3)))
    memory = max((f.memory for f in listed), default=0.0)
    return Total(len(listed), hours, memory, sum(f.disk for f in listed), sum(f.files for f in listed))


def require_countable(run: Run) -> None:
    """Refuse a grid of more jobs than ``limits`` allows, before they are listed. Raises ConfigError."""
    limit = run.config.limits and run.config.limits.jobs
    blocks = [block for study in run.studies.values() for listed in study.grids.values() for block in listed]
    largest = max((_jobs(block, run.config.seeds_per_job) for block in blocks), default=0)
    if limit and largest > limit:
        raise ConfigError(
            f"a block of a grid is {largest} jobs, and limits.jobs of config.yaml is {limit}; {OTHERWISE}"
        )


def require_affordable(run: Run, source: Path, due: Collection[str], rates: Rates = CORE) -> list[Forecast]:
    """Return forecasts of the jobs that make ``due``, paths of results, unless ``limits`` forbids so much.

    Raises ConfigError.
    """
    limits, targets = run.config.limits, set(due)
    history = past(run, source, rates)
    selected = [f for f in forecasts(run, history, rates) if not targets.isdisjoint(f.job.outputs)]
    if limits is None:
        return selected
    cost = total(selected)
    for amount, number, key in (
        (f"{cost.jobs} jobs", cost.jobs, "jobs"),
        (f"about {cost.hours.middle:.3g} core-hours", cost.hours.middle, "hours"),
        (f"about {cost.disk / 1e9:.3g} GB", cost.disk / 1e9, "disk_gb"),
    ):
        limit = getattr(limits, key)
        if limit is not None and not number <= limit:
            raise ConfigError(
                f"the run still needs {amount}, and limits.{key} of config.yaml is {limit:g}; {OTHERWISE}"
            )
    return selected


def _keys(job: Job) -> list[Key]:
    """Return the keys by which jobs are alike, the closest first."""
    variant = job.names.get("protocol") or job.names.get("kernel", "")
    return [(job.rule, job.names.get("study", ""), variant), (job.rule,)]


def _ratio(pairs: Iterable[tuple[float, float]]) -> Range:
    """Return the ratio of seconds to counted work of pairs (counted, taken): in all, and its quantiles 0.1 and 0.9."""
    ordered = sorted(pairs, key=lambda pair: pair[1] / pair[0])
    counted, seconds = (sum(column) for column in zip(*ordered, strict=True))
    shares = list(itertools.accumulate(work / counted for work, _ in ordered))
    low, high = (next(t / w for (w, t), share in zip(ordered, shares, strict=True) if share >= q) for q in (0.1, 0.9))
    return Range(min(low, seconds / counted), seconds / counted, max(high, seconds / counted))


def _jobs(block: Block, per_job: int) -> int:
    """Count trainings, regressions and constructions of a block of a grid; searches, data, ensembles come on top."""
    cells = len(block.tasks) * len(block.n_train) * block.draws
    networks = len(block.protocols) * block.shapes() * math.ceil(block.seeds / per_job)
    return cells * (networks + len(block.kernels) + len(block.constructions))
