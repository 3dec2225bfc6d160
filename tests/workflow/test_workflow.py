"""The workflow end to end at its smallest scale: jobs that run, run again after an edit, or do not."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from house import SNAKEMAKE, copy, edit, edit_smoke, edited, fresh, jobs, snakemake

import isobath
from isobath.study.run import canonical
from isobath.workflow import plan

NETWORKS = "src/isobath/networks/mlp.py"
STUDY, SMOKE = (f"workflow/studies/locality/{name}.yaml" for name in ("study", "smoke"))
BLOCK = "width: [10]\n      n_train: [60]\n      seeds: 4"  # of the samples grid, at scale smoke


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a copy of the repository in which the smallest scale has been run."""
    house = fresh(tmp_path_factory.mktemp("house"))
    run = snakemake(house)
    assert run.returncode == 0, run.stderr
    return house


@pytest.fixture
def house(built: Path, tmp_path: Path) -> Iterator[Path]:
    """Make a fresh copy of the built house, to be edited."""
    yield copy(built, tmp_path / "isobath")
    shutil.rmtree(tmp_path / "isobath")


def test_everything_is_made_and_readable(built):
    tree = isobath.open_results(built / "results/smoke")
    networks = tree["locality/samples"].sel(depth=7, width=10)["networks"]
    assert set(networks.test_error.dims) == {"task", "protocol", "n_train", "draw", "seed"}
    assert (networks.status.isin(["fitted", "unfitted", "diverged"])).all()
    assert not tree["locality/samples/networks"].test_error.isnull().all()
    for suffix in ("pdf", "svg", "png"):
        assert (built / f"results/smoke/locality/figures/figure2.{suffix}").stat().st_size > 1000
    assert not list((built / "results").rglob("*.partial"))


def test_the_verdicts_are_printed(built):
    run = subprocess.run(
        [sys.executable, "-m", "isobath", "summary", "results/smoke"],
        cwd=built,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "k-local, k >= 2: L = 7 beats L = 1" in run.stdout
    assert "figures/figure2.pdf" in run.stdout


def test_the_expenses_are_printed(built):
    run = subprocess.run(
        [sys.executable, "-m", "isobath", "timings", "results/smoke"],
        cwd=built,
        capture_output=True,
        text=True,
        check=True,
    )
    rows = {line.split()[0]: line.split()[1:] for line in run.stdout.splitlines()[1:]}
    assert set(rows) == {
        "data",
        "kernels",
        "learning_rates",
        "networks",
        "cubes",
        "figures",
        "verdicts",
        "index",
        "all",
    }
    assert int(rows["networks"][0]) == 14
    assert (
        int(rows["networks"][6]) == 4 * 4 + 2 + 2 * 2 + 4 * 2 + 4 * 2
    )  # seeds of samples, equal_dimension, two rates, terms, variance
    assert sum(int(row[2].removesuffix("%")) for rule, row in rows.items() if rule != "all") in range(96, 105)


def test_a_second_run_does_nothing(built):
    assert jobs(built) == {}


def test_touching_and_restating_does_nothing(house):
    for path in house.rglob("*"):
        if path.is_file() and ".snakemake" not in path.parts:
            path.touch()
    edit(house, NETWORKS, "R of them as one stack", "many of them as one stack")  # a docstring
    edit(house, "src/isobath/training/fit.py", "    if p.epoch == 0:", "    # a comment\n    if p.epoch == 0:")
    edit(house, STUDY, "{kind: k_local, k: 2, dimension: 500}", "{dimension: 500, k: 2, kind: k_local}")
    edit(house, STUDY, "{kind: ntk, beta: 0.1}", "{kind: ntk, beta: 1.0e-1, input_variance: 1} # as printed")
    edit(house, "config.yaml", "seeds_per_job: 10", "seeds_per_job: 3")
    assert jobs(house) == {}


@pytest.mark.runs
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(
            BLOCK,
            BLOCK.replace("[10]", "[10, 20]"),
            {"learning_rates": 4, "networks": 4, "cubes": 1, "figures": 1, "verdicts": 1, "page": 1},
            id="a width",
        ),
        pytest.param(
            BLOCK,
            BLOCK.replace("[60]", "[60, 80]"),
            {
                "training_sets": 2,
                "learning_rates": 4,
                "networks": 4,
                "kernels": 2,
                "cubes": 1,
                "figures": 1,
                "verdicts": 1,
                "page": 1,
            },
            id="an N",
        ),
        pytest.param(
            BLOCK,
            BLOCK.replace("seeds: 4", "seeds: 9"),
            {"networks": 4, "cubes": 1, "figures": 1, "verdicts": 1, "page": 1},
            id="five seeds",
        ),
        pytest.param(
            BLOCK,
            BLOCK.replace("seeds: 4", "seeds: 3"),
            {"cubes": 1, "figures": 1, "verdicts": 1, "page": 1},
            id="a seed less",
        ),
        pytest.param(
            "learning_rate: [0.1, 0.5]",
            "learning_rate: [0.1, 0.7]",
            {"networks": 1, "cubes": 1, "figures": 1, "verdicts": 1, "page": 1},
            id="a rate of a sweep",
        ),
        pytest.param("2-global: {dimension: 6}", "2-global: {dimension: 8}", None, id="a task"),
    ],
)
def test_an_edit_of_the_study_runs_what_depends_on_it(built, old, new, expected):
    with edited(built, SMOKE, old, new):
        found = jobs(built)
    if expected is None:  # everything of that task, nothing of the others
        expected = {"training_sets": 1, "test_sets": 1, "learning_rates": 2, "networks": 3, "kernels": 2}
        expected |= {"cubes": 4, "figures": 4, "verdicts": 1, "page": 1}
    assert found == expected


