"""Folders of a run: behind links, with an odd name, apart from the workflow."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from house import SNAKEMAKE, copy, snakemake

from isobath import __main__ as commands
from isobath.study.loading import config_of, require_writable
from isobath.study.schema import ConfigError
from isobath.workflow import environment


@pytest.mark.parametrize("letter", [":", "{", "}", "\n", "\x1b"])
def test_a_folder_whose_name_means_something_to_others_is_refused(letter):
    with pytest.raises(ConfigError, match="move or rename the folder") as refused:
        environment.require_plain(Path("/plain"), Path(f"/a{letter}b/isobath"))
    assert "\n" not in str(refused.value)


def test_a_folder_of_data_with_a_brace_is_refused(tmp_path):
    """Once it ended in a WildcardError of Snakemake's."""
    folder = tmp_path / "d{y}"
    folder.mkdir()
    with pytest.raises(ConfigError, match=r"data is '.*d\{y\}', with a brace.*rename the folder"):
        config_of({"scale": "smoke", "studies": ["locality"], "data": str(folder)}, "config.yaml")


def test_other_names_are_not_refused():
    environment.require_plain(Path("/with spaces, umlauts ä and #, 'quotes' & $HOME/isobath"))


@pytest.mark.parametrize("name", ["col:on", "dr{y}", "new\nline"])
def test_a_workflow_in_such_a_folder_does_not_start(small_built, tmp_path, name):
    house = copy(small_built, tmp_path / name)
    refused = snakemake(house, "-n", study="small")
    said = refused.stdout + refused.stderr
    assert refused.returncode != 0
    assert "move or rename the folder" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("command", ["verify", "status", "summary", "timings", "archive"])
def test_results_behind_a_link_are_those_of_the_run(small_house, tmp_path, command):
    disk = tmp_path / "disk"
    shutil.move(small_house / "results", disk)
    (small_house / "results").symlink_to(disk)
    words = [] if command in ("summary", "timings") else ["--config", "studies=[small]"]
    done = CliRunner().invoke(commands.main, [command, str(small_house / "results/smoke"), *words])
    assert (done.exit_code, done.stderr) == (0, "")


def test_results_apart_from_the_workflow_are_verified_with_it(small_house, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for made in ("results", "logs"):
        shutil.move(small_house / made, elsewhere / made)
    for command in ("verify", "status", "archive"):
        words = [command, str(elsewhere / "results/smoke"), "--config", "studies=[small]"]
        alone = CliRunner().invoke(commands.main, words)
        assert alone.exit_code == 1
        assert f"there is no {elsewhere}/config.yaml; name its folder by --workflow" in alone.stderr
        done = CliRunner().invoke(commands.main, [*words, "--workflow", str(small_house)])
        assert (done.exit_code, done.stderr) == (0, "")


def test_a_folder_that_is_no_link_s_end_is_refused_before_any_job(small_built, tmp_path):
    (tmp_path / "results").symlink_to(tmp_path / "unmounted")
    with pytest.raises(ConfigError, match=r"is a link to .*unmounted, which does not exist; make it"):
        require_writable(tmp_path / "results")
    house = copy(small_built, tmp_path / "isobath")
    shutil.rmtree(house / "results")
    (house / "results").symlink_to("unmounted")
    refused = snakemake(house, "-n", study="small")
    assert refused.returncode != 0
    assert "is a link to unmounted, which does not exist" in refused.stdout + refused.stderr


@pytest.mark.parametrize("name", ["checkpoints", "logs"])
def test_a_file_in_the_place_of_a_folder_is_refused_before_any_job(small_built, tmp_path, name):
    """Once the first job that wrote into it failed, perhaps after hours."""
    house = copy(small_built, tmp_path / "isobath")
    shutil.rmtree(house / name, ignore_errors=True)
    (house / name).write_text("", encoding="utf-8")
    refused = snakemake(house, "-n", study="small")
    assert refused.returncode != 0
    said = " ".join((refused.stdout + refused.stderr).split())
    assert f"{name}: {house / name} is not a folder, and nothing can be written there; rename it" in said


@pytest.mark.parametrize("folder", ["/", "seed1/smoke"])
def test_results_that_were_moved_are_those_of_no_run(folder):
    """Once the status of seed1/smoke was that of results/smoke beside it, which was another run."""
    for command in ("verify", "status", "timings", "archive"):
        done = CliRunner().invoke(commands.main, [command, folder])
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr.startswith(f"Error: {folder}: it must be results/<scale>")


@pytest.mark.parametrize("setting", ["a=[1", "seed=!!python/object/apply:os.system [echo]", "=1", "a"])
def test_a_setting_that_is_no_yaml_is_refused(setting):
    done = CliRunner().invoke(commands.main, ["verify", "results/smoke", "--config", setting])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "Invalid value for '--config'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_private_run_stays_private(small_built, tmp_path):
    """Under umask 077 nobody else reads what is made."""
    house = copy(small_built, tmp_path / "isobath")
    for path in (house / "results/smoke/small/figures").iterdir():
        path.unlink()
    command = [*SNAKEMAKE, "--config", "scale=smoke", "studies=[small]"]
    run = subprocess.run(command, cwd=house, umask=0o077, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    made = list((house / "results/smoke/small/figures").iterdir())
    assert made
    assert {path.stat().st_mode & 0o077 for path in made} == {0}
    assert os.access(made[0], os.R_OK)
