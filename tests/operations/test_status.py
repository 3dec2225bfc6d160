"""Progress of a run, read from results and logs alone."""

import os
import shutil
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from house import edit

from isobath.disk import logs
from isobath.operations import arguments, status
from isobath.workflow import queues

CELL = "networks/local/sgd/depth{}_width6_n30_draw0_seeds0-1"
ENDS = {
    "finished": "isobath: finished\n",
    "paused": "isobath: paused: OutOfTime: at epoch 5\n",
    "failed": "isobath: failed: ValueError: no\n",
    "silent": "epoch 5\n",
}


def run_of(house: Path):
    return arguments.load_run(house / "results/smoke", {"studies": ["small"]})


def lose(house: Path, depth: int, end: str, *, age: float = 0.0) -> None:
    """Delete the networks of a depth, whose log then ends like this."""
    (house / f"results/smoke/small/{CELL.format(depth)}.zarr.zip").unlink()
    log = house / f"logs/smoke/small/{CELL.format(depth)}.log"
    log.write_text(ENDS[end], encoding="utf-8")
    os.utime(log, (time.time() - age, time.time() - age))


def states(house: Path, *, ended: bool = False) -> dict[str, str]:
    """Return the states of the jobs that are not done, by the end of their log's path."""
    found = status.conditions(run_of(house), ended=ended)
    return {c.job.log.removeprefix("logs/smoke/").removeprefix("small/"): c.state for c in found if c.state != "done"}


WAITING = {
    "ensembles/local/sgd/depth2_width6_n30_draw0_of2.log": "stale",
    "cubes/depth.log": "stale",
    "figures/depth.log": "stale",
    "verdicts.log": "stale",
    "index.log": "stale",
}


@pytest.mark.parametrize(
    ("end", "age", "during", "after"),
    [
        ("silent", 0.0, "running", "failed"),
        ("silent", 2 * logs.SILENCE, "failed", "failed"),
        ("failed", 0.0, "failed", "failed"),
        ("paused", 0.0, "missing", "failed"),
        ("finished", 0.0, "missing", "missing"),
    ],
)
def test_a_job_without_its_result_and_what_waits_for_it(small_house, end, age, during, after):
    assert states(small_house) == {}
    lose(small_house, 2, end, age=age)
    assert states(small_house) == {f"{CELL.format(2)}.log": during, **WAITING}
    assert states(small_house, ended=True) == {f"{CELL.format(2)}.log": after, **WAITING}


def test_a_job_that_has_no_log_is_missing_and_one_that_is_asked_for_differently_is_stale(small_house):
    lose(small_house, 2, "finished")
    (small_house / f"logs/smoke/small/{CELL.format(2)}.log").unlink()
    assert states(small_house)[f"{CELL.format(2)}.log"] == "missing"
    edit(small_house, "workflow/studies/small/study.yaml", "caption: Depth.", "caption: Width.")
    assert states(small_house)["figures/depth.log"] == "stale"


def test_to_look_changes_nothing(small_house):
    def listing():
        files = [path for folder in ("results", "logs") for path in (small_house / folder).rglob("*")]
        return {path: path.stat().st_mtime_ns for path in files}

    lose(small_house, 2, "silent")
    before = listing()
    status.report(run_of(small_house))
    assert listing() == before


def test_the_table_divides_what_is_left_by_what_is_running(small_house):
    for depth in (1, 2):
        lose(small_house, depth, "silent")
    lose(small_house, 3, "failed")
    run = run_of(small_house)
    found = status.conditions(run)
    seconds = dict.fromkeys((condition.job.log for condition in found), 3600.0)
    heading, grid, everything = status.table(run, found, seconds)
    assert heading.split()[:8] == ["study", "grid", "jobs", *status.STATES]
    # 3 ensembles, the cube and the figure wait
    assert grid.split() == ["small", "depth", "11", "3", "2", "5", "0", "1", "8.00", "4", "h", "0", "min"]
    assert everything.split() == ["all", "13", "3", "2", "7", "0", "1", "10.00", "5", "h", "0", "min"]
    seconds[f"logs/smoke/small/{CELL.format(2)}.log"] = 24 * 3600.0  # no less than the longest job
    _, grid, _ = status.table(run, found, seconds)
    assert grid.split()[8:] == ["31.00", "1", "d", "0", "h"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59.4, "59 s"), (60, "1 min"), (3599, "1 h 0 min"), (7500, "2 h 5 min"), (100 * 3600, "4 d 4 h")],
)
def test_durations_in_two_units(seconds, words):
    assert status.duration(seconds) == words


def test_a_study_that_is_misspelt_is_named(small_house):
    """Once the folder was said to have no study."""
    words = [str(small_house / "results/smoke"), "--config", "studies=[smal]"]
    refused = CliRunner().invoke(status.command, words)
    assert refused.exit_code
    assert "studies has 'smal', and there is no such study; did you mean 'small'" in refused.stderr


