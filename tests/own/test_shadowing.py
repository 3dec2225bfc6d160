"""A file in the folder of a run that bears the name of a module is never imported in the place of that module."""

import os
import re
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from house import ROOT, snakemake
from own_folders import write
from small import small
from snakemake_interface_executor_plugins.executors.real import RealExecutor

from isobath.hooks import nested
from isobath.launcher.client import ADDRESS
from isobath.operations import calibration

pytestmark = pytest.mark.runs

CONFIG = "scale: smoke\nstudies: [locality]\n"
SHADOW = 'raise RuntimeError("this file stands in for a library")\n'
NAMES = ("queue", "json", "numpy", "torch", "yaml", "click", "pytest", "isobath")
HOLDER = """
import os, sys
sys.path.remove("")
from isobath.launcher import server
server.begin(100)
print(os.environ["ISOBATH_LAUNCHER"], flush=True)
sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Make a folder of a run with files that would stand in for libraries."""
    return write(tmp_path, {"config.yaml": CONFIG} | {f"{name}.py": SHADOW for name in NAMES})


def environment(**variables: str) -> dict[str, str]:
    inherited = {key: value for key, value in os.environ.items() if key not in (ADDRESS, "SLURM_JOB_ID")}
    return inherited | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"} | variables


def require_sound(words: list[str], place: Path, **variables: str) -> None:
    done = subprocess.run(
        [sys.executable, *words], cwd=place, env=environment(**variables), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "stands in" not in done.stdout + done.stderr


@pytest.mark.parametrize("words", [("run", "--cores", "1", "--dry-run"), ("test", "--version")])
def test_a_command_imports_no_file_of_the_folder(place, words):
    require_sound(["-P", "-m", "isobath", *words], place)


def client(place: Path, address: str) -> None:
    """Run a job as a shell line of the workflow does."""
    words = ["-IS", str(ROOT / "src/isobath/launcher/client.py"), "networks", "--help"]
    require_sound(words, place, **{ADDRESS: address})


def test_a_job_imports_no_file_of_the_folder(place):
    client(place, "off")


def test_the_launcher_imports_no_file_of_the_folder(place):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", HOLDER], cwd=place, env=environment(), **pipes) as holder:
        client(place, holder.stdout.readline().strip())
        (launcher,) = psutil.Process(holder.pid).children()
        assert launcher.status() != psutil.STATUS_ZOMBIE
        holder.kill()


def test_the_calibration_imports_no_file_of_the_folder(place, monkeypatch):
    monkeypatch.chdir(place)
    assert calibration._start() > 0


RULE = """
rule greeting:
    output:
        "greeting.txt",
    run:
        with open(output[0], "w") as file:
            file.write("hello")
"""


def test_a_rule_of_ones_own_with_python_code_imports_no_file_of_the_folder(place):
    """Snakemake starts another Snakemake for it."""
    write(place, {"own/rules/greeting.smk": RULE})
    require_sound(["-P", "-m", "isobath", "run", "--cores", "1", "greeting.txt"], place)
    assert (place / "greeting.txt").read_text() == "hello"


def test_a_run_in_the_folder_of_the_workflow_imports_no_file_of_it(tmp_path):
    """Snakemake puts the folder of a Snakefile first among those that are searched."""
    house = small(tmp_path)
    write(house, {f"{name}.py": SHADOW for name in (*NAMES, "xarray", "zarr", "scipy")})
    target = "results/smoke/small/data/local/test.zarr.zip"
    done = snakemake(house, target, study="small")
    assert done.returncode == 0, done.stderr
    assert "stands in" not in done.stdout + done.stderr


def test_the_installed_executors_are_of_the_make_that_is_guarded():
    for name in (
        "snakemake.executors.local",
        "snakemake_executor_plugin_slurm",
        "snakemake_executor_plugin_slurm_jobstep",
    ):
        executor = pytest.importorskip(name).Executor
        assert getattr(executor, nested.START) is getattr(RealExecutor, nested.START)
    assert not nested.leave_out_folder(object)


def test_every_python_that_is_started_leaves_the_folder_out():
    started = re.compile(r"\[sys\.executable, (.{6})")
    found = {path: started.findall(path.read_text(encoding="utf-8")) for path in (ROOT / "src").rglob("*.py")}
    assert {path: flags for path, flags in found.items() if set(flags) - {'"-P", '}} == {}
    assert sum(map(len, found.values())) >= 6
