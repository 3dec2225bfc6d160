"""Records, names, files and machines that are not as usual: commands say what they find, and go on."""

import json
import os
import subprocess
import sys
from base64 import urlsafe_b64encode
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from house import ROOT
from page_parts import part

from isobath import __main__ as commands
from isobath import claim_files
from isobath.archive import check
from isobath.disk import commits, store
from isobath.findings import outlines
from isobath.hooks import adoption
from isobath.jobs import time_limits
from isobath.operations import new, summary, verify
from isobath.operations.compare import standard_errors
from isobath.plugins import PluginError
from isobath.study.schema import Config, ConfigError
from isobath.workflow import environment, forecasts, own, plan
from isobath.workflow.plan import Job


def test_an_interval_with_one_end_is_none():
    """Such an interval stopped the summary and the comparison of two runs with a TypeError."""
    odd = part(low=0.05, high=None)
    assert "[no interval]" in summary._number(odd)
    assert standard_errors(part(), odd) is None
    assert standard_errors(odd, part()) is None


def test_a_small_number_is_not_printed_as_none():
    text = summary._number(part(estimate=3e-9, low=2e-9, high=-4e-9))
    assert "+3.00e-09 [+2.00e-09, -4.00e-09]" in text
    assert "+0.000 [+0.001, +0.123]" in summary._number(part(estimate=0.0, low=0.001, high=0.1234))


def test_results_without_versions_or_of_packages_that_are_not_here_are_said(monkeypatch):
    """Once they ended `isobath verify` with a traceback, before it named the faults that it had found."""
    attributes = {"a": {}, "b": {"versions": '{"nowhere": "1.0"}'}}
    jobs = [SimpleNamespace(outputs=[name]) for name in attributes]
    monkeypatch.setattr(verify.plan, "jobs", lambda _: jobs)
    monkeypatch.setattr(verify, "read_attributes", lambda path: attributes[path.name])
    found = list(verify.other_versions(SimpleNamespace(home=Path())))
    assert found == ["1 results were made by nowhere 1.0 (here none)."]


def test_a_file_in_the_making_that_has_its_name_by_now_is_no_extra(tmp_path):
    """Once `isobath verify` during a run could end with a traceback, where a job ended between two of its questions."""
    left = tmp_path / ".x.abc.partial"
    left.touch()
    os.utime(left, (0, 0))
    assert verify._is_left(left)
    assert not verify._is_left(tmp_path / ".x.gone.partial")


def test_verdicts_of_an_earlier_version_are_no_traceback(tmp_path):
    """Once the summary ended in a KeyError."""
    store.write_record(
        {"study": "s", "claims": [{"claim": "a", "verdict": "holds", "parts": []}]}, tmp_path / "s/verdicts.json"
    )
    with pytest.raises(store.CorruptedStore, match="a claim of it, or a part of one, lacks headline, own"):
        list(summary.summary(tmp_path))


@pytest.mark.parametrize(
    ("names", "said"),
    [(5, "5"), ({"a": 1}, r'{"a": 1}'), ([["a"]], r'\[\["a"\]\]'), (["own", None], r'\["own", null\]')],
)
def test_own_that_names_no_folders_is_refused_by_every_command(tmp_path, names, said):
    with pytest.raises(ConfigError, match=rf"own is {said}; allowed: the name of a folder, or a list of them"):
        own.lay(tmp_path, names)


def test_claims_beside_the_folder_of_their_study_are_not_passed_over(tmp_path, monkeypatch):
    (tmp_path / "claims/s").mkdir(parents=True)
    (tmp_path / "claims/s.py").touch()
    monkeypatch.setattr(claim_files, "roots", lambda: [tmp_path])
    with pytest.raises(PluginError, match=r"claims/s\.py: the claims of s are in .*claims/s; move it there"):
        claim_files._files_of_claims("s")


def test_files_that_are_no_marks_of_snakemake_are_left_alone(tmp_path):
    """A file of a desktop or of NFS among the marks stopped every start."""
    marks = tmp_path / adoption.MARKS
    marks.mkdir(parents=True)
    for name in (".DS_Store", ".nfs0001", urlsafe_b64encode(b"results/a.zip").decode()):
        (marks / name).touch()
    assert ("results/a.zip", marks / "cmVzdWx0cy9hLnppcA==") in list(adoption._marks(marks))


def test_a_run_of_calculations_alone_has_no_largest_grid():
    """Once its start ended in "max() arg is an empty sequence"."""
    study = SimpleNamespace(grids={"theory": []})
    forecasts.require_countable(SimpleNamespace(config=Config(scale="demo", studies=["s"]), studies={"s": study}))


def test_jobs_have_a_path_where_there_was_none(monkeypatch):
    """Let Snakemake be started with no environment at all."""
    monkeypatch.setattr(os, "environ", {})
    environment.inherit(ROOT / "src")
    assert os.environ["PATH"] == os.pathsep.join([str(Path(sys.executable).parent), os.defpath])


