"""The lock, the conda environment and the container install the same; the catalogue finds the workflow."""

import re
import tomllib

import yaml
from house import ROOT, SNAKEMAKE, snakemake
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import isobath

LOCK = (ROOT / "envs/lock.txt").read_text(encoding="utf-8").splitlines()
PINNED = dict(line.split("==") for line in LOCK if not line.startswith("#"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_lock_pins_all_that_the_project_asks_for():
    versions = {canonicalize_name(name): version for name, version in PINNED.items()}
    extras = PROJECT["optional-dependencies"]
    for line in [*PROJECT["dependencies"], *extras["dev"], *extras["slurm"]]:
        asked = Requirement(line)
        assert versions[canonicalize_name(asked.name)] in asked.specifier, line
    assert versions["torch"] == "2.13.0"
    assert not {name for name in versions if "nvidia" in name or "triton" in name}  # the pin decides, not the machine


def test_conda_and_the_container_take_the_lock():
    conda = yaml.safe_load((ROOT / "envs/environment.yaml").read_text(encoding="utf-8"))["dependencies"]
    assert conda[-1] == {"pip": ["--requirement lock.txt"]}
    python = next(p.removeprefix("python=") for p in conda if isinstance(p, str) and p.startswith("python="))
    recipe = (ROOT / "envs/Containerfile").read_text(encoding="utf-8")
    assert re.search(r"^FROM \S*python:(\S+)-slim$", recipe, re.MULTILINE).group(1) == python
    assert "pip install --no-cache-dir --requirement /isobath/lock.txt" in recipe
    for source in re.findall(r"^COPY (.+) \S+$", recipe, re.MULTILINE):
        assert all((ROOT / file).exists() for file in source.split())
    assert python in PROJECT["requires-python"]


def test_the_citation_has_the_version_of_the_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == isobath.__version__
    assert f"## {isobath.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_catalogue_finds_the_workflow():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))["usage"]
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert usage["mandatory-flags"]["flags"] == " ".join(SNAKEMAKE[1:3])
    tables = [
        {tuple(line.split()) for line in run.stdout.splitlines() if re.fullmatch(r"\w+ +\d+", line)}
        for run in (snakemake(ROOT, "-nF"), snakemake(ROOT, "-nF", "--snakefile", "workflow/Snakefile"))
    ]  # all jobs, whatever has been run here
    one, other = ({line for line in table if line[0] not in ("all", "everything")} for table in tables)
    assert one
    assert one == other
