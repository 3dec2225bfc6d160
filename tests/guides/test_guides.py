"""The commands of the README and of the guides do what the text says, on a run of seconds."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from house import ROOT, fresh, snakemake

BIN = Path(sys.executable).parent
GUIDES = ["README.md", "docs/running.md", "docs/cluster.md", "docs/archive.md", "docs/results.md"]
pytestmark = [pytest.mark.slow]


def commands(guide: str, start: str) -> list[str]:
    """Return the lines of a guide's shell blocks that begin with a word, without comments, at the smallest scale."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / guide).read_text(encoding="utf-8"), flags=re.DOTALL)
    lines = [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]
    return [re.sub(r"(SCALE=|scale=|results/)(laptop|paper|demo)", r"\1smoke", s) for s in lines if s.startswith(start)]


MAKE = [line for guide in GUIDES for line in commands(guide, "make") if "SCALE" in line]
ISOBATH = [line for guide in GUIDES for line in commands(guide, "isobath")]
DRY = [line for guide in GUIDES for line in commands(guide, "snakemake") if line.endswith(" -n")]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    house = fresh(tmp_path_factory.mktemp("guides"))
    config = house / "config.yaml"
    text = config.read_text(encoding="utf-8")
    config.write_text(re.sub(r"^studies: .*$", "studies: [locality, width]", text, flags=re.M), encoding="utf-8")
    run = snakemake(house, study="locality,width")
    assert run.returncode == 0, run.stderr
    return house


def shell(house: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command where ``make`` finds this environment as if it were .venv."""
    command = re.sub(r"^make ", f"make BIN={BIN} --old-file=.venv/ready ", command)
    command = re.sub(r"^isobath ", f"{sys.executable} -m isobath ", command)
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(house / "src")}
    return subprocess.run(command, shell=True, cwd=house, env=environment, capture_output=True, text=True, check=False)


def test_the_guides_name_every_command():
    """Otherwise this file would test nothing."""
    assert {line.split()[1] for line in MAKE} >= {"estimate", "status", "verify", "archive", "report"}
    assert {line.split()[1] for line in ISOBATH} >= {"summary", "timings", "kinds"}
    assert len(DRY) >= 2


@pytest.mark.parametrize("command", sorted({*MAKE, *ISOBATH}))
def test_a_command_of_the_guides_works(house, command):
    run = shell(house, command)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("command", sorted(set(DRY)))
def test_a_dry_run_of_the_guides_works(house, command):
    run = shell(house, command)
    assert run.returncode == 0, run.stdout + run.stderr


def test_what_the_guide_reads_is_there(house):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/results.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    code = "\n".join(blocks).replace("results/demo", "results/smoke")
    for width in ("depth=7, width=100", "width=100, n_train=2000"):  # the smoke scale has no other width and n_train
        code = code.replace(width, width.replace("100", "10").replace("2000", "60"))
    run = subprocess.run([sys.executable, "-c", code], cwd=house, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_an_unpacked_archive_verifies_and_redraws(house, tmp_path):
    assert shell(house, "make archive SCALE=smoke").returncode == 0
    (archive,) = (house / "results").glob("isobath-smoke.zip")
    subprocess.run([sys.executable, "-m", "zipfile", "-e", str(archive), str(tmp_path)], check=True)
    (root,) = {path.parent for path in tmp_path.rglob("SHA256SUMS")}
    for command in commands("docs/archive.md", "sha256sum") + commands("docs/archive.md", "PYTHONPATH"):
        run = shell(root, command)
        assert run.returncode == 0, run.stdout + run.stderr
