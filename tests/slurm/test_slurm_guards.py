"""Guards of a run on SLURM, tested without one: rounds without an answer, orphans, studies edited meanwhile."""

import asyncio
import json
import logging
import os
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from house import ROOT

from isobath.hooks import orphans, outages
from isobath.study.schema import ConfigError
from isobath.workflow import job_digests, plan


def plugin(answers):
    """Make a plug-in whose executor forgets its jobs in a round without an answer, as that of SLURM does in 2.8."""

    async def query_job_status(command, logger):
        return answers.pop(0)

    class Executor:
        logger = logging.getLogger("test")

        async def check_active_jobs(self, active_jobs):
            states, _ = await module.query_job_status("squeue", self.logger)
            for job in active_jobs if states is not None else ():
                if states.get(job) != "COMPLETED":
                    yield job

    module = SimpleNamespace(Executor=Executor, query_job_status=query_job_status)
    return module


def rounds(module, jobs, count):
    """Return the jobs that are active after each round."""

    async def go():
        active = jobs
        for _ in range(count):
            active = [job async for job in module.Executor().check_active_jobs(active)]
            yield active

    async def collect():
        return [active async for active in go()]

    return asyncio.run(collect())


ANSWERS = [({"1": "RUNNING"}, 0.1), (None, None), (None, None), ({"1": "RUNNING", "2": "COMPLETED"}, 0.1)]


def test_jobs_of_a_round_without_an_answer_stay_active():
    assert rounds(plugin([*ANSWERS]), ["1", "2"], 4)[1:] == [[], [], []]  # as it is: forgotten
    guarded = plugin([*ANSWERS])
    assert outages.survive(guarded)
    assert rounds(guarded, ["1", "2"], 4) == [["1", "2"], ["1", "2"], ["1", "2"], ["1"]]


def test_a_plugin_of_other_make_is_left_alone():
    assert not outages.survive(SimpleNamespace(Executor=object))


def test_the_plugin_that_is_installed_is_of_this_make():
    installed = pytest.importorskip("snakemake_executor_plugin_slurm")
    assert hasattr(installed, outages.ASK)
    assert hasattr(installed.Executor, outages.CHECK)


SLURM = """#!/bin/sh
case "$(basename $0) $*" in
  "squeue --noheader"*) ls "{jobs}";;
  "scontrol show job 9") echo "   WorkDir=/somewhere/else";;
  "scontrol show job"*) echo "   WorkDir={folder}";;
  "scontrol write batch_script"*) cat "{jobs}/$3";;
  "scancel"*) shift 0; for job in "$@"; do rm "{jobs}/$job"; done; echo "$@" >> "{folder}/cancelled";;
esac
"""


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """Make a folder with the scripts of SLURM's jobs: one of this run, one of another, one elsewhere, my own."""
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    target = "networks:scale=smoke,study=small,seeds={}"
    scripts = {
        "7": f"snakemake --target-jobs {target.format('0-1')} {target.format('4-5')} --cores 1",
        "8": f"snakemake --target-jobs {target.format('0-19')} --cores 1",
        "9": f"snakemake --target-jobs {target.format('0-1')} --cores 1",
        "10": "snakemake --profile workflow/profiles/slurm",
    }
    for number, script in scripts.items():
        (jobs / number).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    for name in ("squeue", "scontrol", "scancel"):
        (tmp_path / name).write_text(SLURM.format(jobs=jobs, folder=tmp_path), encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


def of(seeds):
    return orphans.Target("networks", (("scale", "smoke"), ("study", "small"), ("seeds", seeds)))


def test_jobs_in_this_folder_that_make_what_is_due_are_cancelled_and_no_others(slurm):
    assert orphans.cancel([of("0-1")], slurm) == ["7"]
    assert (slurm / "cancelled").read_text(encoding="utf-8") == "7\n"
    assert orphans.cancel([of("0-1"), of("2-3")], slurm) == []


def test_without_slurm_there_are_no_orphans_and_without_an_answer_an_error(slurm, monkeypatch):
    (slurm / "squeue").write_text("#!/bin/sh\necho no cluster >&2; exit 1\n", encoding="utf-8")
    with pytest.raises(orphans.SlurmError, match="squeue can't be asked for jobs of an earlier run: no cluster"):
        orphans.cancel([of("0-1")], slurm)
    monkeypatch.setattr(orphans.shutil, "which", lambda _: None)
    assert orphans.cancel([of("0-1")], slurm) == []


def test_a_job_that_is_not_as_the_run_asked_for_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(job_digests.VARIABLE, raising=False)
    run, other = (plan.load(ROOT, {"scale": "smoke", "studies": ["locality"], "seed": seed}) for seed in (0, 1))
    job = next(job for job in plan.jobs(run) if job.rule == "networks")
    job_digests.require(other, job.rule, job.names)  # no run
    monkeypatch.setenv(job_digests.VARIABLE, "")
    at_exit = []
    monkeypatch.setattr(job_digests.atexit, "register", lambda f, **options: at_exit.append(partial(f, **options)))
    job_digests.publish(run, [(job.rule, job.names), ("all", {})])
    assert len(json.loads(Path(os.environ[job_digests.VARIABLE]).read_text(encoding="utf-8"))) == 1
    job_digests.require(run, job.rule, job.names)
    with pytest.raises(ConfigError, match=r"networks .*width=10: its study, config.yaml or its code was edited"):
        job_digests.require(other, job.rule, job.names)
    job_digests.require(other, "kernels", job.names)  # which the run did not ask for
    for function in at_exit:
        function()
    assert list(job_digests.FOLDER.iterdir()) == []
    job_digests.require(other, job.rule, job.names)  # of a run that has ended


def test_a_job_of_edited_code_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(job_digests.VARIABLE, "")
    monkeypatch.setattr(job_digests.atexit, "register", lambda *_, **__: None)
    monkeypatch.setattr(plan, "spec", lambda *_: {"a": 1})
    monkeypatch.setattr(plan, "code", lambda *_: "before")
    job_digests.publish(None, [("networks", {"width": "3"})])
    job_digests.require(None, "networks", {"width": "3"})
    monkeypatch.setattr(plan, "code", lambda *_: "after")
    with pytest.raises(ConfigError, match="its code was edited"):
        job_digests.require(None, "networks", {"width": "3"})
