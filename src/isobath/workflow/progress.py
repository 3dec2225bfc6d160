"""Progress of a run while it goes on: which job has ended, its time, and the time to go.

Snakemake's logger (snakemake_logger_plugin_isobath) shows it. The time to go is that of the forecasts, as in ``isobath
estimate``, times the ratio of measured to forecast time of the jobs of the same rule in this run. Where too few of them
have finished, it is that of all jobs whose work is counted, or, for a rule whose work is not, of those of such rules.
"""

import heapq
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from isobath import results
from isobath.cell_labels import SYMBOLS
from isobath.disk import logs, usage

ENOUGH = 3  # finished jobs of a rule, from which its others are forecast
SLACK = 5.0  # seconds by which the clock of a node may be behind


class Begun(NamedTuple):
    """A job that was started or submitted: its name, its log, and the time of its start in seconds since 1970."""

    name: str
    log: str
    time: float


class Taken(NamedTuple):
    """Jobs that have finished: their number, the seconds that were forecast, and the seconds that they took."""

    jobs: int = 0
    expected: float = 0.0
    seconds: float = 0.0

    def plus(self, other: "Taken") -> "Taken":
        """Return the sums of jobs and of seconds."""
        return Taken(self.jobs + other.jobs, self.expected + other.expected, self.seconds + other.seconds)

    @property
    def ratio(self) -> float:
        """Return the seconds that jobs took over the seconds that were forecast; 1 for too few jobs."""
        return self.seconds / self.expected if self.jobs >= ENOUGH and self.expected else 1.0


