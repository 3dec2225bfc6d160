"""Cubes, averages, verdicts and figures, on made-up results."""

import io
import math
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from matplotlib import style

from isobath import config, grids, plugins
from isobath.charts import STYLE
from isobath.cubes import AXES, describe, gather
from isobath.drawings import METADATA
from isobath.summaries import over_networks
from isobath.verdicts import Estimate, Grid, NotRun, Part, average, claim, judge, overall, part


def block(seeds, errors, status=None, **cell):
    """The result of a networks job."""
    status = status or ["fitted"] * len(seeds)
    data = {
        "test_error": ("seed", np.array(errors, dtype=float)),
        "status": ("seed", np.array(status, dtype=object)),
        "n_parameters": ("seed", np.full(len(seeds), 10 * cell.get("width", 10))),
    }
    here = {"task": "2-local", "protocol": "sgd", "depth": 1, "width": 10, "n_train": 50, "draw": 0} | cell
    return xr.Dataset(data, coords={"seed": list(seeds), **here})


def regression(depth, errors, **cell):
    here = {"task": "2-local", "kernel": "ntk", "n_train": 50, "draw": 0} | cell
    return xr.Dataset({"test_error": ("depth", np.array(errors))}, coords={"depth": list(depth), **here})


def test_a_cube_has_the_labels_of_a_test_set_once():
    def kept(task, width, labels):
        outputs = (("seed", "test_sample"), np.full((2, len(labels)), float(width)))
        one = block([0, 1], [0.1, 0.2], task=task, width=width)
        extra = {"outputs": outputs, "test_labels": ("test_sample", labels)}
        return one.assign(extra).assign_coords(test_sample=np.arange(len(labels)))

    parts = [kept("a", 3, [0, 1, 1]), kept("a", 4, [0, 1, 1]), kept("b", 3, [1, 0]), kept("b", 4, [1, 0])]
    cube = gather(parts, AXES["networks"])
    assert cube.test_labels.dims == ("task", "n_train", "draw", "test_sample")
    np.testing.assert_array_equal(cube.test_labels.squeeze().astype(float), [[0, 1, 1], [1, 0, np.nan]])
    assert cube.outputs.sel(task="a", width=4).squeeze().values.tolist() == [[4.0] * 3] * 2


def test_a_cube_has_every_cell_at_its_labels_and_says_what_is_missing():
    parts = [
        block([0, 1], [0.1, 0.2]),
        block([2], [0.3]),
        block([0], [0.4], depth=7, width=20),
        block([0, 1], [0.5, math.nan], ["fitted", "diverged"], task="2-global", n_train=80),
    ]
    cube = gather(parts, AXES["networks"])
    for p in parts:
        for seed in p.seed.values:
            at = {axis: p[axis].item() for axis in AXES["networks"][:-1]} | {"seed": seed}
            np.testing.assert_equal(cube.test_error.sel(at).item(), p.test_error.sel(seed=seed).item())
            assert cube.status.sel(at).item() == p.status.sel(seed=seed).item()
    assert (cube.status != "missing").sum() == 6
    assert cube.test_error.notnull().sum() == 5
    assert list(cube.seed.values) == [0, 1, 2]
    assert list(cube.depth.values) == [1, 7]


def test_a_cube_keeps_the_other_dims_of_a_sweep():
    sweep = block([0, 1], [0.1, 0.2]).expand_dims(learning_rate=[0.01, 0.1])
    cube = gather([sweep, sweep.assign_coords(depth=7)], AXES["networks"])
    assert set(cube.test_error.dims) == {*AXES["networks"], "learning_rate"}
    assert cube.test_error.sel(depth=7, learning_rate=0.1, seed=1).item() == 0.2


def test_two_results_for_one_place_are_refused():
    with pytest.raises(ValueError, match=r"two results claim task 2-local, .*, seed 1"):
        gather([block([0, 1], [0.1, 0.2]), block([1, 2], [0.1, 0.2])], AXES["networks"])