def test_a_study_that_is_misspelt_in_the_config_is_named(small_house):
    """Once it was passed over, and the studies of the folder were reported."""
    config = small_house / "config.yaml"
    config.write_text(config.read_text().replace("studies: [", "studies: [smal, "))
    refused = CliRunner().invoke(status.command, [str(small_house / "results/smoke")])
    assert refused.exit_code
    assert "config.yaml: studies has 'smal', and there is no such study; did you mean 'small'" in refused.stderr


def test_the_command_says_what_failed_and_watches(small_house, monkeypatch):
    lose(small_house, 2, "failed")
    words = [str(small_house / "results/smoke"), "--config", "studies=[small]"]
    said = CliRunner().invoke(status.command, words).stdout
    place = CELL.format(2)
    expected = f"results/smoke/small/{place}.zarr.zip\n    ValueError: no\n    logs/smoke/small/{place}.log\n"
    assert said.endswith(f"\n\n1 failed:\n{expected}")
    monkeypatch.setenv("PYTHONPATH", str(small_house / "src"))  # of the process that looks again
    looks = iter([None, None])
    monkeypatch.setattr(status, "time", SimpleNamespace(sleep=lambda seconds: next(looks)))  # others sleep as well
    watched = CliRunner().invoke(status.command, [*words, "--watch", "7"])
    assert isinstance(watched.exception, StopIteration), watched.stderr
    assert watched.stdout == f"\033[2J\033[H{said}" * 3


def test_a_run_whose_jobs_all_failed_before_a_result_is_shown(small_house):
    """Once nothing had been run, it was said."""
    lose(small_house, 2, "failed")
    shutil.rmtree(small_house / "results/smoke/small")
    said = CliRunner().invoke(status.command, [str(small_house / "results/smoke"), "--config", "studies=[small]"])
    assert said.exit_code == 0, said.stderr
    assert "\n1 failed:\n" in said.stdout
    shutil.rmtree(small_house / "logs")
    said = CliRunner().invoke(status.command, [str(small_house / "results/smoke"), "--config", "studies=[small]"])
    assert "has no results of small: nothing was run" in said.stderr


def test_jobs_that_failed_for_one_reason_are_listed_together(small_house):
    for depth in (1, 2):
        lose(small_house, depth, "failed")
    said = (
        CliRunner().invoke(status.command, [str(small_house / "results/smoke"), "--config", "studies=[small]"]).stdout
    )
    first, second = (CELL.format(depth) for depth in (1, 2))
    expected = f"results/smoke/small/{first}.zarr.zip\nresults/smoke/small/{second}.zarr.zip\n    ValueError: no\n"
    assert said.endswith(f"\n\n2 failed:\n{expected}    logs/smoke/small/{first}.log and 1 more with this reason\n")


@pytest.mark.parametrize("folder", ["results/smok", "results", "."])
def test_a_folder_that_is_not_that_of_a_scale_is_refused_in_a_sentence(small_house, folder):
    done = CliRunner().invoke(status.command, [str(small_house / folder)])
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)


@pytest.fixture
def squeue(tmp_path, monkeypatch):
    """Write a squeue of these lines of shell."""

    def write(script):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin/squeue").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (tmp_path / "bin/squeue").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")

    return write


def test_jobs_of_this_folder_in_the_queue_are_counted(squeue, tmp_path):
    rows = [f"{state}|{tmp_path}" for state in ("RUNNING", "PENDING", "PENDING", "COMPLETED")]
    squeue("\n".join(f"echo '{row}'" for row in [*rows, "RUNNING|/elsewhere"]))
    assert queues.jobs(tmp_path).startswith("SLURM: 1 jobs of this folder run and 2 wait;")
    assert queues.jobs(tmp_path / "other") is None


def test_a_queue_that_does_not_answer_is_said_and_does_not_hang(squeue, tmp_path, monkeypatch):
    squeue("echo 'slurm_load_jobs error: Unable to contact controller' >&2; exit 1")
    assert queues.jobs(tmp_path) is None  # nothing was ever submitted from here
    (tmp_path / ".snakemake/slurm_logs").mkdir(parents=True)
    assert queues.jobs(tmp_path) == "SLURM does not answer: slurm_load_jobs error: Unable to contact controller"
    monkeypatch.setattr(queues, "PATIENCE", 0.2)
    squeue("exec sleep 60")
    began = time.monotonic()
    assert "timed out" in queues.jobs(tmp_path)
    assert time.monotonic() - began < 30


def test_without_slurm_there_is_no_queue(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert queues.jobs(tmp_path) is None


def test_the_time_to_go_is_by_the_clock(small_house):
    lose(small_house, 2, "silent")
    run = run_of(small_house)
    found = status.conditions(run)
    seconds = dict.fromkeys((condition.job.log for condition in found), 60.0)
    *_, plain = status.table(run, found, seconds)
    *_, shared = status.table(run, found, seconds, clock=2.0)
    assert plain.split()[-2:] == ["6", "min"]
    assert shared.split()[-2:] == ["12", "min"]
