"""The fractals study: its file at every scale, and its claims on cubes in which the truth is planted."""

from pathlib import Path

import fractal_cubes as made
import numpy as np
import pytest
import xarray as xr

from isobath import plugins
from isobath.analysis.verdicts import judge
from isobath.claims.fractals.measures import Trained
from isobath.study import loading, network_cells

STUDY = Path(__file__).parent.parent / "workflow/studies/fractals"
SYSTEMS = ("cantor", "sierpinsky", "vicsek")
TASKS = {f"{s}-{curve}": made.fractal(s, curve) for s in SYSTEMS for curve in (1, 3, 6)}
CANTOR = {name: task for name, task in TASKS.items() if name.startswith("cantor")}
FINE = {"vicsek-fine": made.fractal("vicsek", 6, levels=6)}
LINE = {f"line-{curve}": made.fractal("cantor_1d", curve, levels=10) for curve in (1, 6)}
CIFAR = {"cifar10": {"kind": "cifar10"}}
MARGIN = {
    "cantor_margin": made.fractal("cantor", 1, levels=4, n_test=20_000),
    "sierpinsky_margin": made.fractal("sierpinsky", 1, levels=4, n_test=20_000),
}
HARD = {"line-6": made.fractal("cantor_1d", 6, levels=10, n_test=20_000)}
FREE = {"cantor_coarse": made.fractal("cantor", 1, levels=5, n_test=20_000)}
KINDS = {
    "folding": {"kind": "fractal_folding"},
    "folding_by_two": {"kind": "fractal_folding", "shortcut": 2},
    "folding_two_levels": {"kind": "fractal_folding", "levels": 2},
    "folding_wide_margin": {"kind": "fractal_folding", "margin": 0.001},
    "certificate": {"kind": "cantor_certificate"},
    "certificate_by_three": {"kind": "cantor_certificate", "shortcut": 3},
}
LEFT = 1 - (1.5 - 2**-0.4)  # 1 - P(2) of the coarse curve of 5 levels


def as_published(task, depth, width):
    """Depth helps, more than width; finer curves are worse, but on the Sierpinsky triangle."""
    system, curve = task["system"], task["curve"]
    finer = 0.01 if system == "sierpinsky" else 0.04 * (curve - 1)
    return 0.3 / depth**1.5 / (1 + width / 100) + finer + (0 if depth > 1 else 0.1)


def the_other_way_round(task, depth, width):
    """Depth hurts, fine curves help, but on the Sierpinsky triangle."""
    worse = -0.05 if task["system"] != "sierpinsky" else 0.1
    return 0.2 + 0.02 * depth + worse * (task["curve"] > 1)


def constructed(*, error=0.0, wide=0):
    """What every construction gives: these errors and widths beyond those of the theorems."""
    rows = {}
    for task, maps in (("cantor_margin", 4), ("sierpinsky_margin", 3)):
        rows[task, "folding"] = (error, error, error, 8 * maps + 3 + wide, 8)
        rows[task, "folding_by_two"] = (error, error, error, 8 * maps**2 + 3 + wide, 4)
    rows["cantor_coarse", "folding_two_levels"] = (LEFT + error, 2 * (LEFT + error), 0.0, 35, 4)
    rows["cantor_coarse", "folding_wide_margin"] = (0.01, error, 0.02 * (error == 0), 35, 10)
    rows["cantor_coarse", "certificate"] = (error, error, error, 4 + wide, 6)
    rows["line-6", "certificate_by_three"] = (error, error, error, 8 + wide, 5)
    return rows


def against(numbers):
    """The calculations with the opposite of what is proved."""
    counts, errors, gradients = (numbers[n] for n in ("region_counts", "least_errors", "initial_gradients"))
    many = gradients.assign(gradient_norm=gradients.gradient_norm + 10, largest_output=gradients.largest_output * 0)
    return {
        "region_counts": counts.assign(regions=counts.regions * 1e6),
        "least_errors": errors.assign(least_error=errors.least_error - 0.3),
        "initial_gradients": many,
    }