def test_settings_become_coordinates():
    cube = gather([block([0], [0.1]), block([0], [0.1], task="mine")], AXES["networks"])
    tasks = {"2-local": {"kind": "k_local", "k": 2, "offsets": None}, "mine": {"kind": "other", "share": 0.5}}
    cube = describe(cube, {"task": tasks, "kernel": {}})
    assert cube.task_kind.sel(task="mine").item() == "other"
    assert cube.task_k.sel(task="2-local").item() == 2
    assert np.isnan(cube.task_k.sel(task="mine").item())
    assert "task_offsets" not in cube.coords


def test_networks_that_did_not_fit_are_counted_and_never_averaged():
    statuses = ["fitted", "unfitted", "fitted", "diverged"]
    cube = gather([block(range(4), [0.1, 0.5, 0.3, math.nan], statuses)], AXES["networks"])
    summary = over_networks(cube).squeeze()
    assert summary["mean"].item() == pytest.approx(0.2)
    assert summary.sd.item() == pytest.approx(np.std([0.1, 0.3], ddof=1))
    assert (summary.fitted.item(), summary.trained.item()) == (2, 4)


def test_the_interval_of_an_estimate_is_students():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(2000):
        x = rng.normal(0.3, 0.1, 5)
        low, high = Estimate(x.mean(), x.std(ddof=1) / math.sqrt(5), 0.0, 5).interval()
        covered += low < 0.3 < high
    assert 0.93 < covered / 2000 < 0.97


def test_estimates_combine():
    a, b = Estimate(0.4, 0.03, 0.01, 10), Estimate(0.1, 0.04, 0.01, 5)
    difference = a - b
    assert difference.value == pytest.approx(0.3)
    assert difference.networks == pytest.approx(0.05)
    assert difference.count == 5
    mean = average([a, a])
    assert mean.networks == pytest.approx(0.03 / math.sqrt(2))
    assert mean.sample == 0.01  # the test set is shared
    with pytest.raises(NotRun):
        average([])


@pytest.mark.parametrize(
    ("value", "bounds", "outcome"),
    [
        (0.3, {"above": 0.0}, "reproduced"),
        (-0.3, {"above": 0.0}, "not reproduced"),
        (0.01, {"above": 0.0}, "inconclusive"),
        (0.3, {"below": 0.4}, "reproduced"),
        (0.0, {"above": -0.1, "below": 0.1}, "reproduced"),
        (0.2, {"above": -0.1, "below": 0.1}, "not reproduced"),
    ],
)
def test_a_part_is_judged_by_its_interval(value, bounds, outcome):
    assert Part("", Estimate(value, 0.02, 0.0, 30), **bounds).outcome == outcome


def test_a_claim_needs_all_its_parts():
    assert overall(["reproduced", "reproduced"]) == "reproduced"
    assert overall(["reproduced", "not run"]) == "reproduced"
    assert overall(["reproduced", "inconclusive"]) == "inconclusive"
    assert overall(["inconclusive", "not reproduced"]) == "not reproduced"
    assert overall(["not run"]) == "not run"


def study(local=(0.4, 0.2), global_=(0.2, 0.4)):
    """A tree with a samples grid: (error at L = 1, error at L = 7) of a local and a global task."""
    rng = np.random.default_rng(1)
    parts = [
        block(range(5), error + rng.normal(0, 0.005, 5), task=task, depth=depth)
        for task, errors in (("2-local", local), ("2-global", global_))
        for depth, error in zip((1, 7), errors, strict=True)
    ]
    kernels = [regression([1, 7], [0.48, 0.49]), regression([1, 7], [0.15, 0.2], task="2-global")]
    tasks = {t: {"kind": f"k_{t[2:]}", "k": 2, "dimension": 9} for t in ("2-local", "2-global")}
    families = {"task": tasks, "kernel": {"ntk": {"kind": "ntk", "beta": 0.1}}}
    groups = {
        "samples/networks": describe(gather(parts, AXES["networks"]), families),
        "samples/kernels": describe(gather(kernels, AXES["kernels"]), families),
    }
    tree = xr.DataTree.from_dict(groups)
    tree["samples"].attrs["n_test"] = 10_000
    return tree