@pytest.mark.runs
@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        pytest.param(
            "src/isobath/figures/bias_dependence.py",
            "bias strength β",
            "strength of the bias",
            {"figures": 1, "page": 1},
            id="a figure",
        ),
        pytest.param(
            "src/isobath/claims/locality/thresholds.py",
            "FAILS = 0.40",
            "FAILS = 0.41",
            {"verdicts": 1, "page": 1},
            id="a claim",
        ),
        pytest.param(
            "src/isobath/kernels/nngp.py",
            "if level in depth:",
            "if level in tuple(depth):",
            {"kernels": 2, "cubes": 1, "figures": 1, "verdicts": 1, "page": 1},
            id="a kernel",
        ),
        pytest.param(
            "src/isobath/training/fit.py",
            "p.epoch == stopping.max_epochs",
            "stopping.max_epochs == p.epoch",
            {"learning_rates": 13, "networks": 14, "cubes": 6, "figures": 6, "verdicts": 1, "page": 1},
            id="the training",
        ),
        pytest.param(
            "src/isobath/training/search.py",
            "math.ceil(len(arrived) / 2)",
            "math.ceil(len(arrived) / 3)",
            {"learning_rates": 13, "networks": 13, "cubes": 5, "figures": 5, "verdicts": 1, "page": 1},
            id="the search",
        ),
        pytest.param("src/isobath/disk/store.py", "level=3", "level=4", {}, id="glue"),
    ],
)
def test_an_edit_of_the_code_runs_what_depends_on_it(built, file, old, new, expected):
    with edited(built, file, old, new):
        assert jobs(built) == expected


@pytest.mark.slow
def test_more_seeds_train_the_new_ones_alone_and_agree_with_all_at_once(house, tmp_path):
    edit_smoke(house, BLOCK, BLOCK.replace("seeds: 4", "seeds: 6"))
    assert snakemake(house).returncode == 0
    grown = isobath.open_results(house / "results/smoke")["locality/samples/networks"]
    shutil.rmtree(house / "results")
    assert snakemake(house, "results/smoke/locality/cubes/samples.zarr.zip").returncode == 0
    fresh = isobath.open_results(house / "results/smoke")["locality/samples/networks"]
    assert grown.attrs.pop("inputs") != fresh.attrs.pop("inputs")  # two blocks of seeds against one
    assert grown.identical(fresh)


