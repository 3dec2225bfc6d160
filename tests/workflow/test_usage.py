"""Usage of a job: its own CPU time and memory, and those of the attempts that it continues."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from isobath.disk import logs, usage
from isobath.disk.usage import Meter, Usage


def test_a_job_measures_its_own_processor_time_and_not_that_of_others():
    meter = Meter()
    before = meter.read()
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
    time.sleep(0.2)
    after = meter.read()
    assert after.cpu - before.cpu == pytest.approx(0.3, abs=0.1)
    assert after.seconds - before.seconds > 0.45
    assert after.start == before.start <= before.cpu


MEMORY = """
import numpy, subprocess, sys
large = numpy.ones(40_000_000) if sys.argv[1:] else None
if large is None:
    from isobath.disk.usage import Meter
    print(Meter().read().memory)
else:
    print(subprocess.run([sys.executable, __file__], capture_output=True, text=True).stdout)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems know no memory of a program alone")
def test_memory_is_that_of_the_job_and_not_of_the_program_that_started_it(tmp_path):
    (tmp_path / "memory.py").write_text(MEMORY, encoding="utf-8")
    words = [sys.executable, str(tmp_path / "memory.py"), "large"]
    peak = float(subprocess.run(words, capture_output=True, text=True, check=True, env=os.environ).stdout)
    assert 5e6 < peak < 2e8


@pytest.mark.parametrize("spec", ["", usage.digest({"epochs": 5})])
def test_a_log_gives_back_what_it_was_given(tmp_path, spec):
    log, took = tmp_path / "log", Usage(3.25, 2.5, 0.125, 7e6, spec)
    assert usage.read(log, "finished") is None
    log.write_text("epoch\n" * 5000 + f"{took}isobath: paused: OutOfTime: at epoch 5\n", encoding="utf-8")
    assert usage.read(log, "paused") == took
    assert usage.read(log, "finished") is None


JOB = """
import resource, sys
from pathlib import Path
from isobath.jobs import command_line

def main(output: Path, lines: int) -> None:
    print("epoch 1")
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
    output.write_text("trained")
    for i in range(lines):
        print("a line of the log")

command_line.run(main)
"""


@pytest.mark.parametrize("lines", [1, 220, 5000])
def test_a_job_that_finished_is_not_lost_for_want_of_room_for_its_log(tmp_path, lines):
    """Let files have 4000 bytes, of which a log takes fewer, a few more or many more."""
    words = [sys.executable, "-c", JOB, "--output", "out", "--lines", str(lines), "--log", "log"]
    job = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (job.returncode, job.stdout, (tmp_path / "out").read_text()) == (0, "", "trained")
    assert (tmp_path / "log").read_text().startswith("epoch 1\na line of the log\n")
    whole = (tmp_path / "log").read_text().endswith("isobath: finished\n")
    said = "" if whole else "log: the job finished, but its log could not be written: File too large\n"
    assert (job.stderr, whole) == (said, lines == 1)


INTERRUPTED = """
import os, signal, time
from isobath.jobs import command_line

def main(seconds: int) -> None:
    print("epoch 1")
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(seconds)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
command_line.run(main)
"""


@pytest.mark.parametrize("log", [["--log", "log"], []])
def test_a_job_that_is_interrupted_says_so_and_prints_no_traceback(tmp_path, log):
    """Once its log had no end, so that it counted as running for some minutes more."""
    words = [sys.executable, "-c", INTERRUPTED, "--seconds", "60", *log]
    job = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (job.returncode, job.stderr) == (-signal.SIGINT, "")
    if log:
        found = logs.read(tmp_path / "log")
        assert (found.state, found.reason) == ("killed", "interrupted, as by Ctrl-C")
        assert (tmp_path / "log").read_text().startswith("epoch 1\nisobath: took ")


def test_an_attempt_at_other_settings_continues_nothing():
    earlier = Usage(1000.0, 900.0, 100.0, 1e15, usage.digest({"epochs": 1}))
    assert Meter(earlier, usage.digest({"epochs": 1})).read().seconds >= 1000
    other = Meter(earlier, usage.digest({"epochs": 2})).read()
    assert other.seconds < 1
    assert other.spec == usage.digest({"epochs": 2})


def test_an_attempt_that_continues_another_adds_to_it():
    whole = Meter(Usage(1000.0, 900.0, 100.0, 1e15)).read()
    own = Meter().read()
    assert 1000 <= whole.seconds < 1001
    assert whole.cpu == pytest.approx(900 + own.cpu, abs=0.5)
    assert whole.start == pytest.approx(100 + own.start, abs=0.5)
    assert whole.memory == 1e15


def test_core_hours_are_not_known_where_results_were_brought_without_their_logs(tmp_path):
    """Core-hours of runs that were gathered in another folder had been published as those of the gathering alone."""
    study, logs = tmp_path / "results/demo/kernels", tmp_path / "logs/demo/kernels"
    for name in ("networks/a", "cubes/theory"):
        (study / name).parent.mkdir(parents=True)
        (study / f"{name}.zarr.zip").touch()
        assert usage.core_hours(study) is None
        (logs / name).parent.mkdir(parents=True)
        (logs / f"{name}.log").write_text(f"{Usage(1.0, 720.0, 0.1, 1e6)}isobath: finished\n", encoding="utf-8")
    assert usage.core_hours(study) == 0.4


def test_core_hours_of_a_folder_below_the_root_are_not_known():
    assert usage.core_hours(Path("/demo/kernels")) is None


def test_core_hours_of_a_study_are_those_of_jobs_that_finished(tmp_path):
    study, of_logs = tmp_path / "results/demo/kernels", tmp_path / "logs/demo/kernels"
    for folder in (study, of_logs):
        folder.mkdir(parents=True)
    for name, end in (("a", "finished"), ("b", "failed")):
        (study / f"{name}.zarr.zip").touch()
        (of_logs / f"{name}.log").write_text(f"{Usage(1.0, 720.0, 0.1, 1e6)}isobath: {end}\n", encoding="utf-8")
    assert usage.core_hours(study) == 0.2