@pytest.mark.parametrize(
    ("name", "tree", "verdict"),
    [
        ("deep_better_for_local", study(), "reproduced"),
        ("deep_better_for_local", study(local=(0.2, 0.4)), "not reproduced"),
        ("deep_better_for_local", study(local=(0.3, 0.3)), "inconclusive"),
        ("shallow_better_for_global", study(), "reproduced"),
        ("shallow_better_for_global", study(global_=(0.4, 0.2)), "not reproduced"),
        ("ntk_fails_for_local", study(), "reproduced"),
        ("ntk_good_for_2_global", study(), "reproduced"),
        ("ntk_good_for_2_global", study(global_=(0.05, 0.06)), "not reproduced"),
        ("opposite_depth_trends", study(), "not run"),
        ("mse_agrees", study(), "not run"),
    ],
)
def test_claims_follow_the_numbers(name, tree, verdict):
    assert judge(name, plugins.load_claim("locality", name), tree)["verdict"] == verdict


def test_every_claim_survives_an_empty_study():
    tree = xr.DataTree()
    for name in plugins.claims("locality"):
        assert judge(name, plugins.load_claim("locality", name), tree)["verdict"] == "not run", name


def made_up(study):
    """The cubes of a study, with an error of 0.2 everywhere."""
    groups, seeds = {}, np.arange(3)
    for grid, blocks in study.grids.items():
        networks, kernels = [], []
        for cell in grids.network_cells(blocks):
            shape = {"seed": seeds}
            rates = study.protocols[cell.protocol].learning_rate
            if isinstance(rates, list):
                shape = {"learning_rate": rates, **shape}
            ones = np.ones([len(v) for v in shape.values()])
            data = {
                "test_error": (list(shape), 0.2 * ones),
                "status": (list(shape), np.full(ones.shape, "fitted", dtype=object)),
                "n_parameters": (list(shape), (10 + cell.width * (cell.depth + 100)) * ones),
            }
            networks.append(xr.Dataset(data, coords={**shape, **cell._asdict()}))
        for cell, depth in grids.kernel_cells(blocks).items():
            kernels.append(regression(depth, np.full(len(depth), 0.2), **cell._asdict()))
        families = {f: {n: v.model_dump() for n, v in getattr(study, f"{f}s").items()} for f in ("task", "kernel")}
        for name, parts in (("networks", networks), ("kernels", kernels)):
            if parts:
                groups[f"{grid}/{name}"] = describe(gather(parts, AXES[name]), families)
    tree = xr.DataTree.from_dict(groups)
    for grid in study.grids:
        tree[grid].attrs["n_test"] = study.n_test
    return tree


STUDY = Path(__file__).parent.parent / "workflow/studies/locality.yaml"


def parts_not_run(study):
    tree, found = made_up(study), set()
    for name in study.claims:
        verdict = judge(name, plugins.load_claim("locality", name), tree)
        found |= {f"{name}: {p['label']}" for p in verdict["parts"] if p["estimate"] is None}
    return found


def test_the_scale_of_the_paper_judges_every_part_of_every_claim():
    assert parts_not_run(config.load_study(STUDY, "paper")) == set()


def test_what_the_demo_leaves_out():
    assert parts_not_run(config.load_study(STUDY, "demo")) == {
        "small_deep_beats_large_shallow: 2-local",
        "width_helps_at_k1: 1-local, L = 1",
        "width_helps_at_k1: 1-global, L = 1",
        "mse_agrees: 2-local",
        "mse_agrees: 3-global",
        "he_agrees: 2-local",
        "he_agrees: 3-global",
    }


def test_a_second_task_of_a_kind_adds_parts():
    study = config.load_study(STUDY, "demo")
    more = study.tasks | {f"{name}_more": study.tasks[name] for name in ("2-local", "3-local", "2-global", "3-global")}
    grids_ = {}
    for grid, blocks in study.grids.items():
        added = [[*b.tasks, *(f"{t}_more" for t in b.tasks if f"{t}_more" in more)] for b in blocks]
        grids_[grid] = [b.model_copy(update={"tasks": t}) for b, t in zip(blocks, added, strict=True)]
    study = study.model_copy(update={"tasks": more, "grids": grids_})
    tree = made_up(study)
    for name in study.claims:
        labels = [p["label"] for p in judge(name, plugins.load_claim("locality", name), tree)["parts"]]
        assert len(set(labels)) == len(labels)


