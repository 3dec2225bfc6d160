"""Output of a run while it goes on: a line per job, its time and the time to go, failures, and the totals."""

import logging
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from house import ROOT
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.tests import MockOutputSettings, TestLogHandlerBase

from isobath.archive import contents
from isobath.disk.usage import Usage
from isobath.workflow import plan, progress
from isobath.workflow.progress import Progress
from snakemake_logger_plugin_isobath import LogHandler

NAMES = {"scale": "demo", "study": "locality", "task": "2-local", "protocol": "sgd", "depth": "3", "width": "100"}
NAMES |= {"n_train": "500", "draw": "0", "seeds": "0-9"}
CELL = "networks locality 2-local sgd L=3 H=100 N=500 draw=0 seeds=0-9"


def test_jobs_that_need_a_failed_one_are_no_work_until_it_begins_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    foretold = {"a": ("networks", 100.0), "b": ("networks", 60.0), "cube": ("cubes", 10.0), "page": ("verdicts", 1.0)}
    of_run = Progress(foretold, total=4, slots=1, needs={"cube": ["a", "b"], "page": ["cube"]})
    for number, log in enumerate("ab"):
        of_run.begin(number, "networks", NAMES, log)
        of_run.fail(number)
    assert of_run.to_go() == 0
    of_run.begin(2, "networks", NAMES, "a")
    assert of_run.to_go() == pytest.approx(100, abs=1)  # the cube still needs the other
    of_run.begin(3, "networks", NAMES, "b")
    assert of_run.to_go() == pytest.approx(171, abs=1)