class Progress:
    """The jobs of a run: forecasts by log, (rule, seconds); how many run at a time, None if a cluster decides.

    ``needs`` are the logs of the jobs whose results a job reads, by its log.
    """

    def __init__(
        self,
        forecasts: Mapping[str, tuple[str, float]],
        total: int,
        slots: int | None,
        pages: Sequence[str] = (),
        needs: Mapping[str, Collection[str]] = {},
    ) -> None:
        self.total, self.slots, self.pages = total, slots, pages
        self.done, self.failed, self.cpu, self.began = 0, set[str](), 0.0, time.time()
        self.silent = set[str]()  # logs, which are not there, of jobs whose group has failed
        self._ahead, self._begun = dict(forecasts), dict[int, Begun]()
        self._without = dict[str, tuple[str, float]]()  # the forecasts of jobs that failed, or need one, by log
        self._needs, self._readers = needs, defaultdict[str, list[str]](list)
        for reader, read in needs.items():
            for log in read:
                self._readers[log].append(reader)
        self._left, self._taken = defaultdict[str, float](float), defaultdict[str, Taken](Taken)
        self._alike = {True: Taken(), False: Taken()}  # of rules whose work is counted, and of the others
        for rule, seconds in forecasts.values():
            self._left[rule] += seconds
        self._longest = [(-seconds, log) for log, (_, seconds) in forecasts.items()]
        heapq.heapify(self._longest)

    def begin(self, number: int, rule: str, names: Mapping[str, str], log: str) -> None:
        """Note a job that starts, or starts again after a failure, by Snakemake's number, its rule and wildcards."""
        self._take_back(log)
        self._begun[number] = Begun(title(rule, names), log, time.time())

    def finish(self, number: int) -> str | None:
        """Return the line of a job that has finished; None for one without a log, such as the target."""
        job = self._begun.pop(number, None)
        if job is None or not job.log:
            return None
        took = usage.read(Path(job.log), "finished")
        seconds = took.seconds if took else time.time() - job.time
        self.cpu += took.cpu if took else 0.0
        self.done += 1
        self.failed.discard(job.log)
        self.silent.discard(job.log)
        if job.log in self._ahead:
            rule, expected = self._ahead.pop(job.log)  # Snakemake's name of it may have the prefix of an import
            self._left[rule] -= expected
            self._taken[rule] = self._taken[rule].plus(Taken(1, expected, seconds))
            self._alike[_is_counted(rule)] = self._alike[_is_counted(rule)].plus(Taken(1, expected, seconds))
        ahead = f"; {duration(self.to_go())} to go" if self._ahead else ""
        return f"{time.strftime('%H:%M:%S')}  {self.done}/{self.total}  {job.name}: {duration(seconds)}{ahead}"

    def fail(self, number: int, *, grouped: bool = False) -> str | None:
        """Return the line of a job that has failed; None for one of a group whose failure is that of another."""
        job = self._begun.get(number)
        entry = logs.read(Path(job.log)) if job and job.log else None
        if job is None or (entry and entry.touched < job.time - SLACK):
            entry = None
        if job is not None and grouped and entry is None and job.log:
            self.silent.add(job.log)
        if job is None or (grouped and (entry is None or entry.state == "finished")):
            return None
        if entry is None or entry.state == "finished":
            state, reason = "failed", "see above"
        else:
            state, reason = (
                ("killed", "its log is incomplete") if entry.state == "running" else (entry.state, entry.reason)
            )
        if state != "paused":
            self.failed.add(job.log)
            self._leave_out(job.log)
        return f"{time.strftime('%H:%M:%S')}  {state}  {job.name}: {reason}; log: {job.log}"

    def _leave_out(self, log: str) -> None:
        """Leave a failed job, and all that need it, out of the work that is left, until it begins again."""
        if log in self._ahead:
            rule, seconds = self._without[log] = self._ahead.pop(log)
            self._left[rule] -= seconds
            for reader in self._readers[log]:
                self._leave_out(reader)

    def _take_back(self, log: str) -> None:
        """Count a job that begins again as work that is left, and those that need no other failed job."""
        if log in self._without and not any(other in self._without for other in self._needs.get(log, ())):
            rule, seconds = self._ahead[log] = self._without.pop(log)
            self._left[rule] += seconds
            heapq.heappush(self._longest, (-seconds, log))
            for reader in self._readers[log]:
                self._take_back(reader)

    def to_go(self) -> float:
        """Return the seconds until the run ends: the work left over the jobs at a time; at least the longest job.

        Of a job that runs on this machine what it has taken so far is done; one of a cluster may still wait.
        """
        elapsed = max(time.time() - self.began, 1.0)
        at_work = self.slots or max(1.0, sum(taken.seconds for taken in self._alike.values()) / elapsed)
        work = sum(seconds * self._ratio(rule) for rule, seconds in self._left.items())
        running = [job for job in self._begun.values() if job.log in self._ahead] if self.slots else []
        taken = {job.log: min(time.time() - job.time, self._expected(job.log)) for job in running}
        while self._longest and (self._longest[0][1] not in self._ahead or self._longest[0][1] in taken):
            heapq.heappop(self._longest)
        longest = [self._expected(log) - seconds for log, seconds in taken.items()]
        longest += [self._expected(log) for _, log in self._longest[:1]]
        return max(((work - sum(taken.values())) / at_work, *longest))

    def totals(self) -> str:
        """Return the last line of a run: its jobs, times and failures, and the path of its page."""
        finished = f"{self.done} of {self.total} jobs finished in {duration(time.time() - self.began)}"
        unbegun = f"{len(self.silent)} of groups that ended early were not begun" if self.silent else self._unfinished()
        failed = f"{len(self.failed)} failed" if self.failed else unbegun
        pages = [f"open {page}" for page in self.pages if Path(page).exists()]
        return "; ".join([f"{finished} ({duration(self.cpu)} of CPU time)", failed, *pages])

    def _unfinished(self) -> str:
        """Return what became of the jobs that are not counted: some fail by what Snakemake finds after them."""
        return f"{self.total - self.done} were not finished" if self.done < self.total else "none failed"

    def _expected(self, log: str) -> float:
        rule, seconds = self._ahead[log]
        return seconds * self._ratio(rule)

    def _ratio(self, rule: str) -> float:
        return (self._taken[rule] if self._taken[rule].jobs >= ENOUGH else self._alike[_is_counted(rule)]).ratio


def _is_counted(rule: str) -> bool:
    """Tell whether the work of a rule's jobs is counted; forecasts of the others may be far off."""
    return results.option(rule, "cost") is not None


current: Progress | None = None  # that of the run of this process


def title(rule: str, names: Mapping[str, str]) -> str:
    """Return a rule and its cell in words: networks locality 2-local sgd L=3 H=100 N=500 draw=0 seeds=0-9."""
    words = (
        f"{SYMBOLS.get(name, name)}={value}" if value[0].isdigit() and name != "task" else value  # a name says enough
        for name, value in names.items()
        if name != "scale"
    )
    return " ".join([rule, *words])


def duration(seconds: float) -> str:
    """Format seconds in two units: 3 d 4 h, 2 h 5 min, 40 s."""
    if round(seconds) < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 24 * 60:
        return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
    return f"{minutes // (24 * 60)} d {minutes % (24 * 60) // 60} h"