def test_draws_are_what_is_independent():
    """Networks of one draw share their data: thirty networks of three draws are three numbers."""
    draws = [0.1, 0.2, 0.3]
    cube = gather([block(range(10), [e] * 10, draw=i) for i, e in enumerate(draws)], AXES["networks"])
    tree = xr.DataTree.from_dict({"samples/networks": describe(cube, {})})
    tree["samples"].attrs["n_test"] = 10**9
    found = Grid(tree, "samples").error(task="2-local", depth=1, width=10, n_train=50)
    assert found.count == 3
    assert found.networks == pytest.approx(0.1 / math.sqrt(3))


def test_a_whole_claim_needs_all_its_parts():
    assert overall(["reproduced", "not run"]) == "reproduced"
    assert overall(["reproduced", "not run"], whole=True) == "inconclusive"
    assert overall(["not reproduced", "not run"], whole=True) == "not reproduced"
    assert overall(["not run", "not run"], whole=True) == "not run"


def test_unfitted_networks_do_not_vote():
    tree = study()
    status = tree["samples/networks"].status
    tree["samples/networks"] = (
        tree["samples/networks"].to_dataset().assign(status=status.where(status.depth != 7, "unfitted"))
    )
    tree["samples"].attrs["n_test"] = 10_000
    with pytest.raises(NotRun):
        Grid(tree, "samples").error(task="2-local", depth=7, width=10, n_train=50)
    assert judge("x", plugins.load_claim("locality", "deep_better_for_local"), tree)["verdict"] == "not run"


def test_a_part_that_is_not_a_number_is_not_run():
    assert part("", lambda: Estimate(math.nan)).outcome == "not run"
    assert claim("s", source="f", statistic="t")(lambda tree: []).about["statement"] == "s"


def figure_cubes():
    """A cube with failures, missing cells, a depth-0 network, kernels: (kind, settings, tree) for every figure."""
    statuses = ["fitted", "unfitted", "diverged", "fitted"]
    parts = [
        block(range(4), [0.1 + 0.01 * n, 0.5, math.nan, 0.2], statuses, n_train=10 * n, depth=d, width=w)
        for n in (1, 2, 4)
        for d, w in ((0, 0), (1, 10), (7, 10))
    ]
    parts.append(block(range(4), [0.5] * 4, ["unfitted"] * 4, n_train=80, depth=1, width=10))
    kernels = [
        regression([1, 7], [0.4, 0.3], n_train=10 * n, kernel=k) for n in (1, 2, 4) for k in ("ntk", "ntk_beta1")
    ]
    families = {
        "task": {"2-local": {"kind": "k_local", "k": 2, "dimension": 9}},
        "kernel": {"ntk": {"beta": 0.1}, "ntk_beta1": {"beta": 1.0}},
    }
    networks = describe(gather(parts, AXES["networks"]), families)
    both = {"networks": networks, "kernels": describe(gather(kernels, AXES["kernels"]), families)}
    sweep = [block([0, 1], [0.1, 0.2]).expand_dims(learning_rate=[0.01, 0.1])]
    swept = {"networks": describe(gather(sweep, AXES["networks"]), families)}
    common = {"tasks": ["2-local"], "protocol": "sgd", "kernel": "ntk"}
    return {
        "learning_curves": (common, both),
        "depth_dependence": (common, both),
        "learning_rate_dependence": ({"groups": [["2-local"]], "protocol": "sgd", "kernel": "ntk"}, swept),
        "bias_dependence": ({"tasks": ["2-local"]}, both),
    }


@pytest.mark.parametrize("kind", plugins.kinds("figure"))
def test_every_figure_draws_failures_and_gaps_and_gives_the_same_bytes_twice(kind):
    if kind not in figure_cubes():
        pytest.skip("a figure of a user's own")
    settings, groups = figure_cubes()[kind]
    draw = plugins.load("figure", kind).draw
    for suffix, metadata in METADATA.items():
        images = []
        for _ in range(2):
            with style.context(["default", STYLE]):
                file = io.BytesIO()
                draw(xr.DataTree.from_dict(groups), **settings).savefig(file, format=suffix[1:], metadata=metadata)
            images.append(file.getvalue())
        assert images[0] == images[1]
        assert len(images[0]) > 1000
