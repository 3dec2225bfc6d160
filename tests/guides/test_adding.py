"""The guide to adding things is followed to the letter: every file that it shows, and the study of them all."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from house import ROOT, fresh, snakemake

import isobath

GUIDE = "docs/adding.md"
SHOWN = r"`([\w./]+\.(?:py|yaml|smk))`(?:, [\w ]+)?:\n\n```(?:python|yaml)\n(.*?)```"
CONTRACTS = ["tasks", "networks", "protocols", "losses", "initialisations", "constructions", "calculations"]


def files(guide: str) -> dict[str, str]:
    """Return the files that the guide shows, by their paths."""
    return dict(re.findall(SHOWN, guide, flags=re.DOTALL))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a fresh copy of the repository, with its published findings, and with all that the guide shows."""
    house = fresh(tmp_path_factory.mktemp("adding"))
    shutil.copytree(ROOT / "docs/findings", house / "docs/findings")
    for name, text in files((house / GUIDE).read_text(encoding="utf-8")).items():
        path = house / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (house / "workflow/studies/mine/demo.yaml").write_text("{}\n", encoding="utf-8")
    return house


def python(house: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(house / "src"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=house, env=environment, capture_output=True, text=True, check=False)


def test_the_guide_shows_one_file_of_each_family():
    shown = files((ROOT / GUIDE).read_text(encoding="utf-8"))
    folders = {folder for name in shown for folder in name.split("/")[:-1]}
    assert folders >= {*CONTRACTS, "kernels", "forms", "figures", "claims", "results", "stages", "rules", "mine"}


def test_the_modules_of_the_guide_are_in_the_style_of_the_house(house):
    done = python(house, "-m", "ruff", "check", "--no-cache", "src")
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_the_modules_of_the_guide_are_typed(house):
    done = python(house, "-m", "mypy", "src")
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_the_tests_of_the_project_pass_with_all_that_the_guide_adds(house):
    schemas = python(house, "-m", "isobath.study.reference")
    assert schemas.returncode == 0, schemas.stderr
    run = python(
        house,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-n",
        "2",
        "--dist",
        "loadfile",
        "-m",
        "not slow",
        "tests",
        "src/isobath/contracts",
    )
    assert run.returncode == 0, run.stdout


@pytest.mark.slow
def test_the_study_of_the_guide_runs_and_verifies(house):
    run = snakemake(house, scale="demo", study="mine")
    assert run.returncode == 0, run.stderr
    tree = isobath.open_results(house / "results/demo")["mine/widths"]
    assert set(tree["networks"].protocol.values) == {"signs", "quadratic"}
    assert tree["constructions"].test_error.sel(task="first").item() == 0
    assert tree["gram_spectra"].eigenvalue.sizes["rank"] == 100
    assert 0.20 < float(tree["calculations/ones"].error) < 0.21
    assert set(tree["laws/loss"].parameter.values) == {"constant", "slope"}
    assert python(house, "-m", "isobath", "verify", "results/demo", "--config", "studies=[mine]").returncode == 0
    assert "Networks learn majority labels" in python(house, "-m", "isobath", "summary", "results/demo").stdout
