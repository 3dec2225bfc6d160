"""The workflow on a real SLURM cluster of one node: a killed job, a time limit that is too short, memory, a GPU."""

import re
import shutil
import time
from pathlib import Path

import pytest
from house import edit_smoke, fresh, jobs, snakemake
from slurm import cluster
from slurm.runs import Job, said, seen, submitted

from isobath.disk import store

pytestmark = [pytest.mark.slow, pytest.mark.slurm]
FAULT = pytest.mark.fault

CELL = "networks/2-global/sgd_sweep/depth1_width10_n60_draw0_seeds0-1"
RESULT = f"results/smoke/locality/{CELL}.zarr.zip"
LOG = f"logs/smoke/locality/{CELL}.log"
CUBES = [f"results/smoke/locality/cubes/{grid}.zarr.zip" for grid in ("depth", "learning_rate")]
BRIEF, LONG = "rule_brief", "rule_networks_wildcards_smoke_locality_2-global_sgd_sweep_"  # as jobs are named
SWEEP = "sgd_sweep: {learning_rate: [0.1, 0.5]}"
SLOW = "sgd_sweep: {max_epochs: 3000000, learning_rate: [0.002, 0.004]}"  # fitted after thousands of epochs
ENDLESS = "sgd_sweep: {max_epochs: 3000000, learning_rate: [1.0e-9]}"


