"""Files of other runs that were copied onto the paths of this one."""

import shutil
from functools import partial
from types import SimpleNamespace

import pytest
import xarray as xr
from click.testing import CliRunner
from house import copy, snakemake

from isobath.disk import store
from isobath.hooks import present_results
from isobath.operations import arguments, verify
from isobath.study.schema import ConfigError
from isobath.workflow import kept_seeds, plan

RESULTS = "results/smoke/small"
SET = f"{RESULTS}/data/local/n30_draw0.zarr.zip"


run = partial(snakemake, study="small")


def test_a_data_set_of_another_seed_in_the_place_of_ours_is_refused(small_built, tmp_path):
    """Once its networks were trained anew on it, and cube, verdict and page had the seed of the run."""
    house, other = copy(small_built, tmp_path / "isobath"), copy(small_built, tmp_path / "other")
    shutil.rmtree(other / "results")
    made = run(other, SET, config=("seed=1",))
    assert made.returncode == 0, made.stderr
    before = {path: path.read_bytes() for path in (house / RESULTS).rglob("*") if path.is_file()}
    shutil.copy(other / SET, house / SET)
    refused = run(house)
    assert refused.returncode != 0
    said = " ".join((refused.stdout + refused.stderr).split())
    assert f"{SET}: it was made from other settings: seed is 1, and 0 is asked for" in said
    after = {path: path.read_bytes() for path in before if path.name != (house / SET).name}
    assert after == {path: content for path, content in before.items() if path in after}
    (house / SET).unlink()
    assert run(house).returncode == 0
    assert {path: path.read_bytes() for path in before} == before


def test_a_whole_run_of_another_seed_is_refused_though_no_job_is_due(small_built, tmp_path):
    """Once Snakemake said that nothing was to be done: its memory was not copied, and all files were there."""
    house = copy(small_built, tmp_path / "isobath")
    assert run(house).returncode == 0
    shutil.rmtree(house / ".snakemake")
    refused = run(house, config=("seed=5",))
    said = " ".join((refused.stdout + refused.stderr).split())
    assert refused.returncode != 0, said
    assert f"{RESULTS}/cubes/depth.zarr.zip: it was made from other settings: seed is 0, and 5 is asked for" in said
    assert "Traceback" not in said
    kept = run(house, "--rerun-triggers", "mtime", config=("seed=5",))
    assert kept.returncode == 0, kept.stderr


def test_a_run_of_another_seed_does_not_replace_the_results_of_the_first(small_built, tmp_path):
    """Once all were overwritten without a word."""
    house = copy(small_built, tmp_path / "isobath")
    before = {path: path.read_bytes() for path in (house / RESULTS).rglob("*") if path.is_file()}
    planned = run(house, "-n", config=("seed=5",))
    assert planned.returncode == 0, planned.stderr
    assert "the run would be refused: results/smoke/small/" in planned.stdout + planned.stderr
    assert "would be refused" not in (same := run(house, "-n")).stdout + same.stderr
    refused = run(house, config=("seed=5",))
    said = " ".join((refused.stdout + refused.stderr).split())
    assert refused.returncode != 0
    assert "has seed 0, and seed is 5: it would be replaced" in said
    assert "snakemake --directory ../seed5" in said
    assert {path: path.read_bytes() for path in before} == before


def test_commands_know_results_of_another_seed_and_rename_none(small_house):
    """Once `make verify` set good results aside: they were of another seed than the config."""
    folder = str(small_house / "results/smoke")
    loaded = arguments.load_run(small_house / "results/smoke", {"studies": ["small"], "seed": 5})
    assert kept_seeds.of_another_seed(loaded, [SET]) == (SET, 0)
    assert kept_seeds.of_another_seed(loaded, ["results/smoke/small/none.zarr.zip"]) is None
    settings = ["--config", "seed=5", "--config", "studies=[small]"]
    verified = CliRunner().invoke(verify.command, [folder, "--set-aside", *settings])
    assert verified.exit_code
    assert (small_house / SET).is_file()


def test_results_of_other_code_are_refused(small_house):
    """Once they were taken as they are, and results made from them bore the code of the run."""
    loaded = arguments.load_run(small_house / "results/smoke", {"studies": ["small"]})
    jobs = [(job.rule, job.names) for job in plan.jobs(loaded)]
    present_results.require_own(loaded, jobs)
    path = small_house / SET
    data = store.read(path)
    was = data.attrs["code"]
    store.write(data.assign_attrs(code="0123456789abcdef"), path)
    with pytest.raises(ConfigError) as refusal:
        present_results.require_own(loaded, jobs)
    words = f"{path}: it was made by other code: 0123456789abcdef, and {was} is asked for; it seems to have been copied"
    assert str(refusal.value).startswith(words)


def test_a_result_of_other_results_of_equal_settings_is_refused(small_house):
    """Results of another seed have the settings of this one where their kind has no seed."""
    loaded = arguments.load_run(small_house / "results/smoke", {"studies": ["small"]})
    jobs = [(job.rule, job.names) for job in plan.jobs(loaded)]
    rule, names = next(job for job in jobs if job[0] == "networks")
    path = small_house / plan.job(loaded, rule, names).outputs[0]
    networks = store.read(path)
    store.write(networks.assign_attrs(inputs="of another seed"), path)
    with pytest.raises(ConfigError, match=r"it was made from other content of .* or of \d+ others"):
        present_results.require_own(loaded, [(rule, names)])


def test_fifty_results_without_a_seed_hide_none_of_another(monkeypatch, tmp_path):
    """Once only the first fifty results were looked at, most of which may have none."""
    seeds = {f"results/{i:03}.zarr.zip": None if i < 60 else 1 for i in range(61)}
    for path in seeds:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).touch()
    monkeypatch.setattr(kept_seeds, "_seed", lambda path: seeds[str(path.relative_to(tmp_path))])
    loaded = SimpleNamespace(home=tmp_path, config=SimpleNamespace(seed=0))
    assert kept_seeds.of_another_seed(loaded, seeds).seed == 1


def test_a_data_file_that_was_replaced_by_an_older_one_is_noticed(tmp_path, monkeypatch):
    """Once a cube had cells of both contents: Snakemake looks at a file only if its date is newer."""
    path, file = tmp_path / "results/n.zarr.zip", tmp_path / "table.csv"
    file.write_text("1\n", encoding="utf-8")
    made = xr.Dataset({"x": 1.0}, attrs={"inputs": store.inputs([file])})
    store.write(made, path)
    job = plan.Job("training_sets", {}, (str(file),), ("results/n.zarr.zip",))
    monkeypatch.setattr(plan, "job", lambda *_: job)
    monkeypatch.setattr(present_results, "_otherwise", lambda *_: "")
    monkeypatch.setattr(plan.Job, "spec", lambda *_: {})
    loaded = SimpleNamespace(home=tmp_path)
    present_results.require_own(loaded, [("training_sets", {})])
    file.write_text("2\n", encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"it was made from other content of \S+table.csv, of which the date is older"
    ):
        present_results.require_own(loaded, [("training_sets", {})])
