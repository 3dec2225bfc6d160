"""The launcher within limits: no process left, files of editors, limits of a shell, and Ctrl-Z."""

import signal
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest
from launcher_house import House, eventually, furnished, gone


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Make a house with a launcher."""
    made = furnished(tmp_path_factory.mktemp("launcher"))
    with made.hold():
        yield made
        made.holder.kill()


def test_the_lock_of_an_editor_is_no_code(house):
    lock = house.folder / "src/isobath/.#paths.py"
    lock.symlink_to("somebody@somewhere.1")
    assert house.where()["warm"]
    lock.unlink()


@pytest.mark.parametrize("limit", ["ulimit -n 100", "renice -n 19 $$ >/dev/null"])
def test_a_job_has_the_limits_and_the_priority_of_its_client(house, limit):
    words = ["sh", "-c", f'{limit}\nexec "$@"', "sh", sys.executable, "-P", "-m", "isobath.stages.probe", "limits"]
    by_itself = subprocess.check_output(words, env=house.environment, text=True)
    assert house.run("limits", before=limit)[:2] == (0, by_itself)


@pytest.mark.parametrize("depth", [0, 1], ids=["of the launcher", "of the guard"])
def test_without_a_process_that_is_left_a_job_runs_by_itself_and_others_go_on(house, depth):
    running = house.begin("sleep")
    job = int(running.stdout.readline())
    full = house.folder / f"src/no_process_{depth}"
    full.touch()
    assert not house.where()["warm"]
    full.unlink()
    assert house.where()["warm"]
    running.kill()
    assert gone(job)
    running.communicate()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_job_without_one_of_the_usual_files_runs_by_itself_and_others_go_on(house, closed):
    """The connection to the launcher would take its place, and be what the job reads or prints to."""
    status, printed, _ = house.run("limits", before=f"exec {closed}")
    assert status == 0
    assert printed.split()[-1:] == ([] if closed == ">&-" else ["False"])  # torch is not imported
    assert house.where()["warm"]


@pytest.mark.skipif(sys.platform != "linux", reason="the terminal of other systems stops processes in its own way")
def test_a_job_stops_and_goes_on_with_its_client(house):
    client = house.begin("sleep")
    job = psutil.Process(int(client.stdout.readline()))
    client.send_signal(signal.SIGTSTP)
    assert eventually(lambda: {psutil.Process(client.pid).status(), job.status()} == {psutil.STATUS_STOPPED})
    client.send_signal(signal.SIGCONT)
    assert eventually(lambda: {psutil.Process(client.pid).status(), job.status()} == {psutil.STATUS_SLEEPING})
    client.terminate()
    client.communicate()
    assert client.returncode == -signal.SIGTERM
