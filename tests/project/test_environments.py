"""The locks, conda's list and the container install the same; the catalogue claims what has been tried."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from house import ROOT, copy, snakemake
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import isobath
from isobath.archive import readme

HASHED = re.compile(r"(\S+)==(\S+)((?: --hash=sha256:[0-9a-f]{64})+)")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
HERE_ONLY = re.compile("nvidia|cuda|triton")  # what comes with one build of torch


def text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def lock(file: str) -> dict[str, str]:
    """Return the versions of a lock; each of its lines has a hash."""
    lines = [line for line in text(file).replace("\\\n", " ").splitlines() if not line.startswith("#")]
    found = [HASHED.fullmatch(re.sub(" +", " ", line)) for line in lines]
    assert all(found), [line for line, match in zip(lines, found, strict=True) if not match]
    return {canonicalize_name(match[1]): match[2] for match in found}


RUN, DEV = lock("envs/lock.txt"), lock("envs/lock-dev.txt")
TORCH = dict([next(line for line in text("envs/torch.txt").splitlines() if not line.startswith("#")).split("==")])


@pytest.mark.parametrize(("pinned", "asked"), [(RUN, EXTRAS["slurm"]), (DEV, [*EXTRAS["slurm"], *EXTRAS["dev"]])])
def test_a_lock_pins_all_that_the_project_asks_for(pinned, asked):
    for line in [*PROJECT["dependencies"], *asked]:
        requirement = Requirement(line)
        assert (pinned | TORCH)[canonicalize_name(requirement.name)] in requirement.specifier, line
    assert not [name for name in pinned if HERE_ONLY.search(name)]  # the pin decides, not the machine


def test_torch_is_pinned_alone_and_has_no_hash():
    assert [*TORCH] == ["torch"]
    assert "torch" not in RUN | DEV
    assert "--hash" not in text("envs/torch.txt")


def test_what_runs_needs_nothing_of_what_tests():
    assert RUN.items() <= DEV.items()
    assert not {canonicalize_name(Requirement(line).name) for line in EXTRAS["dev"]} - {"jsonschema", "mpmath"} & {*RUN}


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
@pytest.mark.parametrize("pinned", [RUN, DEV], ids=["run", "dev"])
def test_a_lock_is_complete_without_resolving(pinned, python):
    """It is installed with --no-deps: it has all that its packages need on Linux, in a version that they take."""
    environment = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux", "extra": ""}
    seen = set()
    for name, version in (pinned | TORCH).items():
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # not in this environment
        if found.version.partition("+")[0] != version:
            continue
        seen.add(name)
        for line in found.requires or []:
            needed = Requirement(line)
            wanted = needed.marker is None or needed.marker.evaluate(environment)
            if wanted and not HERE_ONLY.search(needed.name):
                assert needed.specifier.contains((pinned | TORCH)[canonicalize_name(needed.name)]), f"{name}: {line}"
    assert len(seen) > len(pinned) / 2


def test_make_installs_by_hash_without_resolving_and_torch_as_it_is_asked_to():
    how = ["make", "--dry-run", "--always-make", "--no-print-directory"]
    words = [[], ["TORCH=torch==2.13.0+cpu --index-url https://example.org"]]
    runs = [subprocess.run([*how, *w, "test"], cwd=ROOT, capture_output=True, text=True, check=True) for w in words]
    usual, chosen = ([line for line in run.stdout.splitlines() if " pip install " in line] for run in runs)
    pip = ".venv/bin/python -m pip install --quiet"
    hashed = f"{pip} --no-deps --require-hashes --requirement envs"
    editable = f"{pip} --no-deps --editable ."
    torch = f"{pip} --requirement envs/torch.txt"
    assert usual == [f"{hashed}/lock.txt", torch, editable, f"{hashed}/lock-dev.txt"]
    assert chosen == [usual[0], f"{pip} torch==2.13.0+cpu --index-url https://example.org", *usual[2:]]
    demo = subprocess.run([*how, "demo"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "lock-dev" not in demo


def test_conda_s_file_needs_no_other_since_snakemake_copies_it_alone():
    packages = yaml.safe_load(text("envs/environment.yaml"))["dependencies"]
    listed = dict(line.split("==") for line in packages[-1]["pip"])
    assert {canonicalize_name(name): version for name, version in listed.items()} == RUN | TORCH
    assert packages[:2] == [f"python={python_of_the_container()}", "pip"]
    assert python_of_the_container() in PROJECT["requires-python"]


def recipe() -> list[list[str]]:
    """Return the lines of the recipe of the container, in words."""
    return [line.split(maxsplit=1) for line in text("envs/Containerfile").splitlines() if not line.startswith("#")]


def python_of_the_container() -> str:
    return re.fullmatch(r"python:(\S+)-slim", dict(recipe())["FROM"])[1]


def test_the_container_installs_as_make_does():
    runs = [words for command, words in recipe() if command == "RUN"]
    assert ("ARG", 'TORCH="--requirement /isobath/envs/torch.txt"') in map(tuple, recipe())
    pip = "pip install --no-cache-dir"
    assert runs == [
        f"{pip} --no-deps --require-hashes --requirement /isobath/envs/lock.txt",
        f"{pip} ${{TORCH}}",
        f"{pip} --no-deps /isobath",
    ]
    assert "/" not in dict(recipe())["FROM"]  # no registry by name


def sections(recipe: str) -> dict[str, list[str]]:
    """Return the lines of each section of a recipe of apptainer; "" has its head."""
    found: dict[str, list[str]] = {"": []}
    for line in recipe.splitlines():
        if line.startswith("%"):
            found[line[1:]] = []
        elif line.strip() and not line.startswith("#"):
            found[[*found][-1]].append(line.strip())
    return found


def test_apptainer_and_the_container_install_the_same():
    made = sections(text("envs/apptainer.def"))
    words = dict(recipe())
    assert made[""] == ["Bootstrap: docker", f"From: {words['FROM']}"]
    assert made["arguments"] == [words["ARG"].replace('"', "")]
    assert [line.replace("{{ TORCH }}", "${TORCH}") for line in made["post"]] == [w for c, w in recipe() if c == "RUN"]
    copied = [copied.split() for command, copied in recipe() if command == "COPY"]
    assert [line.split() for line in made["files"]] == [[file, place] for *files, place in copied for file in files]
    assert made["runscript"] == ['exec isobath "$@"']


@pytest.mark.slow
def test_what_the_container_copies_is_enough_to_install_the_package(tmp_path):
    for command, words in recipe():
        if command == "COPY":
            *files, target = words.split()
            place = tmp_path / target.lstrip("/")
            for file in files:
                alone = len(files) == 1 and (ROOT / file).is_dir()
                (copy if alone else put)(ROOT / file, place if alone else place / file)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(tmp_path), "isobath/"], cwd=tmp_path, check=True)
    assert list(tmp_path.glob("isobath-*.whl"))


def put(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(file.read_bytes())


def test_a_reader_of_an_archive_gets_the_versions_of_the_lock(tmp_path):
    (command,) = (line for line in readme.PAGE.splitlines() if line.startswith("grep "))
    for folder in ("envs", ".venv"):
        (tmp_path / folder).mkdir()
    put(ROOT / "envs/lock.txt", tmp_path / "envs/lock.txt")
    subprocess.run(command, shell=True, cwd=tmp_path, check=True)
    lines = (tmp_path / ".venv/versions.txt").read_text(encoding="utf-8").splitlines()
    assert {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)} == RUN
    assert {"numpy", "scipy", "xarray", "zarr", "matplotlib", "annotated-types"} <= {*RUN}


CITATION = yaml.safe_load(text("CITATION.cff"))


def test_the_citation_has_the_version_of_the_package():
    assert CITATION["version"] == isobath.__version__
    assert f"## {isobath.__version__}" in text("CHANGELOG.md")


def test_the_citation_is_valid():
    """The rules are those of the Citation File Format 1.2.0 for the keys that it has."""
    required = {"cff-version", "message", "title", "authors"}
    allowed = {"type", "version", "date-released", "license", "abstract", "keywords", "references", "repository-code"}
    assert required <= {*CITATION} <= required | allowed | {"doi", "url", "identifiers", "repository", "commit"}
    assert (CITATION["cff-version"], CITATION["type"], CITATION["license"]) == ("1.2.0", "software", "MIT")
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", CITATION["date-released"])
    assert all(isinstance(word, str) for word in CITATION["keywords"])
    assert len({*CITATION["keywords"]}) == len(CITATION["keywords"])
    for work in CITATION["references"]:
        assert {"type", "title", "authors"} <= {*work}
        assert work["type"] in ("article", "conference-paper", "blog")
        assert isinstance(work["year"], int)
        assert all({*author} == {"family-names", "given-names"} for author in work["authors"])
        assert work.get("url", "https://").startswith("https://")
        assert re.match(r"10\.\d{4,9}/", work.get("doi", "10.0000/"))


def test_the_citation_names_the_five_works_that_the_studies_reproduce():
    sources = " ".join(text(f"workflow/studies/{name}/study.yaml") for name in studies())
    assert len(studies()) == 5
    assert len(CITATION["references"]) == len(studies()) + 3  # and the three of which the lecture notes tell
    named = [work for work in CITATION["references"] if work["authors"][0]["family-names"] in sources]
    assert {work["title"] for work in CITATION["references"]} - {work["title"] for work in named} == {
        "Theory of Deep Learning: Role of Depth"  # lecture notes, which the study does not name by their author
    }


def studies() -> list[str]:
    return yaml.safe_load(text("config.yaml"))["studies"]


def test_where_it_is_published_is_left_to_fill_in_and_is_then_valid():
    filled = re.sub(r'^# (repository-code: "https://).*$', r'\1example.org/isobath"', text("CITATION.cff"), flags=re.M)
    assert yaml.safe_load(filled)["repository-code"] == "https://example.org/isobath"
    assert "repository-code" not in CITATION


def test_the_catalogue_finds_the_workflow_and_claims_what_has_been_tried():
    usage = yaml.safe_load(text(".snakemake-workflow-catalog.yml"))["usage"]
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert set(usage["software-stack-deployment"].values()) == {False}
    assert usage["mandatory-flags"]["flags"] == "--profile profiles/laptop"
    tables = [
        {tuple(line.split()) for line in run.stdout.splitlines() if re.fullmatch(r"\w+ +\d+", line)}
        for run in (
            snakemake(ROOT, "-nF"),
            snakemake(ROOT, "-nF", "--snakefile", "workflow/Snakefile", "--profile", "profiles/laptop"),
        )
    ]  # all jobs, whatever has been run here
    one, other = ({line for line in table if line[0] not in ("all", "everything")} for table in tables)
    assert one
    assert one == other


@pytest.mark.parametrize(("link", "file"), [("config/config.yaml", "config.yaml"), ("profiles", "workflow/profiles")])
def test_what_snakedeploy_copies_is_what_the_clone_has(link, file):
    assert (ROOT / link).is_symlink()
    assert (ROOT / link).resolve() == (ROOT / file).resolve()