@pytest.mark.slow
def test_the_label_rule_of_the_guide(house):
    """It takes one file, one line under tasks, and its name where it is to be run."""
    guide = (house / "docs/adding.md").read_text(encoding="utf-8")
    code = re.search(r"`src/isobath/tasks/majority.py`:\n\n```python\n(.*?)```", guide, flags=re.DOTALL)[1]
    (house / "src/isobath/tasks/majority.py").write_text(code, encoding="utf-8")
    line = re.search(r"^  majority: .*$", guide, flags=re.MULTILINE)[0]
    edit_smoke(house, "tasks:\n", f"tasks:\n{line}\n")
    edit_smoke(house, "- tasks: [2-local, 2-global]", "- tasks: [2-local, 2-global, majority]")
    expected = {"training_sets": 1, "test_sets": 1, "learning_rates": 2, "networks": 2, "kernels": 1}
    assert jobs(house) == expected | {"cubes": 1, "figures": 1, "verdicts": 1, "page": 1}
    assert snakemake(house).returncode == 0
    cube = isobath.open_results(house / "results/smoke")["locality/samples/networks"]
    assert "majority" in cube.task


@pytest.mark.runs
def test_a_damaged_result_is_named_and_rebuilt(house):
    cube, place = "results/smoke/locality/cubes/samples.zarr.zip", "2-global/sgd/depth1_width10_n60_draw0_seeds0-3"
    victim = house / f"results/smoke/locality/networks/{place}.zarr.zip"
    intact = victim.read_bytes()
    victim.write_bytes(intact[:100] + bytes([intact[100] ^ 1]) + intact[101:])
    run = snakemake(house, cube, "--forcerun", "cubes")
    assert run.returncode != 0
    assert str(victim.relative_to(house)) in run.stdout + run.stderr
    assert "the next run rebuilds it" in run.stdout + run.stderr
    assert victim.with_name(victim.name + ".damaged").exists()
    assert not victim.exists()
    assert snakemake(house, cube).returncode == 0
    assert victim.read_bytes() == intact


@pytest.mark.slow
def test_two_runs_in_two_places_give_the_same_bytes(built, tmp_path):
    other = copy(built, tmp_path / "with spaces, umlauts ä and #")
    for made in ("results", "logs", ".snakemake"):
        shutil.rmtree(other / made)
    assert snakemake(other).returncode == 0
    files = sorted(p.relative_to(built) for p in (built / "results").rglob("*") if p.is_file())
    assert files == sorted(p.relative_to(other) for p in (other / "results").rglob("*") if p.is_file())
    assert [f for f in files if (built / f).read_bytes() != (other / f).read_bytes()] == []


SLOW = [pytest.param(scale, marks=pytest.mark.slow) for scale in ("demo", "laptop", "paper")]


@pytest.mark.parametrize("scale", ["smoke", *SLOW])
def test_a_dry_run_of_every_scale_needs_no_torch(built, scale, tmp_path):
    # A torch that fails to import stands before the real one.
    (tmp_path / "torch.py").write_text("raise ImportError('torch is not needed here')\n", encoding="utf-8")
    run = subprocess.run(
        [*SNAKEMAKE, "-n", "--config", f"scale={scale}"],
        cwd=built,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "networks" in run.stdout + run.stderr


def test_the_plan_is_what_snakemake_runs(built):
    """Specs, code, inputs and outputs of every job, as Snakemake has recorded them, are those of the plan."""
    run = replace(plan.load(built, {"scale": "smoke", "studies": ["locality"]}), home=built)
    planned = list(plan.jobs(run))
    for job in planned:
        spec = job.spec(run)
        for output in job.outputs:
            name = base64.b64encode(output.encode()).decode()
            recorded = json.loads((built / ".snakemake/metadata" / name).read_text(encoding="utf-8"))
            assert recorded["rule"] == job.rule
            assert set(recorded["input"]) == set(job.inputs), output
            assert {repr(canonical(spec)), repr(plan.code(job.rule, spec))} <= set(recorded["params"])
            assert recorded["log"] == [job.log]
    made = {str(p.relative_to(built)) for p in (built / "results").rglob("*") if p.is_file()}
    assert made == {output for job in planned for output in job.outputs}
