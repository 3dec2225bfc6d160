"""Attempts of jobs that are longer than the time limit of a cluster: they are submitted again until they end.

A training stops before its time limit, saves its progress, and says in its log that it has paused: after an epoch at
least. Snakemake (9) would count this as a failure, and give up after ``retries`` of them. Here it costs no attempt.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from isobath.disk import logs
from isobath.hooks import patches

HANDLE = "_handle_error"  # of Snakemake's scheduler


class Pauses:
    """The pauses of a run that began at ``since``, in seconds since 1970: each is reported once."""

    def __init__(self, since: float) -> None:
        self._since, self._told = since, dict[str, float]()

    def paused(self, files: Iterable[str]) -> bool:
        """Tell whether the jobs with these logs have paused since the last call, some of them, and none has failed."""
        entries = {file: logs.read(Path(file)) for file in files}
        fresh = {f: e for f, e in entries.items() if e is not None and e.touched > self._told.get(f, self._since)}
        states = {entry.state for entry in fresh.values()}
        self._told |= {file: entry.touched for file, entry in fresh.items()}
        return "paused" in states and states <= {"paused", "finished"}


def forgive(scheduler: Any, paused: Callable[[Iterable[str]], bool]) -> bool:
    """Patch the class of a scheduler so that a paused job that is submitted again uses up no retry.

    Returns False if the class has no such method.
    """

    def forgiving(handle: Callable[..., None]) -> Callable[..., None]:
        def handled(self: Any, job: Any, *arguments: Any, **options: Any) -> None:
            members = list(job.jobs) if job.is_group() else [job]
            attempt = job.attempt
            if not job.restart_times or not paused([file for member in members for file in member.log]):
                handle(self, job, *arguments, **options)
                return
            with _one_more({id(member.rule): member.rule for member in members}.values()):
                handle(self, job, *arguments, **options)
            job.attempt = attempt

        return handled

    return patches.wrap(scheduler, HANDLE, forgiving)


@contextlib.contextmanager
def _one_more(rules: Iterable[Any]) -> Iterator[None]:
    """Allow one more attempt of every job of rules until the block ends: the scheduler's lock is held."""
    rules = list(rules)
    for rule in rules:
        rule.restart_times += 1
    try:
        yield
    finally:
        for rule in rules:
            rule.restart_times -= 1
