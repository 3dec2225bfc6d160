"""The package without a clone: a wheel has the workflow, and runs, verifies and archives work of one's own."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from house import fresh

pytestmark = [pytest.mark.slow]
QUIET = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "OMP_NUM_THREADS": "1"}


def python(place: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {key: value for key, value in os.environ.items() if key not in ("ISOBATH_OWN", "PYTHONPATH")}
    command = [sys.executable, *words]
    whole = inherited | QUIET | environment
    run = subprocess.run(command, cwd=place, env=whole, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package from its wheel into a folder."""
    place = tmp_path_factory.mktemp("wheel")
    house = fresh(place)
    how = ["--quiet", "--no-deps", "--no-index"]
    python(house, "-m", "pip", "wheel", *how, "--no-build-isolation", "--wheel-dir", str(place), ".")
    (wheel,) = place.glob("*.whl")
    python(place, "-m", "pip", "install", *how, "--target", str(place / "site"), str(wheel))
    return place / "site"


def test_the_wheel_has_rules_studies_and_profiles_and_nothing_that_was_made(site):
    home = site / "isobath/home"
    for file in ("Snakefile", "workflow/rules/networks.smk", "workflow/studies/width/study.yaml", "envs/lock.txt"):
        assert (home / file).is_file(), file
    assert not list(home.rglob("*.zarr.zip"))


def test_a_study_of_ones_own_runs_from_the_wheel(site, tmp_path):
    def isobath(*words: str) -> str:
        return python(tmp_path, "-m", "isobath", *words, PYTHONPATH=str(site)).stdout

    for words in (("study", "waves"), ("claim", "waves"), ("task", "ripples")):
        isobath("new", *words)
    study = tmp_path / "own/studies/waves/study.yaml"
    text = study.read_text(encoding="utf-8")
    text = text.replace("{kind: k_local, k: 2, dimension: 6}", "{kind: ripples, dimension: 5}")
    study.write_text(text.replace("claims: []", "claims: [networks_learn]"), encoding="utf-8")
    isobath("run", "--cores", "2")
    assert "Networks learn" in isobath("summary", "results/smoke")
    isobath("verify", "results/smoke")
    isobath("archive", "results/smoke")
    with zipfile.ZipFile(tmp_path / "results/isobath-smoke.zip") as archive:
        names = {*archive.namelist()}
        sums = archive.read("SHA256SUMS").decode()
    assert names >= {"Snakefile", "workflow/rules/networks.smk", "src/isobath/plugins.py", "own/tasks/ripples.py"}
    assert {"src/isobath/page/page.html", "src/snakemake_logger_plugin_isobath/__init__.py"} <= names
    assert not [name for name in names if "isobath/home" in name or "__pycache__" in name]
    assert "own/studies/waves/study.yaml" in sums


def test_a_study_of_ours_is_planned_from_the_wheel(site, tmp_path):
    (tmp_path / "config.yaml").write_text("scale: smoke\nstudies: [kernels]\n", encoding="utf-8")
    run = python(tmp_path, "-m", "isobath", "run", "--cores", "1", "--dry-run", PYTHONPATH=str(site))
    assert "gram" in run.stdout + run.stderr or "kernels" in run.stdout + run.stderr
