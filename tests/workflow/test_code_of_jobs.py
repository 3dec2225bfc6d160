"""A result bears the fingerprint of the code that made it: a job that runs other code fails, and leaves no file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from house import ROOT, copy, edit

from isobath.disk import store
from isobath.fingerprints import fingerprint
from isobath.study.run import canonical
from isobath.workflow import plan

SPEC = {"task": {"kind": "k_local", "k": 1, "dimension": 3}, "name": "t", "n": 5, "draw": None, "seed": 0}
SIGN = ("src/isobath/tasks/k_local.py", "def sample(", "def sample(  # a comment\n")


def job(folder: Path, source: Path, code: str, program: tuple[str, ...] = ("-m", "isobath.stages.data")):
    """Run the stage of data sets by hand, with the package in ``source``."""
    words = ["--spec", json.dumps(SPEC), "--code", code, "--output", "t.zarr.zip", "--log", "log"]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    command = [sys.executable, *program, *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def package(folder: Path) -> Path:
    """Make a copy of the package, and return the folder that Python needs on its path to find it."""
    copy(ROOT / "src/isobath", folder / "src/isobath")
    return folder


def test_a_job_whose_code_was_edited_after_it_was_asked_for_fails_and_leaves_no_file(tmp_path):
    code, house = fingerprint("data", SPEC), package(tmp_path / "house")
    edit(house, *SIGN)  # what means the same is the same
    assert job(tmp_path, house / "src", code).returncode == 0
    assert store.read(tmp_path / "t.zarr.zip").attrs["code"] == code
    (tmp_path / "t.zarr.zip").unlink()
    edit(house, "src/isobath/tasks/k_local.py", "def sample(", "SPEED = 2\n\n\ndef sample(")
    refused = job(tmp_path, house / "src", code)
    assert refused.returncode == 1
    assert f"and code {code} was asked for: it was edited while the run went on" in refused.stderr
    assert not (tmp_path / "t.zarr.zip").exists()


def test_a_job_that_finds_another_copy_of_isobath_fails(tmp_path):
    """Python finds another package than the one that was asked for where a colon cuts $PYTHONPATH."""
    other = package(tmp_path / "other")
    edit(other, "src/isobath/stages/data.py", 'return f"{spec', 'return f"another {spec')
    refused = job(tmp_path, Path(f"{tmp_path}/no:{other}/src"), fingerprint("data", SPEC))
    assert refused.returncode == 1
    assert str(other) in refused.stderr
    assert not (tmp_path / "t.zarr.zip").exists()


EDITED = """
import sys
from pathlib import Path
from isobath import sources, stages
from isobath.fingerprints import fingerprint
import json, importlib

path = Path(sys.argv[1])
before = fingerprint("data", json.loads(sys.argv[2]))
text = path.read_text()
path.write_text(text.replace("def ends(", "EDITED = True\\n\\n\\ndef ends("))
task = importlib.import_module("isobath.tasks.k_local")
path.write_text(text)
print(hasattr(task, "EDITED"), before == fingerprint("data", json.loads(sys.argv[2])))
"""


def test_an_edit_between_the_fingerprint_and_the_import_changes_nothing(tmp_path):
    house = package(tmp_path / "house")
    words = [str(house / "src/isobath/tasks/k_local.py"), json.dumps(SPEC)]
    environment = {**os.environ, "PYTHONPATH": str(house / "src")}
    command = [sys.executable, "-c", EDITED, *words]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]


LOSS_EDITED = """
import sys
from pathlib import Path
import isobath.stages
from isobath import sources

path = Path(sys.argv[1])
sources.text(path)
if "edited" in sys.argv:
    path.write_text(path.read_text() + "EDITED = True\\n")
import numba
from isobath.training import compiled
print(numba.config.CACHE_DIR)
"""


def test_an_edit_between_the_fingerprint_and_the_import_keeps_the_folder_of_compiled_code(tmp_path):
    """The code of the old text would otherwise lie in the folder of the new one, where later jobs find it."""
    house = package(tmp_path / "house")
    environment = {**os.environ, "PYTHONPATH": str(house / "src")}
    command = [sys.executable, "-c", LOSS_EDITED, str(house / "src/isobath/losses/mean_squared_error.py")]
    before, during, after = (
        subprocess.run([*command, *words], env=environment, capture_output=True, text=True, check=True).stdout
        for words in ([], ["edited"], [])
    )
    assert before == during != after


@pytest.mark.parametrize("study", ["locality", "width", "fractals"])
def test_a_job_computes_the_fingerprint_that_the_plan_did(study):
    """A job has its spec from JSON, where tuples are lists."""
    run = plan.load(ROOT, {"scale": "smoke", "studies": [study]})
    seen = {}
    for each in plan.jobs(run):
        seen.setdefault((each.rule, each.names.get("protocol"), each.names.get("grid")), each)
    for each in seen.values():
        spec = each.spec(run)
        assert plan.code(each.rule, json.loads(canonical(spec))) == plan.code(each.rule, spec), each.rule


def test_code_that_was_read_ahead_is_not_read_again_and_has_the_same_fingerprint():
    """Each in a process of its own: what one has read, it knows."""
    program = f"""
import ast, sys
from isobath import fingerprints
if "ahead" in sys.argv:
    assert "isobath.tasks.k_local" in list(fingerprints.read_ahead())
    ast.parse = None
print(fingerprints.fingerprint("data", {SPEC!r}))
"""
    commands = ([sys.executable, "-c", program, word] for word in ("ahead", "now"))
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for command in commands]
    assert len({run.stdout for run in runs}) == 1