def tree(error, *, fine=0.49, line=0.49, cifar=(0.4, 0.3, 0.25), theory):
    parts = {
        **made.grid("depth", {"cantor-1": TASKS["cantor-1"]}, error),
        **made.grid("curves", CANTOR, error, depths=(5,)),
        **made.grid("fractals", TASKS, error),
        **made.grid("fine", FINE, lambda task, depth, width: fine - 0.001 * depth),
        **made.grid("line", LINE, lambda task, depth, width: line, depths=(1, 2), widths=(3,)),
        **made.grid("cifar", CIFAR, lambda task, depth, width: cifar[(depth - 1) // 2]),
        **made.theory(MARGIN | FREE | HARD, KINDS, *theory),
    }
    return xr.DataTree.from_dict({f"{name}{n.path}": n.to_dataset() for name, t in parts.items() for n in t.subtree})


@pytest.fixture(scope="module")
def trees():
    numbers = made.calculations()
    return {
        "published": tree(as_published, theory=(constructed(), numbers)),
        "reverse": tree(
            the_other_way_round, fine=0.3, line=0.0, cifar=(0.2, 0.3, 0.4),
            theory=(constructed(error=0.1, wide=100), against(numbers)),
        ),
    }  # fmt: skip


def verdict(name, cube):
    return judge(name, plugins.load_claim("fractals", name), cube)["verdict"]


PLANTED = {  # claim -> what it is as published, and the other way round
    **dict.fromkeys(plugins.claims("fractals"), ("reproduced", "not reproduced")),
    "usual_starts_vanish_as_well": ("not reproduced", "not reproduced"),
}


@pytest.mark.parametrize("claim", plugins.claims("fractals"))
def test_a_claim_holds_where_its_truth_is_planted_and_falls_with_it(trees, claim):
    assert (verdict(claim, trees["published"]), verdict(claim, trees["reverse"])) == PLANTED[claim]


@pytest.mark.parametrize("claim", plugins.claims("fractals"))
def test_a_claim_is_not_run_where_nothing_is(claim):
    assert verdict(claim, xr.DataTree()) == "not run"


def test_a_claim_is_judged_by_both_rules(trees):
    parts = judge("deeper_is_better", plugins.load_claim("fractals", "deeper_is_better"), trees["published"])["parts"]
    assert [p["label"] for p in parts] == [
        f"width {width}, {rule}" for width in (10, 40) for rule in ("best on the test set", "chosen on one half")
    ]
    gain = as_published(TASKS["cantor-1"], 1, 10) - as_published(TASKS["cantor-1"], 5, 10)
    assert parts[0]["estimate"] == pytest.approx(gain, abs=0.005)
    assert parts[0]["low"] < gain < parts[0]["high"]


def test_corollary_2_falls_with_each_of_its_parts():
    numbers = made.calculations()
    gradients = numbers["initial_gradients"]
    moved = gradients.assign(fine_gradient_norm=gradients.fine_gradient_norm + 1)
    guessed = gradients.assign(fine_error=gradients.fine_error - 0.1)
    for other in (moved, guessed):
        cube = tree(as_published, theory=(constructed(), numbers | {"initial_gradients": other}))
        assert verdict("corollary_2", cube) == "not reproduced"
    deep = constructed()
    deep["line-6", "certificate_by_three"] = (0.0, 0.0, 0.0, 8, 11)  # t = 12 > n: one hidden layer can be exact
    cube = tree(as_published, theory=(deep, numbers))
    parts = judge("corollary_2", plugins.load_claim("fractals", "corollary_2"), cube)["parts"]
    fallen = {p["label"] for p in parts if p["verdict"] == "not reproduced"}
    assert fallen == {"line-6: depth beyond n", "line-6: least error of one hidden layer"}


def test_corollary_3_has_bounds_where_its_premise_can_hold():
    deep = constructed()
    deep["line-6", "certificate_by_three"] = (0.0, 0.0, 0.0, 8, 9)  # t = n: the premise says nothing of it
    cube = tree(as_published, theory=(deep, made.calculations()))
    parts = judge("corollary_3_is_void", plugins.load_claim("fractals", "corollary_3_is_void"), cube)["parts"]
    assert [p["label"] for p in parts if p["verdict"] == "not run"] == ["line-6: bounds"]


def test_the_error_of_the_test_set_is_that_of_the_tasks_own_size():
    tasks = {"small": made.fractal("cantor_1d", 1, n_test=400), "usual": made.fractal("cantor_1d", 1)}
    node = made.grid("line", tasks, lambda task, depth, width: 0.2)
    trained = Trained(xr.DataTree.from_dict({f"line{n.path}": n.to_dataset() for n in node["line"].subtree}), "line")
    for task, n in (("small", 400), ("usual", 100_000)):
        error = trained.error("best on the test set", {"task": task, "depth": 1, "width": 10})
        assert error.sample == pytest.approx((0.2 * 0.8 / n) ** 0.5, rel=0.02)


def test_what_was_not_trained_is_not_compared():
    missing = [("cantor-1", 5, 40), ("cantor-1", 1, 10)]
    cube = tree(as_published, theory=(constructed(), {}))
    part = made.grid("depth", {"cantor-1": TASKS["cantor-1"]}, as_published, missing=missing)["depth"]
    cube["depth/networks"] = part["networks"]
    assert verdict("deeper_is_better", cube) == "not run"  # no width at both ends
    uses = plugins.load_claim("fractals", "depth_uses_parameters_better")
    labels = [p["label"] for p in judge("depth_uses_parameters_better", uses, cube)["parts"]]
    assert {label.rpartition(", ")[0] for label in labels} == {"depth 3, width 10", "depth 5, width 10"}
    assert verdict("theorem_5", cube) == "not run"


@pytest.mark.parametrize("scale", ["smoke", "demo", "laptop", "paper"])
def test_the_study_loads_at_every_scale(scale):
    study = loading.load_study(STUDY, scale)
    assert set(study.claims) == set(plugins.claims("fractals"))
    cells = network_cells.cells([block for blocks in study.grids.values() for block in blocks])
    assert cells
    for name in study.figures:
        assert study.figures[name].grid in study.grids


def test_the_paper_scale_is_that_of_the_paper():
    study = loading.load_study(STUDY, "paper")
    adam = study.protocols["adam"]
    assert network_cells.recorded(adam)[1] * 500 == 10_000
    assert adam.max_epochs * 500 == 10**6
    assert study.protocols["adam_cnn"].max_epochs * -(-50_000 // 128) == pytest.approx(60_000, rel=0.01)
    depth = network_cells.cells(study.grids["depth"])
    assert {(cell.depth, cell.width) for cell in depth} == {
        (depth, width) for depth in range(1, 6) for width in (10, 20, 50, 100, 200, 400)
    }
    assert {cell.n_train for cell in depth} == {50_000}
    assert study.n_test == 5000
    assert np.all(np.array(study.figures["figure5"].settings["published"]) > 0.75)
