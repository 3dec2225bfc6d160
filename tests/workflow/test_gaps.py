"""A cell that fails stops no other; cubes have it as a gap, figures name it, and the next run closes it."""

import re
import subprocess
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from house import SNAKEMAKE, copy, edit, jobs, snakemake
from locality_cubes import block
from small import small

from isobath.analysis import cubes
from isobath.analysis.over_networks import over_networks
from isobath.disk import store
from isobath.hooks import partial
from isobath.operations import arguments, verify
from isobath.plotting import axes, legends
from isobath.plotting.curves import draw_network_curve
from isobath.results.networks import GROUPS
from isobath.statuses import FAILED, MISSING

RESULTS = "results/smoke/small"
CELL = "networks/local/sgd/depth2_width6_n30_draw0_seeds0-1"
MADE = [
    *(f"{RESULTS}/{path}" for path in ("cubes/depth.zarr.zip", "figures/depth.json", "figures/depth.pdf")),
    *(f"{RESULTS}/{path}" for path in ("figures/depth.svg", "figures/depth.png", "verdicts.json")),
    "results/smoke/index.html",
]
SHOWN = {"cubes": 1, "figures": 1, "verdicts": 1, "page": 1}
LINE = re.compile(r"^\d\d:\d\d:\d\d  (\d+)/13  (\w+) small .*: \d+ s(; .+ to go)?$", flags=re.MULTILINE)
DEPTHS = "protocols: [sgd], depth: [1, 2, 3]"


def networks(depth: int, *, seeds: int = 2) -> xr.Dataset:
    cell = {"task": "local", "protocol": "sgd", "depth": depth, "width": 6, "n_train": 30, "draw": 0}
    status, error = np.array(["fitted"] * seeds, dtype=object), np.full(seeds, 0.1 * depth)
    return xr.Dataset({"status": ("seed", status), "test_error": ("seed", error)}, {"seed": range(seeds), **cell})


def with_a_gap() -> xr.Dataset:
    """Make depths 1 and 3 of 1, 2 and 3; the second network of depth 3 was not asked for."""
    cube = cubes.gather([networks(1), networks(3, seeds=1)], [*GROUPS["networks"]])
    cell = {"task": "local", "protocol": "sgd", "width": 6, "n_train": 30, "draw": 0}
    return cubes.with_gaps(cube, [{**cell, "depth": d, "seed": range(n)} for d, n in ((1, 2), (2, 2), (3, 1))])


def test_a_cell_that_failed_has_its_place_and_is_not_one_that_nobody_asked_for():
    cube = with_a_gap().squeeze(["task", "protocol", "width", "n_train", "draw"])
    assert cube.depth.values.tolist() == [1, 2, 3]
    statuses = [["fitted", "fitted"], ["failed", "failed"], ["fitted", "missing"]]
    assert cube.status.transpose("depth", "seed").values.tolist() == statuses
    np.testing.assert_allclose(cube.test_error, [[0.1, 0.1], [np.nan, np.nan], [0.3, np.nan]])
    assert cubes.failures(xr.DataTree.from_dict({"networks": with_a_gap()})) == "2 networks of 1 cell failed"


def test_a_rate_that_another_protocol_alone_has_is_no_failure():
    """A cube has two protocols with rates of their own, and another cell, which failed at all of its rates."""

    def at(protocol, rates):
        return networks(1).assign_coords(protocol=protocol).expand_dims(learning_rate=rates)

    cube = cubes.gather([at("two", [0.1, 1.0]), at("one", [0.1])], [*GROUPS["networks"]])
    cell = {"task": "local", "depth": 1, "width": 6, "n_train": 30, "draw": 0, "seed": range(2)}
    cube = cubes.with_gaps(cube, [{**cell, "protocol": protocol} for protocol in ("one", "two", "lost")])
    status = cube.squeeze(["task", "depth", "width", "n_train", "draw"]).status.isel(seed=0)
    by_rate = {name: status.sel(protocol=name).values.tolist() for name in ("one", "two", "lost")}
    assert by_rate == {"one": ["fitted", "missing"], "two": ["fitted"] * 2, "lost": ["failed"] * 2}


