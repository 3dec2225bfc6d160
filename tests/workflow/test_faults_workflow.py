"""Runs that are killed, doubled, badly placed or short of memory and disk: no finished result is lost."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import pytest
import xarray as xr
from house import ROOT, SNAKEMAKE, copy, edit, jobs, snakemake, write_study
from small import STUDY as TEXT

from isobath.disk import store
from isobath.fingerprints import fingerprint
from isobath.hooks import dates
from isobath.randomness import stream
from isobath.study import loading
from isobath.study.loading import ConfigError
from isobath.workflow import plan

STUDY = "workflow/studies/small/study.yaml"
RESULTS = "results/smoke/small"
run = partial(snakemake, study="small")


@pytest.fixture
def house(small_built: Path, tmp_path: Path) -> Path:
    """Make the house of the study of seconds before its run."""
    return emptied(copy(small_built, tmp_path / "isobath"))


def emptied(house: Path) -> Path:
    for made in ("results", "logs", "checkpoints", ".snakemake"):
        shutil.rmtree(house / made, ignore_errors=True)
    return house


def results(house: Path) -> dict[str, bytes]:
    files = (p for p in (house / "results").rglob("*") if p.is_file())
    return {str(p.relative_to(house)): p.read_bytes() for p in files}


def begin(house: Path, *targets: str) -> subprocess.Popen[bytes]:
    """Begin a run in a process group of its own; return once it has locked the folder."""
    command = [*SNAKEMAKE, *targets, "--config", "scale=smoke", "studies=[small]"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    begun = subprocess.Popen(command, cwd=house, start_new_session=True, **quiet)
    wait_for(lambda: any((house / ".snakemake/locks").glob("*")), begun)
    return begun


def wait_for(condition, begun) -> None:
    while not condition():
        assert begun.poll() is None
        time.sleep(0.02)


@pytest.mark.slow
def test_a_run_that_is_killed_says_what_to_do_and_goes_on(house, small_built):
    everything = jobs(house, study="small")
    killed = begin(house)
    wait_for(lambda: list((house / RESULTS).glob("networks/**/*.zarr.zip")), killed)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    whole, left = results(small_built), results(house)
    left = {path: content for path, content in left.items() if not path.endswith(".partial")}
    assert 0 < len(left) < len(whole)
    assert all(whole[path] == content for path, content in left.items())
    refused = run(house)
    assert refused.returncode != 0
    assert "--unlock" in refused.stdout + refused.stderr
    assert run(house, "--unlock").returncode == 0
    assert sum(jobs(house, study="small").values()) == sum(everything.values()) - len(left)
    kept = {path: (house / path).stat().st_mtime_ns for path in left}
    again = run(house)
    assert again.returncode == 0, again.stderr
    assert {path: (house / path).stat().st_mtime_ns for path in kept} == kept
    assert {p: c for p, c in results(house).items() if not p.endswith(".partial")} == whole


@pytest.mark.slow
def test_a_second_run_of_the_same_is_refused_and_another_is_not(house):
    edit(house, STUDY, "tasks:", "tasks:\n  other: {kind: k_local, k: 1, dimension: 4}")
    edit(house, STUDY, "figures:", "  other: [{tasks: [other], kernels: [ntk], depth: [1], n_train: [30]}]\nfigures:")
    one, other = (f"{RESULTS}/cubes/{grid}.zarr.zip" for grid in ("depth", "other"))
    first = begin(house, one)
    second = run(house, one)
    assert first.poll() is None
    assert second.returncode != 0
    assert "LockException" in second.stdout + second.stderr
    third = run(house, other)
    assert third.returncode == 0, third.stderr
    assert first.wait() == 0
    for path in results(house):
        store.verify(house / path)
    assert {one, other} <= set(results(house))


@pytest.mark.slow
def test_retries_continue_until_a_training_ends(house, monkeypatch):
    """The time limit is zero: each attempt trains for one epoch."""
    edit(house, STUDY, "max_epochs: 400, check_every: 20", "max_epochs: 4, check_every: 1")
    network = house / RESULTS / "networks/local/sgd/depth1_width6_n30_draw0_seeds0-1.zarr.zip"
    target = str(network.relative_to(house))
    assert run(house, target).returncode == 0
    whole = network.read_bytes()
    network.unlink()
    monkeypatch.setenv("ISOBATH_TIME_LIMIT", "0")
    once = run(house, target)
    assert once.returncode != 0
    assert "OutOfTime: stopped at epoch 1" in once.stdout + once.stderr
    again = run(house, "--retries", "5", target)  # on one machine a pause counts: nobody limits its time but the user
    assert again.returncode == 0, again.stderr
    for epoch in (2, 3):
        assert f"OutOfTime: stopped at epoch {epoch}" in again.stdout + again.stderr
    assert network.read_bytes() == whole


ODD = {
    "spaces, umlauts ä and #": {"HOME": "", "TMPDIR": "/nowhere"},
    "spaces and #": {"HOME": "/proc", "TMPDIR": "/proc", "LC_ALL": "C", "PYTHONUTF8": "0"},
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "environment"), ODD.items())
def test_a_run_in_an_odd_place_gives_the_same_bytes(small_built, tmp_path, monkeypatch, name, environment):
    """Home and temporary folder are of no use, results are elsewhere, and the locale may know ASCII alone."""
    long = tmp_path / name / ("long " * 20) / ("longer " * 20)
    long.mkdir(parents=True)
    house = emptied(copy(small_built, long / "isobath"))
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value) if value else monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PYTHONPATH", str(house / "src"))
    command = [sys.executable, "-m", "isobath", "run", "--cores", "2", "--config", "scale=smoke", "studies=[small]"]
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else "/tmp") as elsewhere:
        (house / "results").symlink_to(elsewhere)
        done = subprocess.run(command, cwd=house, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        made = {f"results/{p.relative_to(elsewhere)}" for p in Path(elsewhere).rglob("*") if p.is_file()}
        whole = results(small_built)
        assert made == set(whole)
        assert all((house / path).read_bytes() == content for path, content in whole.items())


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\\t=1"]  # of a spreadsheet
PATHS = ["../../x", "/abs", "a;rm", "$(x)", "a\\n", "\\0", "{n}", "a" * 300, "", ".", "..", "-a", "a b", "ä", "a/b"]


@pytest.mark.parametrize("name", FORMULAS + PATHS)
def test_a_name_that_is_no_name_of_a_file_is_refused_wherever_it_stands(tmp_path, name):
    for place in ("  local: {", "  sgd: {", "  ntk: {", "  depth:\n", "  depth: {"):
        key = place.strip().partition(":")[0]
        folder = write_study(tmp_path / "small", TEXT.replace(place, place.replace(key, f'"{name}"')), smoke="")
        with pytest.raises(ConfigError, match="letters, digits"):
            plan.load_study(folder, "smoke")
    for asked in ({"scale": name}, {"studies": [name]}):
        with pytest.raises(ConfigError, match="letters, digits"):
            loading.load_config(ROOT, asked)


STARVED = """
import resource, sys
from pathlib import Path
from isobath.jobs import command_line
from isobath.stages import kernels

has = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (has + 400_000_000, resource.RLIM_INFINITY))
command_line.run(kernels.main)
"""


def test_a_job_without_memory_fails_in_a_sentence(tmp_path):
    """It needs a Gram matrix of 800 MB, and has 400: threads take some of it, at most 80 MB each."""
    x = stream(0, "x").standard_normal((10000, 3))
    sets = xr.Dataset({"inputs": (("sample", "feature"), x), "labels": ("sample", (x[:, 0] > 0).astype(int))})
    store.write(sets, tmp_path / "set.zarr.zip")
    spec = '{"kernel": {"kind": "ntk", "beta": 0.1}, "depth": [1], "cell": {}}'
    words = ["--spec", spec, "--code", "c", "--memory-mb", "4000", "--output", "out.zarr.zip", "--log", "log"]
    words += ["--training-set", "set.zarr.zip", "--test-set", "set.zarr.zip"]
    job = subprocess.run(
        [sys.executable, "-c", STARVED, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert job.returncode == 1
    last = (tmp_path / "log").read_text(encoding="utf-8").splitlines()[-1]
    assert last.startswith("isobath: failed: ")
    assert "can't allocate memory" in last
    assert "can't allocate memory" in job.stderr
    assert {p.name for p in tmp_path.iterdir()} == {"set.zarr.zip", "log"}


FULL = """
mount -t tmpfs -o size=2m none disk || exit 77
cd disk
cat /dev/zero > filling 2> /dev/null
{stage} && exit 1
ls -A
rm filling
{stage} && cp t.zarr.zip ..
"""


def test_a_full_disk_is_an_error_and_when_there_is_room_none(tmp_path):
    """The log is on the same disk, so that only the terminal can report it."""
    spec = '{"task": {"kind": "k_local", "k": 1, "dimension": 30}, "name": "t", "n": 2000, "draw": null, "seed": 0}'
    code = fingerprint("data", json.loads(spec))
    stage = f"{sys.executable} -m isobath.stages.data --spec '{spec}' --code {code} --output t.zarr.zip --log log"
    (tmp_path / "disk").mkdir()
    if shutil.which("unshare") is None:
        pytest.skip("a disk of 2 MB needs unshare")
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", FULL.format(stage=stage)]
    job = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if job.returncode == 77 or "unshare" in job.stderr:
        pytest.skip(f"a disk of 2 MB can't be mounted here: {job.stderr.strip()}")
    assert job.returncode == 0, job.stderr
    assert job.stdout.split() == ["filling", "log"]
    assert "log: OSError: [Errno 28] No space left on device: 't.zarr.zip'" in job.stderr
    assert len(store.read(tmp_path / "t.zarr.zip").labels) == 2000


def test_code_that_is_edited_while_a_run_goes_on_makes_no_result(house, small_built):
    """Networks fail from the edit to its end; results from before and after are as ever."""
    edit(house, "src/isobath/networks/brittle.py", "def init(", "TWICE = 2\n\n\ndef init(")
    edited = (house / "src/isobath/networks/brittle.py").read_text(encoding="utf-8")
    shutil.copy(small_built / "src/isobath/networks/brittle.py", house / "src/isobath/networks/brittle.py")
    run_on = begin(house)
    wait_for((house / "logs/smoke/small/data").exists, run_on)  # the first job: the plan has been made
    (house / "src/isobath/networks/brittle.py").write_text(edited, encoding="utf-8")
    assert run_on.wait() != 0
    whole = results(small_built)
    assert not [path for path in results(house) if "/networks/" in path and not path.endswith(".partial")]
    log = (house / "logs/smoke/small/networks/local/sgd/depth1_width6_n30_draw0_seeds0-1.log").read_text()
    assert "it was edited while the run went on" in log
    shutil.copy(small_built / "src/isobath/networks/brittle.py", house / "src/isobath/networks/brittle.py")
    again = run(house)
    assert again.returncode == 0, again.stderr
    assert results(house) == whole


def test_an_input_of_the_future_costs_nothing(small_built, tmp_path):
    house = copy(small_built, tmp_path / "isobath")
    future = time.time() + 9 * 365 * 86400
    training_set = house / RESULTS / "data/local/n30_draw0.zarr.zip"
    network = house / RESULTS / "networks/local/sgd/depth1_width6_n30_draw0_seeds0-1.zarr.zip"
    os.utime(training_set, (future, future))
    network.unlink()
    done = run(house)
    assert done.returncode == 0, done.stderr
    assert "n30_draw0.zarr.zip was dated in the future, and is dated to now" in done.stdout + done.stderr
    assert training_set.stat().st_mtime <= time.time()
    assert results(house) == results(small_built)


def test_a_clock_that_steps_back_during_a_run_costs_nothing(small_built, tmp_path):
    """The input of a job is dated 50 s ahead, as clocks of two machines may differ: its results are kept."""
    house = copy(small_built, tmp_path / "isobath")
    training_set = house / RESULTS / "data/local/n30_draw0.zarr.zip"
    network = house / RESULTS / "networks/local/sgd/depth1_width6_n30_draw0_seeds0-1.zarr.zip"
    ahead = time.time() + 50
    os.utime(training_set, (ahead, ahead))
    network.unlink()
    done = run(house)
    assert done.returncode == 0, done.stderr
    assert network.stat().st_mtime >= training_set.stat().st_mtime
    assert results(house) == results(small_built)


def test_data_of_somebody_else_dated_in_the_future_are_refused(tmp_path):
    ours, theirs = tmp_path / "a", tmp_path / "b"
    for path in (ours, theirs):
        path.write_bytes(b"")
        os.utime(path, (5000.0, 5000.0))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert dates.bring_to_now(["a", "absent"], now=4950.0) == []
        assert dates.bring_to_now(["a"], now=1000.0) == ["a"]
        assert ours.stat().st_mtime == 1000.0
        with pytest.raises(ConfigError, match=r"/b: it is dated in the future.*touch the file"):
            dates.bring_to_now([str(theirs)], now=1000.0)
        (tmp_path / "run").mkdir()
        patch.chdir(tmp_path / "run")
        with pytest.raises(ConfigError, match=r"^\.\./b: it is dated in the future"):
            dates.bring_to_now(["../b"], now=1000.0)
    assert theirs.stat().st_mtime == 5000.0
