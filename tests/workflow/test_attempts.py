"""Jobs that are longer than a time limit: submitted again as long as they pause, and no longer."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.scheduling.job_scheduler import JobScheduler

from isobath.hooks import attempts

PAUSED, FAILED = "isobath: paused: OutOfTime: stopped at epoch 5\n", "isobath: failed: ValueError: no\n"


class Scheduler:
    """Snakemake's scheduler, of which only the handling of errors is called."""

    _handle_error = JobScheduler._handle_error

    def __init__(self):
        ready = set()
        self.workflow = SimpleNamespace(dryrun=True, dag=SimpleNamespace(_ready_jobs=ready, jobid=id))
        self.ready, self.failed, self.running, self.resources = ready, set(), set(), {}
        self._errors = False

    def get_executor(self, job):
        return SimpleNamespace(handle_job_error=lambda job: None)

    def _free_resources(self, job):
        self.freed = job.attempt


class Job(SimpleNamespace):
    """A job with its log, or a group of jobs."""

    __hash__ = object.__hash__

    @property
    def restart_times(self):
        return max(job.rule.restart_times for job in self.jobs)

    def is_group(self):
        return len(self.jobs) > 1


def job(*logs, retries=2):
    members = [SimpleNamespace(rule=SimpleNamespace(restart_times=retries), log=[str(log)]) for log in logs]
    return Job(jobs=members, attempt=1, rule=members[0].rule, log=members[0].log)


@pytest.fixture
def scheduler():
    class Forgiving(Scheduler):
        pass

    assert attempts.forgive(Forgiving, attempts.Pauses(since=0.0).paused)
    return Forgiving()


def fail(scheduler, job, times):
    """Let a job fail with logs of these ends, one after the other; return its attempts, and whether it was given up."""
    seen = []
    for turn, ends in enumerate(times, start=1):
        for member, end in zip(job.jobs, ends, strict=True):
            if end is not None:
                Path(member.log[0]).write_text(end, encoding="utf-8")
                os.utime(member.log[0], (turn, turn))
        scheduler.ready.clear()
        scheduler.running.add(job)
        scheduler._handle_error(job)
        seen.append(job.attempt)
    return seen, job in scheduler.failed


def test_the_scheduler_that_is_installed_is_of_this_make():
    assert hasattr(JobScheduler, attempts.HANDLE)
    assert not attempts.forgive(SimpleNamespace(), None)


def test_a_training_that_pauses_is_submitted_again_until_it_ends(scheduler, tmp_path):
    one = job(tmp_path / "log")
    assert fail(scheduler, one, [[PAUSED]] * 20) == ([1] * 20, False)
    assert one in scheduler.ready
    assert one.restart_times == 2
    assert scheduler.freed == 1  # what it had asked for


def test_failures_count_as_before(scheduler, tmp_path):
    assert fail(scheduler, job(tmp_path / "log"), [[FAILED]] * 3) == ([2, 3, 3], True)


def test_a_pause_does_not_undo_a_failure(scheduler, tmp_path):
    ends = [[FAILED], [PAUSED], [PAUSED], [FAILED], [PAUSED], [FAILED]]
    assert fail(scheduler, job(tmp_path / "log"), ends) == ([2, 2, 2, 3, 3, 3], True)


def test_a_pause_of_before_is_none(scheduler, tmp_path):
    """The cluster refuses the job, which therefore writes no log."""
    assert fail(scheduler, job(tmp_path / "log"), [[PAUSED], [None], [None], [None]]) == ([1, 2, 3, 3], True)


def test_without_retries_a_pause_is_the_end(scheduler, tmp_path):
    assert fail(scheduler, job(tmp_path / "log", retries=0), [[PAUSED]]) == ([1], True)


def test_a_group_is_submitted_again_if_one_has_paused_and_none_has_failed(scheduler, tmp_path):
    group = job(tmp_path / "a", tmp_path / "b", tmp_path / "c")
    assert fail(scheduler, group, [["isobath: finished\n", PAUSED, None]] * 4) == ([1] * 4, False)
    assert fail(scheduler, group, [["isobath: finished\n", PAUSED, FAILED]] * 3) == ([2, 3, 3], True)