@pytest.fixture(scope="module")
def house(slurm: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make two cubes of the smallest scale on the cluster, with one training killed on the way."""
    house = fresh(tmp_path_factory.mktemp("house"))
    edit_smoke(house, SWEEP, SLOW)
    with submitted(house, slurm, "--", *CUBES) as run:
        folder = house / "checkpoints/smoke/locality" / CELL
        cluster.wait_until(lambda: run.poll() is not None or any(folder.glob("*.zarr.zip")), "a checkpoint is saved")
        assert run.poll() is None, said(house)
        (training,) = (job for job in seen(slurm) if job.name.startswith(LONG))
        cluster.kill([training.id], slurm)
        assert run.wait(timeout=600) == 0, said(house)
    return house


def failed(environment: dict[str, str], first: int) -> list[Job]:
    """Return the jobs from the ``first`` on that failed."""
    return [job for job in seen(environment)[first:] if job.state == "FAILED"]


def minutes(limit: str) -> int:
    hours, minutes = re.fullmatch(r"(?:(\d+):)?(\d+):00", limit).groups(default="0")
    return 60 * int(hours) + int(minutes)


def test_a_killed_training_continues_to_the_same_bytes(house):
    made = (house / RESULT).read_bytes()
    assert "continue at epoch" in (house / LOG).read_text(encoding="utf-8")
    assert jobs(house, *CUBES) == {}  # with the profile of a laptop as well
    (house / RESULT).unlink()
    assert snakemake(house, RESULT).returncode == 0
    assert "continue at epoch" not in (house / LOG).read_text(encoding="utf-8")
    assert (house / RESULT).read_bytes() == made


def test_a_job_that_has_failed_asks_for_more_time_and_memory(house, slurm):
    killed, again = (job for job in seen(slurm) if job.name.startswith(LONG))
    assert (killed.state, again.state) == ("CANCELLED", "COMPLETED")
    assert minutes(again.limit) == 2 * minutes(killed.limit)
    assert int(again.memory.removesuffix("M")) == 2 * int(killed.memory.removesuffix("M")) > 8000


def test_brief_jobs_are_submitted_together_and_local_ones_not_at_all(house, slurm):
    others = [job for job in seen(slurm) if not job.name.startswith(LONG)]
    assert all(job.name.startswith(BRIEF) for job in others)
    made = [*(house / "results/smoke/locality").glob("[kln]*/*/*/*.zarr.zip")]  # kernels, learning rates, networks
    assert 0 < len(others) <= len(made) / 4  # a job of the cluster for four of the workflow, or more
    assert all((house / cube).is_file() for cube in CUBES)


def test_a_training_longer_than_its_time_limit_stops_by_itself_and_continues(house, slurm):
    """Jobs of a minute, each with a GPU, continue a training that does not end: there are more of them than retries."""
    before = len(seen(slurm))
    edit_smoke(house, SLOW, ENDLESS)
    short = ["--retries", "1", "--set-resources", "networks:runtime=1", "networks:gpu=1"]
    with submitted(house, slurm, *short, "--", RESULT) as run:
        line = "paused  networks locality 2-global sgd_sweep L=1 H=10"  # Snakemake says so after SLURM knows it
        cluster.wait_until(
            lambda: run.poll() is not None or said(house).count(line) >= 3, "three jobs have paused", seconds=500
        )
        assert run.poll() is None, said(house)
    attempts = failed(slurm, before)
    for job in seen(slurm)[before:]:
        cluster.disturb("scancel", job.id, slurm)
    assert {(minutes(job.limit), job.gpus) for job in attempts} == {(1, "gres:gpu:1")}
    log = (house / LOG).read_text(encoding="utf-8")
    resumed, stopped = (int(re.search(rf"{verb} at epoch (\d+)", log)[1]) for verb in ("continue", "stopped"))
    assert stopped > resumed > 1
    assert "isobath: paused" in log
    assert not (house / RESULT).exists()


@pytest.fixture
def deaf(slurm: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """Return an environment whose squeue fails for as long as the file $DEAF is there."""
    squeue, flag = tmp_path / "deaf/squeue", tmp_path / "deaf/flag"
    squeue.parent.mkdir()
    squeue.write_text(f'#!/bin/sh\n[ -e {flag} ] && exit 1\nexec {shutil.which("squeue")} "$@"\n')
    squeue.chmod(0o755)
    return {**slurm, "PATH": f"{squeue.parent}:{slurm['PATH']}", "DEAF": str(flag)}


@pytest.fixture
def other_house(tmp_path: Path) -> Path:
    """Make a house whose trainings take a while."""
    house = fresh(tmp_path)
    edit_smoke(house, SWEEP, SLOW)
    return house


@FAULT
def test_a_run_survives_a_minute_in_which_squeue_fails(deaf, other_house):
    """Its training ends meanwhile, unseen."""
    before = len(seen(deaf))
    with submitted(other_house, deaf, "--", RESULT) as run:
        log = other_house / LOG
        cluster.wait_until(lambda: run.poll() is not None or log.exists(), "a training has begun")
        Path(deaf["DEAF"]).touch()
        began = time.monotonic()
        cluster.wait_until((other_house / RESULT).exists, "the training has ended")
        time.sleep(max(0.0, 60 - (time.monotonic() - began)))
        assert run.poll() is None, said(other_house)
        Path(deaf["DEAF"]).unlink()
        assert run.wait(timeout=240) == 0, said(other_house)
    assert "SLURM does not answer; its jobs go on" in said(other_house)
    assert [job.state for job in seen(deaf)[before:]] == ["COMPLETED"]


@FAULT
def test_trainings_that_a_killed_snakemake_left_are_cancelled_and_continued(slurm, other_house):
    """Both trainings are under way when the next run starts, and are submitted once more."""
    block = "protocols: [sgd_sweep]\n      kernels: [ntk]\n      depth: [1]\n      width: "
    edit_smoke(other_house, f"{block}[10]", f"{block}[10, 11]")
    edit_smoke(other_house, "learning_rate: [0.002, 0.004]", "learning_rate: [0.0005, 0.001]")
    cells = [CELL.replace("width10", f"width{width}") for width in (10, 11)]
    targets = [f"results/smoke/locality/{cell}.zarr.zip" for cell in cells]
    before = len(seen(slurm))

    def saved() -> bool:
        return all(any((other_house / "checkpoints/smoke/locality" / cell).glob("*.zarr.zip")) for cell in cells)

    with submitted(other_house, slurm, "--", *targets) as run:
        cluster.wait_until(lambda: run.poll() is not None or saved(), "trainings have begun")
        run.kill()
        run.wait()
    assert snakemake(other_house, "--unlock").returncode == 0
    assert [job.state for job in seen(slurm)[before:]] == ["RUNNING", "RUNNING"]
    with submitted(other_house, slurm, "--", *targets) as run:
        assert run.wait(timeout=400) == 0, said(other_house)
    assert sorted(job.state for job in seen(slurm)[before:]) == 2 * ["CANCELLED"] + 2 * ["COMPLETED"]
    assert said(other_house).count("of an earlier run was cancelled") == 2
    for cell in cells:
        log = (other_house / f"logs/smoke/locality/{cell}.log").read_text(encoding="utf-8")
        assert "continue at epoch" in log


@FAULT
def test_a_study_that_is_edited_while_a_run_goes_on_makes_no_result_of_the_run(slurm, other_house):
    """The job plans the run again when it starts: here from a study that has been edited since, and is put back."""
    study = other_house / "workflow/studies/locality/smoke.yaml"
    text = study.read_text(encoding="utf-8")
    data = other_house / "results/smoke/locality/data/2-global"
    with submitted(other_house, slurm, "--retries", "0", "--", RESULT) as run:
        cluster.wait_until(lambda: run.poll() is not None or data.exists(), "the run has begun")
        edit_smoke(other_house, "learning_rate: [0.002, 0.004]", "learning_rate: [0.002, 0.005]")
        assert run.wait(timeout=180) == 1, said(other_house)
    assert not (other_house / RESULT).exists()
    jobs_logs = (other_house / ".snakemake/slurm_logs").rglob("*.log")
    assert any("was edited while the run went on" in log.read_text(encoding="utf-8") for log in jobs_logs)
    study.write_text(text, encoding="utf-8")
    assert snakemake(other_house, "-n", RESULT).returncode == 0


@FAULT
@pytest.mark.parametrize("fault", ["scancel", "drain", "slurmd", "slurmctld"])
def test_a_cluster_that_loses_a_job_a_node_or_its_head_costs_time_alone(slurm, other_house, fault):
    """A training is under way: its job is cancelled, its node drained or dead for a while, or the controller."""
    with submitted(other_house, slurm, "--", RESULT) as run:
        log = other_house / LOG
        cluster.wait_until(lambda: run.poll() is not None or log.exists(), "a training has begun")
        (job,) = [job.id for job in seen(slurm) if job.state == "RUNNING"]
        cluster.disturb(fault, job, slurm)
        assert run.wait(timeout=400) == 0, said(other_house)
    assert store.read(other_house / RESULT).status.size == 4
