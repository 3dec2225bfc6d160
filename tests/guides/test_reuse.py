"""The workflow in other workflows: as a module from a folder and from git, with other names, and by snakedeploy."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from house import ROOT, SNAKEDEPLOY, fresh
from own_folders import own

pytestmark = pytest.mark.runs

BIN = Path(sys.executable).parent
GIT = ["git", "-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "init.defaultBranch=main"]
MODULE = """\
configfile: "config/config.yaml"


module isobath:
    snakefile:
        {snakefile}
    config:
        {config}


use rule * from isobath{names}
"""
HANDLERS = """

onstart:
    isobath.onstart()


onerror:
    isobath.onerror()
"""
COPY = """

rule copy:
    default_target: True # else that of isobath, whose rules come first
    input:
        "results/smoke/index.html",
    output:
        "copy.html",
    shell:
        "cp {input} {output}"
"""
JOBS = {"test_sets": 1, "training_sets": 1, "networks": 2, "cubes": 1, "verdicts": 1, "page": 1}
LOCAL = {"cubes", "download", "figures", "page", "split_test_sets", "test_sets", "training_sets", "verdicts"}


def scratch(place: Path, *, snakefile: str, config: str = "config", names: str = "", end: str = "") -> Path:
    """Make a folder of a user's own, with a study, a config and a workflow that has isobath as a module."""
    (own(place) / "config.yaml").unlink()
    for folder in ("config", "workflow"):
        (place / folder).mkdir()
    asked = "{scale: smoke, studies: [waves], limits: {hours: 5}}"
    text = asked if config == "config" else f"threshold: 3\nisobath: {asked}"
    (place / "config/config.yaml").write_text(f"{text}\n", encoding="utf-8")
    text = MODULE.format(snakefile=snakefile, config=config, names=names) + end
    (place / "workflow/Snakefile").write_text(text, encoding="utf-8")
    return place


