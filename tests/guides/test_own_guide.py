"""The guide to work of one's own is followed to the letter, in an empty folder outside of the clone."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from house import ROOT
from test_adding import GUIDE, files

from isobath import open_results

STEP = re.compile(r"`([\w./]+)`:\n\n```(?:python|yaml)\n(.*?)```|```sh\n(.*?)```", flags=re.DOTALL)
ENVIRONMENT = {
    **{key: value for key, value in os.environ.items() if key not in ("ISOBATH_OWN", "PYTEST_ADDOPTS")},
    "PYTHONPATH": str(ROOT / "src"),
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    "OMP_NUM_THREADS": "1",
}


def isobath(place: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "isobath", *words]
    environment = ENVIRONMENT | environment
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)


def due(place: Path) -> dict[str, int]:
    """Return the jobs that a run would start."""
    run = isobath(place, "run", "--cores", "2", "--dry-run")
    assert run.returncode == 0, run.stderr
    table = re.findall(r"^(\w+) +(\d+)$", run.stdout + run.stderr, flags=re.MULTILINE)
    return {rule: int(count) for rule, count in table if rule not in ("total", "all")}


def test_the_reference_has_what_the_guide_imports():
    """Modules of kinds are in the reference of the families, and functions of tests explain themselves."""
    guide, reference = (
        (ROOT / file).read_text(encoding="utf-8") for file in ("docs/own.md", "docs/reference/library.md")
    )
    imported = re.findall(
        r"^from isobath\.((?:analysis|contracts|statuses|randomness)\S*) import (.+)$", guide, re.MULTILINE
    )
    names = {f"isobath.{module}.{name.strip()}" for module, several in imported for name in several.split(",")}
    assert len(names) >= 6
    assert not [name for name in names if f":: {name}\n" not in reference]


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Follow the guide in a folder; return the folder and the output of each command."""
    place, said = tmp_path_factory.mktemp("scratch"), {}
    for file, text, shell in STEP.findall((ROOT / "docs/own.md").read_text(encoding="utf-8")):
        if file:
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            (place / file).write_text(text, encoding="utf-8")
        for line in shell.splitlines():
            run = isobath(place, *line.split()[1:])
            assert line.startswith("isobath ")
            assert run.returncode == 0, f"{line}\n{run.stdout}\n{run.stderr}"
            said[line] = run.stdout + run.stderr
    return place, said


@pytest.mark.slow
def test_every_command_of_the_guide_does_what_it_says(followed):
    place, said = followed
    assert " passed" in said["isobath test"]
    assert "Networks see rings" in said["isobath summary results/smoke"]
    assert re.search(r"(\d+) of \1 results", said["isobath verify results/smoke"])
    assert re.search(
        r"^networks +\d+$", said["isobath run --cores 2 --dry-run --config studies=[narrow]"], re.MULTILINE
    )
    assert (place / "results/smoke/waves/figures/losses.pdf").is_file()
    assert "ripples" in (place / "own/studies/study.schema.json").read_text(encoding="utf-8")


@pytest.mark.slow
def test_edits_run_what_depends_on_them_alone(followed):
    place, _ = followed
    assert due(place) == {}
    edits = {
        "own/tasks/ripples.py": ("def ends", "# a comment\ndef ends", {}),
        "own/figures/losses.py": ('"training loss"', '"loss"', {"figures": 1, "page": 1}),
        "own/claims/waves.py": ("CHANCE = 0.5", "CHANCE = 0.4", {"verdicts": 1, "page": 1}),
    }
    for file, (old, new, jobs) in edits.items():
        text = (place / file).read_text(encoding="utf-8")
        assert old in text
        (place / file).write_text(text.replace(old, new), encoding="utf-8")
        assert due(place) == jobs, file
        (place / file).write_text(text, encoding="utf-8")
    radii = place / "own/radii.py"
    text = radii.read_text(encoding="utf-8")
    radii.write_text(text.replace("np.sqrt(np.square(x).sum(axis=1))", "np.abs(x).sum(axis=1)"), encoding="utf-8")
    assert {"training_sets", "test_sets", "networks", "cubes"} <= due(place).keys()
    radii.write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_the_archive_is_checked_redrawn_and_planned_again_without_the_folder(followed, tmp_path):
    place, _ = followed
    with zipfile.ZipFile(place / "results/isobath-smoke.zip") as archive:
        archive.extractall(tmp_path)
    ours = {file.relative_to(place).as_posix() for file in (place / "own").rglob("*.py") if "tests" not in file.parts}
    assert ours
    assert all((tmp_path / file).is_file() for file in ours)
    environment = ENVIRONMENT | {"PYTHONPATH": str(tmp_path / "src")}
    for words in (["isobath.archive.check"], ["isobath.archive.redraw", "results/smoke", str(tmp_path / "again")]):
        command = [sys.executable, "-m", *words]
        run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stdout + run.stderr
    verified = isobath(tmp_path, "verify", "results/smoke", PYTHONPATH=str(tmp_path / "src"))
    assert "stale" not in verified.stdout
    assert "missing" in verified.stdout  # the cells, which are in another zip


@pytest.mark.runs
def test_all_that_the_other_guide_adds_to_isobath_works_in_a_folder_of_ones_own_as_well(tmp_path):
    """The folder has a kind of each family, a kind of result with its stage and its rule, and the study of them all."""
    for name, text in files((ROOT / GUIDE).read_text(encoding="utf-8")).items():
        path = tmp_path / re.sub(r"^(src/isobath|workflow)/", "own/", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "own/studies/mine/demo.yaml").write_text("{}\n", encoding="utf-8")
    (tmp_path / "config.yaml").write_text("scale: demo\nstudies: [mine]\n", encoding="utf-8")
    run = isobath(tmp_path, "run", "--cores", "2")
    assert run.returncode == 0, run.stdout + run.stderr
    assert (tmp_path / ".snakemake/log").is_dir()
    tree = open_results(tmp_path / "results/demo")["mine/widths"]
    assert tree["gram_spectra"].eigenvalue.sizes["rank"] == 100
    assert set(tree["networks"].protocol.values) == {"signs", "quadratic"}
    verified = isobath(tmp_path, "verify", "results/demo")
    assert verified.returncode == 0, verified.stdout