class TestAsSnakemakeTestsIt(TestLogHandlerBase):
    """The tests that come with the interface of loggers."""

    __test__ = True

    def get_log_handler_cls(self):
        return LogHandler

    def get_log_handler_settings(self):
        return None


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Make a run, begun now, of four trainings forecast at 10 s each, two at a time, and a cube of 5 s."""
    monkeypatch.chdir(tmp_path)
    foretold = {f"log{i}": ("networks", 10.0) for i in range(4)} | {"cube": ("cubes", 5.0)}
    monkeypatch.setattr(progress, "current", Progress(foretold, total=5, slots=2, pages=["index.html"]))
    return progress.current


@pytest.fixture
def handler():
    settings = MockOutputSettings()
    settings.quiet, settings.printshellcmds = set(), False
    return LogHandler(settings, None)


def tell(handler, event, **about):
    """Hand on a record, as Snakemake makes it."""
    level = logging.ERROR if event in (LogEvent.JOB_ERROR, LogEvent.ERROR) else logging.INFO
    record = logging.LogRecord("snakemake", level, "file", 1, about.pop("msg", "theirs"), (), None)
    record.__dict__.update(event=event, **about)
    handler._theirs.setStream(sys.stderr)  # pytest has another one for a test than for its fixtures
    handler.emit(record)


def begin(handler, number, log, names=NAMES, rule="networks"):
    tell(handler, LogEvent.JOB_INFO, jobid=number, rule_name=rule, wildcards=names, log=[log] if log else [])


def end(log, how="finished", seconds=20.0):
    """Write the end of a log."""
    Path(log).write_text(f"{Usage(seconds, 15.0, 0.0, 1e6)}isobath: {how}\n", encoding="utf-8")


def test_a_job_that_finishes_is_a_line_with_its_cell_its_time_and_what_is_left(run, handler, capsys):
    begin(handler, 7, "log0")
    tell(handler, LogEvent.JOB_STARTED)
    end("log0")
    tell(handler, LogEvent.JOB_FINISHED, job_id=7)
    tell(handler, LogEvent.PROGRESS, done=1, total=6)
    said = capsys.readouterr()
    assert said.out == ""
    # no ratio for a single job: three trainings of 10 s and a cube, two at a time
    assert re.fullmatch(rf"\d\d:\d\d:\d\d  1/5  {re.escape(CELL)}: 20 s; 18 s to go\n", said.err)


def test_the_time_to_go_knows_what_jobs_of_the_rule_have_taken(run, handler):
    for number in range(3):
        begin(handler, number, f"log{number}")
        end(f"log{number}")
        run.finish(number)
    assert run.to_go() == pytest.approx(20.0)  # the longest; both together are 20 s + 5 s for two cores
    run.slots = 1
    assert run.to_go() == pytest.approx(25.0)  # trainings say nothing of a cube, whose work is not counted
    begin(handler, 4, "log3")
    run._begun[4] = run._begun[4]._replace(time=time.time() - 8)
    assert run.to_go() == pytest.approx(17.0, abs=0.1)


@pytest.fixture
def uneven(tmp_path, monkeypatch):
    """Make a run of a job of an hour, which begins now, and of one of a minute."""
    monkeypatch.chdir(tmp_path)
    run = Progress({"long": ("networks", 3600.0), "short": ("networks", 60.0)}, total=2, slots=2)
    run.begin(1, "networks", NAMES, "long")
    return run


def test_of_the_longest_job_the_time_that_it_has_run_is_not_to_go(uneven):
    uneven._begun[1] = uneven._begun[1]._replace(time=time.time() - 3300)
    assert uneven.to_go() == pytest.approx(300.0, abs=0.1)


def test_a_job_that_has_failed_is_not_to_go_until_it_begins_again(uneven):
    assert uneven.to_go() == pytest.approx(3600.0, abs=0.1)
    uneven.fail(1)
    assert uneven.to_go() == pytest.approx(60.0)
    uneven.begin(1, "networks", NAMES, "long")
    assert uneven.to_go() == pytest.approx(3600.0, abs=0.1)


def test_the_time_to_go_knows_the_rules_of_a_module_that_has_renamed_them(tmp_path, monkeypatch):
    """Three of ten trainings took twice the forecast time, and three of four kernels took just that time."""
    monkeypatch.chdir(tmp_path)
    ahead = {**{f"n{i}": ("networks", 10.0) for i in range(10)}, **{f"k{i}": ("kernels", 10.0) for i in range(4)}}
    run = Progress(ahead, total=14, slots=1)
    known = [(f"n{i}", "networks", 20.0) for i in range(3)] + [(f"k{i}", "kernels", 10.0) for i in range(3)]
    for number, (log, rule, seconds) in enumerate(known):
        run.begin(number, f"theirs_{rule}", NAMES, log)
        end(log, seconds=seconds)
        run.finish(number)
    assert run.to_go() == pytest.approx(7 * 20 + 10)


def test_jobs_whose_work_is_not_counted_say_nothing_of_trainings(tmp_path, monkeypatch):
    """Calculations and data, forecast at a second each, took minutes; a training is still expected to take an hour."""
    monkeypatch.chdir(tmp_path)
    ahead = {f"c{i}": ("calculations", 1.0) for i in range(4)} | {"n": ("networks", 3600.0)}
    run = Progress(ahead, total=5, slots=1)
    for number in range(3):
        run.begin(number, "calculations", NAMES, f"c{number}")
        end(f"c{number}", seconds=200.0)
        run.finish(number)
    assert run.to_go() == pytest.approx(200 + 3600)


def test_on_a_cluster_the_jobs_at_work_are_those_that_have_ended_by_the_time(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = Progress({f"log{i}": ("networks", 10.0) for i in range(12)}, total=12, slots=None)
    run.began = time.time() - 20
    for number in range(4):
        run.begin(number, "networks", NAMES, f"log{number}")
        end(f"log{number}", seconds=10.0)
        run.finish(number)
    assert run.to_go() == pytest.approx(80 / (40 / 20), rel=0.01)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("failed: ValueError: no", "failed  {}: ValueError: no; log: log0"),
        ("paused: OutOfTime: stopped at epoch 5", "paused  {}: OutOfTime: stopped at epoch 5; log: log0"),
        (None, "failed  {}: see above; log: log0"),
    ],
)
def test_a_failure_is_a_line_with_its_reason_and_its_log(run, handler, capsys, how, words):
    begin(handler, 7, "log0")
    if how:
        end("log0", how)
    handler._theirs.addFilter(lambda record: getattr(record, "event", None) != LogEvent.JOB_ERROR)
    tell(handler, LogEvent.JOB_ERROR, jobid=7, indent=False)
    assert capsys.readouterr().err[10:] == words.format(CELL) + "\n"
    assert run.failed == (set() if how and "paused" in how else {"log0"})


def test_a_log_of_an_earlier_run_says_nothing_of_a_failure(run, handler, capsys):
    end("log0", "failed: ValueError: of yesterday")
    os.utime("log0", (1e9, 1e9))
    begin(handler, 7, "log0")
    assert "yesterday" not in run.fail(7)


def test_of_a_group_only_the_jobs_that_failed_are_said(run, handler):
    for number in range(3):
        begin(handler, number, f"log{number}")
    end("log0")
    end("log1", "failed: ValueError: no")
    assert [bool(run.fail(number, grouped=True)) for number in range(3)] == [False, True, False]


def test_a_group_that_ended_before_its_jobs_began_is_no_run_without_failures(run, handler):
    """As where the node can't start Python: no job of it has a log."""
    for number in range(3):
        begin(handler, number, f"log{number}")
        run.fail(number, grouped=True)
    assert "; 3 of groups that ended early were not begun" in run.totals()
    for number in range(3):  # the next attempt
        end(f"log{number}")
        run.finish(number)
    assert run.totals().endswith("; 2 were not finished")
    run.total = 3
    assert "; none failed" in run.totals()