@pytest.mark.parametrize(("lost", "line"), [(FAILED, [0.1, np.nan, 0.3]), (MISSING, [0.1, 0.3])])
def test_a_curve_has_a_gap_where_a_cell_failed_and_none_where_it_was_not_asked_for(lost, line):
    cube = with_a_gap()
    cube = cube.assign(status=cube.status.where(cube.status != FAILED, lost))
    summary = over_networks(cube).squeeze()
    figure, axis = plt.subplots()
    draw_network_curve(axis, summary, along="depth", color="black", marker="o", label="")
    np.testing.assert_allclose(axis.containers[0][0].get_ydata().astype(float), line)
    plt.close(figure)


@pytest.mark.parametrize("small_print", ["", legends.bars()])
def test_a_figure_says_what_failed_below_what_it_says_already(small_print):
    figure, _ = axes.panels(["one"])
    if small_print:
        legends.explain(figure, small_print)
    legends.add_remark(figure, "2 networks of 1 cell failed")
    said = figure.get_suptitle().replace("\n", " ")
    assert said == f"{small_print}{' · ' if small_print else ''}2 networks of 1 cell failed"
    plt.close(figure)


@pytest.fixture(scope="module")
def failed(tmp_path_factory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Make a house in which the networks of depth 2 have failed, and return it with the output of the run."""
    house = small(tmp_path_factory.mktemp("failed"), unbearable="2")
    return house, snakemake(house, study="small")


@pytest.fixture
def house(failed, tmp_path, monkeypatch) -> Path:
    house = copy(failed[0], tmp_path / "isobath")
    monkeypatch.setattr("isobath.plugins.PACKAGE", house / "src/isobath")
    return house


def faults(house: Path):
    return verify.faults(arguments.load_run(house / "results/smoke", {"studies": ["small"]}))


def test_a_run_with_a_failure_says_all_of_it_in_plain_lines(failed):
    _, done = failed
    assert done.returncode != 0
    assert "\033" not in done.stderr
    found = LINE.findall(done.stderr)
    assert [int(number) for number, _, _ in found] == list(range(1, 8))
    assert sorted(rule for _, rule, _ in found) == sorted(
        ["test_sets", "training_sets", "kernels", *["networks", "ensembles"] * 2]
    )
    log = "logs/smoke/small/networks/local/sgd/depth2_width6_n30_draw0_seeds0-1.log"
    assert f"RuntimeError: depth 2 is more than it bears; log: {log}\n" in done.stderr
    assert "Select jobs" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("7 of 13 jobs finished in ")
    assert last.endswith("; 1 failed; open results/smoke/index.html")


def test_a_plan_and_a_wrong_target_are_said_in_the_words_of_snakemake(house):
    (house / "unbearable").write_text("")
    planned = snakemake(house, "-n", study="small")
    assert "This was a dry-run" in planned.stdout
    assert not LINE.search(planned.stdout + planned.stderr)
    absent = subprocess.run(
        [*SNAKEMAKE, "nothing", "--config", "scale=smoke", "studies=[small]"],
        cwd=house,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "MissingRuleException" in absent.stderr


def test_the_others_are_made_and_the_run_ends_with_a_table_of_what_failed(failed):
    house, run = failed
    assert run.returncode != 0
    reason = f"\n1 failed:\n{RESULTS}/{CELL}.zarr.zip\n    RuntimeError: depth 2 is more than it bears\n"
    assert f"{reason}    logs/smoke/small/{CELL}.log\n" in run.stderr
    assert re.findall("^made with gaps: (.*)$", run.stderr, flags=re.MULTILINE) == MADE
    assert len(list((house / RESULTS).rglob("*.zarr.zip"))) == 2 + 2 + 2 + 1 + 1


def test_the_cube_has_a_gap_and_says_so(house):
    tree = store.read_tree(house / MADE[0])
    status = tree["networks"].status.squeeze()
    assert status.sel(depth=2).values.tolist() == ["failed", "failed"]
    assert set(status.sel(depth=[1, 3]).values.ravel().tolist()) <= {"fitted", "unfitted"}
    assert tree["networks"].test_error.sel(depth=2).isnull().all()
    assert not tree["networks"].test_error.sel(depth=[1, 3]).isnull().any()
    assert tree["ensembles"].n_weights.squeeze().isnull().values.tolist() == [False, True, False]
    assert not tree["kernels"].test_error.isnull().any()
    assert tree.attrs["failed"] == 2  # the networks, and the ensemble that waits for them
    drawing = (house / f"{RESULTS}/figures/depth.svg").read_text(encoding="utf-8")
    assert "2 networks of 1 cell failed" in " ".join(re.findall("<!-- (.*?) -->", drawing))  # a comment for each line
    (claim,) = store.read_record(house / f"{RESULTS}/verdicts.json")["claims"]
    assert [part["counted"] for part in claim["parts"]] == [2, 0, 2]
    assert [part["reason"] for part in claim["parts"]] == ["", "the jobs failed", ""]
    assert [(f.kind, f.path, f.reason) for f in faults(house)][2:] == [
        ("stale", MADE[0], "it lacks 2 results that failed")
    ]


def test_the_next_run_closes_the_gap_whether_the_cell_succeeds_or_is_given_up(house):
    assert jobs(house, study="small") == {"networks": 1, "ensembles": 1, **SHOWN}
    edit(house, "workflow/studies/small/study.yaml", DEPTHS, DEPTHS.replace("2, ", ""))
    assert jobs(house, study="small") == SHOWN
    assert jobs(house, "--rerun-triggers", "mtime", study="small") == SHOWN


@pytest.mark.slow
def test_what_is_mended_is_as_if_nothing_had_failed(house, small_built):
    (house / "unbearable").write_text("", encoding="utf-8")
    assert snakemake(house, study="small").returncode == 0
    assert faults(house) == []
    for path in (small_built / "results").rglob("*.*"):
        assert (house / path.relative_to(small_built)).read_bytes() == path.read_bytes()


def test_a_figure_that_fails_leaves_a_page_of_all_else(small_house):
    first = "    networks = cube"
    edit(small_house, "src/isobath/figures/depth_dependence.py", first, f"    raise ValueError('no ink')\n{first}")
    run = snakemake(small_house, study="small")
    assert run.returncode != 0
    assert "no ink" in run.stderr
    assert "made with gaps: results/smoke/index.html" in run.stderr
    assert {fault.kind for fault in faults(small_house) if fault.path in MADE[1:5]} == {"missing"}
    assert (small_house / MADE[-1]).exists()


@pytest.mark.slow
def test_a_gap_in_what_was_whole_is_closed_once_the_cell_is_there_again(small_built, tmp_path):
    """It is closed although Snakemake knows that the whole cube was made from a cell with the same content."""
    house = copy(small_built, tmp_path / "isobath")
    cell = house / f"{RESULTS}/{CELL}.zarr.zip"
    content = cell.read_bytes()
    cell.unlink()
    (house / "unbearable").write_text("2", encoding="utf-8")
    assert snakemake(house, study="small").returncode != 0
    cell.write_bytes(content)
    assert jobs(house, study="small") == SHOWN


def test_a_run_that_was_interrupted_leaves_its_cubes_alone(house):
    """Jobs that were not tried leave no gap."""
    (house / MADE[0]).unlink()
    other = house / f"{RESULTS}/{CELL.replace('depth2', 'depth3')}.zarr.zip"
    other.unlink()
    assert partial.fill(arguments.load_run(house / "results/smoke", {"studies": ["small"]})) == MADE[-1:]
    assert not (house / MADE[0]).exists()


def test_what_was_made_before_is_no_substitute_for_what_can_not_be_made_now(house, monkeypatch):
    """The result made before is the ensemble of networks that have failed since."""
    monkeypatch.setenv("PYTHONPATH", str(house / "src"))
    cell = CELL.replace("depth2", "depth3")
    (house / f"{RESULTS}/{cell}.zarr.zip").unlink()
    (house / f"logs/smoke/small/{cell}.log").write_text("isobath: failed: ValueError: no\n", encoding="utf-8")
    assert partial.fill(arguments.load_run(house / "results/smoke", {"studies": ["small"]})) == MADE
    tree = store.read_tree(house / MADE[0])
    assert tree["ensembles"].n_weights.squeeze().isnull().values.tolist() == [False, True, True]
    assert tree.attrs["failed"] == 4


def test_a_cell_that_failed_counts_once_for_all_its_rates():
    lost = block([0, 1], [np.nan] * 2, [FAILED] * 2).expand_dims(learning_rate=[0.1, 0.2])
    assert cubes.failures(xr.DataTree.from_dict({"networks": lost})) == "4 networks of 1 cell failed"