def run(place: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, as one does who has the environment of isobath and no clone."""
    inherited = {key: value for key, value in os.environ.items() if key not in ("ISOBATH_OWN", "PYTHONPATH")}
    path = os.pathsep.join([str(BIN), os.environ["PATH"]])
    whole = inherited | {"PATH": path, "PYTHONWARNINGS": "ignore", "XDG_CACHE_HOME": str(place / "cache")} | more
    return subprocess.run(words, cwd=place, env=whole, capture_output=True, text=True, check=False)


def snakemake(place: Path, *words: str, **more: str) -> str:
    """Run Snakemake, and return its output."""
    done = run(place, "snakemake", "--cores", "2", *words, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def jobs(said: str) -> dict[str, int]:
    """Return the table of jobs that a run prints."""
    table = re.findall(r"^(\w+) +(\d+)$", said, flags=re.MULTILINE)
    return {rule: int(count) for rule, count in table if not re.search("total|everything|all$", rule)}


def commit(folder: Path) -> Path:
    """Make a git repository of a folder, with the tag v0."""
    for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "all"], ["tag", "v0"]):
        subprocess.run([*GIT, *words], cwd=folder, check=True)
    return folder


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a git repository of the present files."""
    return commit(fresh(tmp_path_factory.mktemp("repository")))


@pytest.fixture(scope="module")
def hub(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment in which git finds a copy of the repository where it looks for it on GitHub."""
    place = tmp_path_factory.mktemp("hub")
    copying = ["clone", "--quiet", "--bare", str(repository), str(place / "someone/isobath.git")]
    subprocess.run([*GIT, *copying], check=True)
    name, value = f"url.file://{place}/.insteadOf", "https://github.com/"
    return {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": name, "GIT_CONFIG_VALUE_0": value}


def here(file: str = "workflow/Snakefile") -> str:
    return f'"{ROOT / file}"'


@pytest.mark.parametrize("file", ["Snakefile", "workflow/Snakefile"])
def test_a_module_from_a_folder_takes_the_config_and_the_study_of_the_one_who_uses_it(tmp_path, file):
    assert jobs(snakemake(scratch(tmp_path, snakefile=here(file)), "-n")) == JOBS


def test_a_module_can_have_other_names_and_a_part_of_the_config(tmp_path):
    place = scratch(tmp_path, snakefile=here(), config='config["isobath"]', names=" as isobath_*", end=HANDLERS)
    said = snakemake(place, "-n", "--quiet", "host")
    assert jobs(said) == {f"isobath_{rule}": count for rule, count in JOBS.items()}
    assert "localrules directive" not in said


def test_rules_of_seconds_say_themselves_that_they_are_local():
    """A list of names (``localrules:``) would be lost under other names."""
    rules = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "workflow/rules").glob("*.smk"))
    assert {*re.findall(r"^rule (\w+):\n(?:^ .*\n|^\n)*?^    localrule: True$", rules, flags=re.MULTILINE)} == LOCAL
    assert "localrules" not in rules


def test_a_module_refuses_what_is_not_its_config(tmp_path):
    place = scratch(tmp_path, snakefile=here(), config='{**config["isobath"], "scael": 1}')
    done = run(place, "snakemake", "--cores", "1", "-n")
    place = scratch(tmp_path / "less", snakefile=here(), config='{"scale": "smoke"}')
    less = run(place, "snakemake", "--cores", "1", "-n")
    assert done.returncode == less.returncode == 1
    assert "config of the module: unknown key 'scael'; did you mean 'scale'" in done.stdout + done.stderr
    assert "config of the module: studies is missing" in less.stdout + less.stderr


def test_a_module_refuses_a_prefix_that_its_jobs_do_not_know(tmp_path):
    place = scratch(tmp_path, snakefile=f'{here()}\n    prefix:\n        "depth"')
    done = run(place, "snakemake", "--cores", "1", "-n")
    assert done.returncode == 1
    assert "its results are in results/<scale>: leave it out" in done.stdout + done.stderr


def test_the_guide_shows_what_is_tested():
    guide = (ROOT / "docs/reuse.md").read_text(encoding="utf-8")
    hosted = 'github("someone/isobath", path="workflow/Snakefile", tag="v0.1.0")'
    whole = MODULE.format(snakefile=hosted, config='config["isobath"]', names=" as isobath_*") + HANDLERS + COPY
    assert f"```python\n{whole}```" in guide


def test_a_module_from_a_git_repository_has_the_files_of_the_commit_that_is_asked_for(repository, tmp_path):
    snakefile = f'gitfile("{repository}", path="workflow/Snakefile", tag="v0")'
    place = scratch(tmp_path, snakefile=snakefile)
    study = repository / "workflow/studies/kernels/study.yaml"
    text = study.read_text(encoding="utf-8")
    study.write_text("no study", encoding="utf-8")  # not committed
    try:
        asked = ("--config", "studies=[kernels]")
        assert jobs(snakemake(place, "-n", *asked))["kernels"] > 1
    finally:
        study.write_text(text, encoding="utf-8")
    (checkout,) = (path for path in (place / ".snakemake/isobath").iterdir() if path.is_dir())
    head = subprocess.run([*GIT, "rev-parse", "v0"], cwd=repository, capture_output=True, text=True, check=True)
    assert checkout.name == head.stdout.strip()


def test_a_module_from_a_host_of_git_repositories_is_planned(hub, tmp_path):
    place = scratch(tmp_path, snakefile='github("someone/isobath", path="workflow/Snakefile", branch="main")')
    assert jobs(snakemake(place, "-n", **hub)) == JOBS


@pytest.mark.slow
def test_a_module_with_other_names_runs_and_its_limits_hold(tmp_path):
    place = scratch(tmp_path, snakefile=here(), config='config["isobath"]', names=" as isobath_*", end=HANDLERS + COPY)
    settings = place / "config/config.yaml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("hours: 5", "hours: 1.0e-9"), encoding="utf-8")
    refused = run(place, "snakemake", "--cores", "2", "copy.html")
    assert refused.returncode == 1
    assert "limits.hours" in refused.stdout + refused.stderr
    settings.write_text(text, encoding="utf-8")
    snakemake(place)
    assert (place / "copy.html").read_bytes() == (place / "results/smoke/index.html").read_bytes()
    assert "Nothing to be done" in snakemake(place, "-n", "copy.html")


@pytest.mark.slow
def test_a_module_from_a_git_repository_runs_the_code_of_its_commit(repository, tmp_path):
    place = scratch(tmp_path, snakefile=f'gitfile("{repository}", path="workflow/Snakefile", tag="v0")')
    mlp = repository / "src/isobath/networks/mlp.py"
    text = mlp.read_text(encoding="utf-8")
    mlp.write_text("raise RuntimeError('not of the commit')\n", encoding="utf-8")
    try:
        snakemake(place)
    finally:
        mlp.write_text(text, encoding="utf-8")
    assert (place / "results/smoke/waves/verdicts.json").is_file()


@pytest.mark.slow
@pytest.mark.skipif(not Path(SNAKEDEPLOY).exists(), reason="snakedeploy is not installed")
def test_a_workflow_that_snakedeploy_has_deployed_runs_and_is_verified(hub, tmp_path):
    place = tmp_path / "deployed"
    done = run(
        tmp_path,
        SNAKEDEPLOY,
        "deploy-workflow",
        "https://github.com/someone/isobath",
        str(place),
        "--tag",
        "v0",
        **hub,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        'github("someone/isobath", path="workflow/Snakefile", tag="v0")' in (place / "workflow/Snakefile").read_text()
    )
    profile = ("--profile", "profiles/laptop", "--cores", "2")
    said = snakemake(place, *profile, "-n", "--config", "scale=smoke", "studies=[kernels]", **hub)
    assert jobs(said)["verdicts"] == 1
    (own(place) / "config.yaml").unlink()
    settings = place / "config/config.yaml"
    text = settings.read_text(encoding="utf-8")
    text = re.sub(r"^scale: .*$", "scale: smoke", text, flags=re.MULTILINE)
    settings.write_text(re.sub(r"^studies: .*$", "studies: [waves]", text, flags=re.MULTILINE), encoding="utf-8")
    snakemake(place, *profile, **hub)
    (checkout,) = (path for path in (place / ".snakemake/isobath").iterdir() if path.is_dir())
    for command in ("summary", "status", "verify", "archive"):
        done = run(place, sys.executable, "-m", "isobath", command, "results/smoke", PYTHONPATH=str(checkout / "src"))
        assert done.returncode == 0, done.stdout + done.stderr