def test_a_job_that_failed_and_was_repeated_has_not_failed(run, handler, capsys):
    begin(handler, 7, "log0")
    end("log0", "failed: ValueError: no")
    run.fail(7)
    begin(handler, 7, "log0")
    end("log0")
    run.finish(7)
    run.total = 1
    Path("index.html").touch()
    handler.close()
    handler.close()
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert re.search(r"^1 of 1 jobs finished in \d+ s \(15 s of CPU time\); none failed; open index.html$", said)


@pytest.mark.parametrize("event", [None, LogEvent.ERROR, LogEvent.RUN_INFO, LogEvent.RESOURCES_INFO])
def test_all_else_is_said_by_snakemake(run, handler, capsys, event):
    tell(handler, event, msg="MissingInputException, LockException", exception="one")
    assert capsys.readouterr().err == "MissingInputException, LockException\n"


def test_without_a_workflow_of_isobath_it_is_the_logger_of_snakemake(handler, capsys, monkeypatch):
    monkeypatch.setattr(progress, "current", None)
    tell(handler, LogEvent.JOB_STARTED, msg="Execute 2 jobs...")
    tell(handler, LogEvent.PROGRESS, done=1, total=2)
    assert capsys.readouterr().err == "Execute 2 jobs...\n1 of 2 steps (50%) done\n"
    handler.close()
    assert capsys.readouterr().err == ""


def test_it_can_be_told_to_be_quiet(run, capsys):
    from snakemake.settings.enums import Quietness  # noqa: PLC0415

    settings = MockOutputSettings()
    settings.quiet, settings.printshellcmds = {Quietness.ALL}, False
    handler = LogHandler(settings, None)
    begin(handler, 7, "log0")
    end("log0")
    tell(handler, LogEvent.JOB_FINISHED, job_id=7)
    handler.close()
    assert capsys.readouterr().err == ""


def test_it_imports_nothing_of_isobath():
    """Snakemake imports it before it knows whose code the workflow is."""
    code = "import sys, snakemake_logger_plugin_isobath; print([name for name in sys.modules if 'isobath' in name])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "['snakemake_logger_plugin_isobath']\n"


def test_an_archive_has_the_logger_that_its_profiles_name():
    run = plan.load(ROOT, {"scale": "smoke", "studies": ["locality"]})
    assert "src/snakemake_logger_plugin_isobath/__init__.py" in contents._sources(run)
