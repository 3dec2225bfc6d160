"""The cost of a job in seconds: its counted work at the rates of a machine, with its start; and its time limit."""

import math
from typing import NamedTuple

from isobath import results
from isobath.results import Wildcards
from isobath.sizes import Counted, Work
from isobath.study.run import Run
from isobath.workflow import plan
from isobath.workflow.plan import Job

DELAY = 5.0  # minutes for a job to start, read, test and write, at most
MARGIN = 4.0  # of a time limit over the estimate: cores are slower than ours, and shared
LONGEST = 24 * 60  # minutes; a training that needs more saves its progress and continues in the next attempt
PROCESS = 3e8  # bytes of a process that has imported torch and xarray
NOTES = 10_000  # bytes of log and Snakemake's metadata


class Rates(NamedTuple):
    """The speed of a machine: seconds to start Python, to begin a layer in a step, and to pass a number through it."""

    start: float  # of Python, with what a usual job imports and the code whose fingerprint it checks
    launch: float
    activation: float  # forward and back, in float32
    operations: float  # per second, of a stack in float32


# One core of 2024: fitted to the CPU seconds of the 634 trainings of a demo, of which the epochs are known.
CORE = Rates(start=3.2, launch=1.5e-5, activation=2.4e-9, operations=1.2e11)
FORK = 0.08  # CPU seconds in which the launcher starts a job, with its client
FORKED = CORE._replace(start=FORK)
OVERHEAD = 1.0  # seconds of a stage besides its counted work, where its kind does not say


class Cost(NamedTuple):
    """The expected cost of a job on one core or GPU: its seconds to start, of overhead and of work, and its bytes.

    For a kind that counts nothing, all time besides its start is its work.
    """

    start: float
    overhead: float  # of the stage: it reads, checks, tests and writes
    work: float
    longest: float  # seconds of work to the last epoch; infinite where it is not known
    memory: float
    disk: float


def seconds(work: Work, rates: Rates = CORE) -> float:
    """Return the seconds that work takes at the rates of a machine."""
    return work.launches * rates.launch + work.operations / rates.operations + work.activations * rates.activation


def counted(run: Run, rule: str, names: Wildcards) -> Counted:
    """Return the counted cost of a rule's job; a kind of result that counts nothing takes its start."""
    count = results.option(rule, "cost")
    return count(plan.part(run, rule, names), names) if count else Counted()


def cost(run: Run, job: Job, rates: Rates = CORE) -> Cost:
    """Return the cost of a job at the rates of a machine."""
    return of_counts(counted(run, job.rule, job.names), job, rates)


def of_counts(counts: Counted, job: Job, rates: Rates = CORE) -> Cost:
    """Return the cost of a job at the rates of a machine, from its counted cost."""
    start = rates.start * results.option(job.rule, "START", 1.0)
    overhead = results.option(job.rule, "OVERHEAD", OVERHEAD) + results.option(job.rule, "EACH", 0.0) * len(job.inputs)
    longest = math.inf if counts.longest is None else seconds(counts.longest, rates)
    memory, disk = PROCESS + counts.memory, NOTES + counts.disk
    if counts.work == Work():
        return Cost(start, 0.0, overhead, longest, memory, disk)
    return Cost(start, overhead, seconds(counts.work, rates), longest, memory, disk)


def minutes(run: Run, rule: str, names: Wildcards) -> int:
    """Return a time limit in minutes: to the last epoch on one core, with a margin; the longest where it is unknown."""
    counts = counted(run, rule, names)
    if not counts.known:
        return LONGEST
    return int(min(LONGEST, math.ceil(DELAY + MARGIN * seconds(counts.longest or counts.work) / 60)))
