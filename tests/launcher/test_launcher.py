"""The launcher: equal results, jobs in the place of their clients, and nothing left when a part is killed."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from house import copy, snakemake
from launcher_house import House, furnished, gone

from isobath.disk import usage
from isobath.launcher import server
from isobath.launcher.client import ADDRESS


@pytest.fixture(scope="module")
def interruptible():
    """Take SIGINT as a terminal has it: a process that a shell starts in the background inherits that it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def house(interruptible, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Make a house with a launcher."""
    made = furnished(tmp_path_factory.mktemp("launcher"))
    with made.hold():
        yield made
        made.holder.kill()


@pytest.fixture
def short_lived(house: House) -> Iterator[House]:
    """Make the house with a launcher of its own, to be killed."""
    made = House(house.folder)
    made.environment = house.environment
    with made.hold():
        yield made
        made.holder.kill()


def test_a_job_runs_warm_in_the_place_of_its_client(house):
    own = house.where(before="umask 027", TMPDIR="/elsewhere")
    expected = {"umask": 0o027, "folder": str(house.folder), "variable": "/elsewhere", "words": ["a word", "ä ' \n"]}
    assert own == {**expected, "name": "__main__", "input": "some input", "warm": True, "told": ""}


@pytest.mark.parametrize("words", [("end", "0"), ("end", "3"), ("raise", "so"), ("abort",)])
def test_a_job_ends_as_it_does_without_the_launcher(house, words):
    status, out, error = house.run(*words)
    plain, plain_out, plain_error = house.run(*words, **{ADDRESS: "off"})
    assert (status, out, error.splitlines()[-1:]) == (plain, plain_out, plain_error.splitlines()[-1:])
    assert status == {"0": 0, "3": 3, "so": 1, "abort": -signal.SIGABRT}[words[-1]]


def test_a_job_waits_for_its_threads_and_calls_what_is_registered(house):
    assert house.run("late") == house.run("late", **{ADDRESS: "off"})
    assert house.run("late")[:2] == (0, "the job, a thread\nwhat was registered\nwhat was finalized\n")


@pytest.mark.parametrize(
    "how", [{"OMP_NUM_THREADS": "2"}, {"ANOTHER": "variable"}, {ADDRESS: "off"}, {ADDRESS: ""}, {"cwd": "/"}]
)
def test_a_job_of_another_environment_or_folder_runs_by_itself(house, how):
    own = house.where(**how)
    assert (own["warm"], own["folder"]) == (False, how.get("cwd", str(house.folder)))


def test_variables_that_a_shell_drops_do_not_keep_jobs_from_it(house):
    """An activated environment exports PS1, which a shell without a terminal unsets: all jobs ran by themselves."""
    activated = House(house.folder)
    activated.environment = house.environment | {"PS1": "(.venv) $ ", "PS2": "> "}
    with activated.hold():
        assert activated.where()["warm"]
        activated.holder.kill()


def test_the_first_job_that_differs_says_in_what(short_lived):
    told = "isobath: jobs start slowly, since the launcher was started with another variable"
    assert short_lived.where(ANOTHER="one")["told"] == f"{told} ANOTHER\n"
    assert short_lived.where(ANOTHER="two")["told"] == ""


def test_a_job_of_other_code_runs_by_itself(house):
    assert house.where()["warm"]
    file = house.folder / "src/isobath/training/fit.py"
    before = file.stat()
    file.write_text(file.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    assert not house.where()["warm"]
    file.write_text(file.read_text(encoding="utf-8").removesuffix("\n# edited\n"), encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert house.where()["warm"]


def test_what_numba_compiles_is_no_other_code(house):
    cache = house.folder / "src/isobath/training/compiled/__pycache__/numba-0"
    cache.mkdir(parents=True)
    (cache / "epochs.one_epoch.nbi").write_bytes(b"new")
    assert house.where()["warm"]


def test_the_socket_is_the_user_s_alone(house):
    folder = Path(house.address).parent
    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder.stat().st_uid == os.getuid()


@pytest.mark.parametrize(
    ("number", "words", "status"),
    [
        (signal.SIGTERM, ("sleep",), -signal.SIGTERM),
        (signal.SIGTERM, ("sleep", "saves"), 7),
        (signal.SIGINT, ("sleep",), -signal.SIGINT),
    ],
)
def test_signals_reach_the_job(house, number, words, status):
    with house.begin(*words) as client:
        job = int(client.stdout.readline())
        assert job != client.pid
        client.send_signal(number)
        assert client.wait(10) == status
        assert gone(job)


def test_a_job_ends_with_its_client_and_the_launcher_goes_on(house):
    with house.begin("sleep") as client:
        job = int(client.stdout.readline())
        client.kill()
        assert gone(job)
        assert house.where()["warm"]


def test_jobs_and_clients_end_with_the_launcher_and_later_jobs_run_by_themselves(short_lived):
    with short_lived.begin("sleep") as client:
        job = int(client.stdout.readline())
        family = [job, *(process.pid for process in short_lived.launcher.children(recursive=True))]
        short_lived.launcher.kill()
        assert client.wait(10) == -signal.SIGKILL
        assert all(map(gone, family))
        assert not short_lived.where()["warm"]


def test_a_job_ends_with_its_guard(short_lived):
    with short_lived.begin("sleep") as client:
        job = int(client.stdout.readline())
        (guard,) = (
            process for process in short_lived.launcher.children() if job in [c.pid for c in process.children()]
        )
        guard.kill()
        assert client.wait(10) == -signal.SIGKILL
        assert gone(job)


def test_the_launcher_ends_with_snakemake_and_leaves_nothing(short_lived):
    with short_lived.begin("sleep") as client:
        job, launcher = int(client.stdout.readline()), short_lived.launcher.pid
        short_lived.holder.kill()
        assert gone(launcher)
        assert gone(job)
        assert client.wait(10) == -signal.SIGKILL
        assert not Path(short_lived.address).parent.exists()


@pytest.mark.parametrize(
    ("jobs", "variables"), [(server.FEWEST - 1, {}), (99, {"SLURM_JOB_ID": "1"}), (99, {ADDRESS: "off"})]
)
def test_there_is_none_for_few_jobs_under_slurm_or_where_it_is_turned_off(house, jobs, variables):
    made = House(house.folder)
    holder = made.hold(jobs, **variables)
    assert made.address == variables.get(ADDRESS, "")
    assert psutil.Process(holder.pid).children() == []
    holder.communicate()


def test_without_a_place_to_listen_jobs_run_by_themselves(house, tmp_path):
    (tmp_path / ("long" * 30)).mkdir()  # a socket's path has 100 characters or so
    made = House(house.folder)
    made.environment = house.environment
    with made.hold(TMPDIR=str(tmp_path / ("long" * 30))) as holder:
        assert psutil.Process(holder.pid).children() == []
        assert not made.where()["warm"]
        holder.stdin.close()


@pytest.mark.slow
def test_results_are_the_same_bytes_with_and_without(small_built, tmp_path, monkeypatch):
    house = copy(small_built, tmp_path / "isobath")
    for made in ("results", "logs", "checkpoints", ".snakemake"):
        shutil.rmtree(house / made, ignore_errors=True)
    monkeypatch.setenv(ADDRESS, "off")
    assert snakemake(house, study="small").returncode == 0
    files = sorted(path.relative_to(house) for path in (house / "results").rglob("*") if path.is_file())
    assert files == sorted(p.relative_to(small_built) for p in (small_built / "results").rglob("*") if p.is_file())
    assert [file for file in files if (house / file).read_bytes() != (small_built / file).read_bytes()] == []
    starts = [
        [usage.read(log, "finished").start for log in sorted((where / "logs/smoke/small").rglob("*.log"))]
        for where in (small_built, house)
    ]
    assert len(starts[0]) == len(starts[1]) == 12
    assert max(starts[0]) < 0.2 < min(starts[1])  # CPU seconds: warm, and by itself