def test_isobath_test_without_pytest_says_how_it_is_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "pytest", None)
    done = CliRunner().invoke(commands.main, ["test"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: isobath test needs pytest, which is not installed beside isobath: `pip ")


@pytest.mark.parametrize("error", [FileNotFoundError("squeue"), subprocess.TimeoutExpired("squeue", 10)])
def test_a_job_without_squeue_has_no_deadline(monkeypatch, error):
    """A container may have none: the training ended before it had begun."""

    def missing(*_, **__):
        raise error

    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.delenv("SLURM_JOB_END_TIME", raising=False)
    monkeypatch.delenv("ISOBATH_TIME_LIMIT", raising=False)
    monkeypatch.setattr(time_limits.subprocess, "run", missing)
    assert time_limits.deadline() is None


@pytest.mark.parametrize("name", ["DATABASE", "NAMES", "FAMILY"])
def test_a_name_may_contain_the_words_of_templates(name):
    """A study DATABASE had the title DATA."""
    files = {path.name: text for path, text in new.files("study", name).items()}
    assert f"title: {name}\n" in files["study.yaml"]
    assert f'known["{name}"]' in files[f"test_study_{name}.py"]


def test_what_the_readme_of_an_archive_makes_in_it_was_not_added_by_others(tmp_path):
    made = (".venv/bin/python", "redrawn/a.pdf", "src/isobath.egg-info/PKG-INFO", ".snakemake/log/a", "logs/a.log")
    for name in ("results/a.zip", "results/b.zip", *made):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "SHA256SUMS").write_text(f"{check.zips.digest(tmp_path / 'results/a.zip')}  results/a.zip\n")
    assert list(check.findings(tmp_path)) == ["added    results/b.zip"]
    (tmp_path / "SHA256SUMS").write_text("no checksum\n")
    with pytest.raises(ValueError, match=r"SHA256SUMS, line 1: 'no checksum' is not a checksum"):
        list(check.findings(tmp_path))


def test_a_config_where_a_run_was_started_is_not_passed_over(tmp_path, monkeypatch):
    """Once the studies of the clone were run in the other folder."""
    clone, mine, other = (tmp_path / name for name in ("clone", "mine", "other"))
    for folder in (clone, mine, other):
        folder.mkdir()
    for folder in (clone, mine):
        (folder / "config.yaml").touch()
    monkeypatch.chdir(other)
    assert environment.place_of_config(clone, started=clone) == environment.place_of_config(clone, other) == clone
    with pytest.raises(ConfigError, match=f"{other} has no config.yaml, and this run would have that of {clone}"):
        environment.place_of_config(clone, started=mine)
    (other / "config.yaml").touch()
    assert environment.place_of_config(clone, started=mine) == other


FORMATS = """
import json, os, sys
import torch
from isobath.jobs import formats
from isobath.library.computing import as_a_job
from torch.backends import cudnn, mkldnn
from torch.backends.cuda import matmul

def read(switch):
    try:
        return switch()
    except RuntimeError:
        return "contradictory"

def state():
    newer = [switch.fp32_precision for switch in formats._newer()]
    older = [read(torch.get_float32_matmul_precision), *(read(lambda p=p: p.allow_tf32) for p in (matmul, cudnn))]
    return [*newer, *older, cudnn.deterministic]

for choice in json.loads(sys.argv[1]):
    if child := os.fork():  # what one chooses is not there for the next
        assert os.waitpid(child, 0)[1] == 0, choice
        continue
    exec(choice)
    before = state()
    with as_a_job():
        within = state()
        x = torch.randn(300, 300)
        assert ((x @ x).double() - x.double() @ x.double()).norm() < 1e-6 * (x @ x).norm()
    assert state() == before, (before, state())
    assert within == ["ieee"] * 6 + ["highest", False, False, True], within
    os._exit(0)
"""
CHOICES = (
    "",
    "cudnn.allow_tf32 = cudnn.deterministic = False",
    "matmul.allow_tf32 = True",
    "matmul.fp32_precision = 'tf32'",
    "torch.set_float32_matmul_precision('medium')",
    "torch.backends.fp32_precision = 'tf32'",
    "mkldnn.matmul.fp32_precision = 'bf16'",
    "cudnn.conv.fp32_precision = 'ieee'",
)


def test_products_have_all_digits_in_a_job_and_their_formats_are_given_back():
    """A job had what a user's session asks of convolutions and of a CPU; some choices ended it, or those after it."""
    command = [sys.executable, "-P", "-c", FORMATS, json.dumps(CHOICES)]
    paths = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    run = subprocess.run(command, env=paths, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_the_commit_of_claims_is_that_of_their_own_files(monkeypatch):
    """A study whose name begins that of another had the commit of the other's claims."""
    asked = []
    monkeypatch.setattr(commits, "last", lambda _, *patterns: asked.append(patterns) or "0")
    outlines.read(ROOT, "smoke")
    assert ("src/isobath/claims/width",) in asked
    assert outlines._place("mine", "locality.order_reverses_with_rate") == "src/isobath/claims/locality"


@pytest.mark.parametrize(("left", "kept"), [(36_000, 1800), (100, 30)])
def test_a_twentieth_of_the_time_that_is_left_is_kept_for_saving_and_half_a_minute_at_least(monkeypatch, left, kept):
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("SLURM_JOB_END_TIME", str(1000 + left))
    monkeypatch.delenv("ISOBATH_TIME_LIMIT", raising=False)
    monkeypatch.setattr(time_limits, "time", SimpleNamespace(time=lambda: 1000.0, monotonic=lambda: 50.0))
    assert time_limits.deadline() == 50 + left - kept


def test_results_are_adopted_only_from_a_run_that_is_not_going_on(tmp_path, monkeypatch):
    mark = tmp_path / adoption.MARKS / urlsafe_b64encode(b"results/a").decode()
    lock = tmp_path / adoption.LOCKS / "0.input.lock"
    for file in (mark, lock):
        file.parent.mkdir(parents=True)
        file.touch()
    monkeypatch.setattr(plan, "jobs", lambda _: [Job("x", {}, (), ("results/a",))])
    monkeypatch.setattr(adoption, "faults_of", lambda *_: [])
    run = SimpleNamespace(home=tmp_path)
    assert adoption.adopt(run) == []
    assert mark.exists()
    lock.unlink()
    assert adoption.adopt(run) == ["results/a"]
    assert not mark.exists()
