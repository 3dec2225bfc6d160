"""The fractals study: its file at every scale, and its claims on cubes in which the truth is planted."""

import fractal_cubes as made
import numpy as np
import pytest
import xarray as xr
from house import ROOT
from planted_fractals import FINE, TASKS, against, as_published, constructed, the_other_way_round, tree

from isobath import claim_files
from isobath.analysis.verdicts import judge
from isobath.claims.fractals.cells import grid_of
from isobath.study import loading, network_cells

STUDY = ROOT / "workflow/studies/fractals"


@pytest.fixture(scope="module")
def trees():
    numbers = made.calculations()
    return {
        "published": tree(as_published, theory=(constructed(), numbers)),
        "reverse": tree(
            the_other_way_round, fine=0.3, line=0.0, cifar=(0.2, 0.3, 0.4), worse=(0.1, 0.0, 0.04), dead=0, alive=0,
            theory=(constructed(error=0.1, wide=100), against(numbers)),
        ),
    }  # fmt: skip


def verdict(name, cube):
    return judge(claim_files.load_claim("fractals", name), cube)["verdict"]


THEOREMS = ("theorem_1", "theorem_2", "theorem_3", "theorem_4", "theorem_5", "corollary_1", "corollary_2")
CHECKS = (
    *THEOREMS,
    "theorem_1_needs_its_margin",
    "smaller_network_is_exact",
    "corollary_1_takes_a_layer_more",
    "shallow_networks_guess_on_flat_curves",
    "corollary_3_is_void",
    "printed_start_is_degenerate",
    "regions_hold_both_classes_alike",
    "gradients_vanish_where_outputs_are_small",
)
OWN = ("dying_units_are_a_part_of_the_fall",)
PLANTED = {  # claim -> what it is as published, and the other way round
    **dict.fromkeys(claim_files.claims("fractals"), ("reproduced", "not reproduced")),
    **dict.fromkeys(CHECKS, ("verified", "violated")),
    **dict.fromkeys(OWN, ("holds", "does not hold")),
    "usual_starts_vanish_as_well": ("does not hold", "does not hold"),
    "accuracies_are_as_published": ("not run", "not run"),  # other sizes
    "deep_networks_learn_what_shallow_ones_approximate": ("not run", "not run"),  # test_fractals_conjecture.py
}


@pytest.mark.parametrize("claim", claim_files.claims("fractals"))
def test_a_claim_holds_where_its_truth_is_planted_and_falls_with_it(trees, claim):
    assert (verdict(claim, trees["published"]), verdict(claim, trees["reverse"])) == PLANTED[claim]


@pytest.mark.parametrize("claim", claim_files.claims("fractals"))
def test_a_claim_is_not_run_where_nothing_is(claim):
    assert verdict(claim, xr.DataTree()) == "not run"


def test_a_claim_is_judged_by_both_rules(trees):
    parts = judge(claim_files.load_claim("fractals", "deeper_is_better"), trees["published"])["parts"]
    assert [p["label"] for p in parts] == [
        f"width {width}, {rule}" for width in (10, 40) for rule in ("best on the test set", "chosen on one half")
    ]
    gain = as_published(TASKS["cantor-1"], 1, 10) - as_published(TASKS["cantor-1"], 5, 10)
    assert parts[0]["estimate"] == pytest.approx(gain, abs=0.005)
    assert parts[0]["low"] < gain < parts[0]["high"]


def test_a_fine_distribution_is_not_learned_only_where_a_coarse_one_is():
    def little_trained(task, depth, width):
        return 0.4 if task["curve"] == 1 else 0.49

    cube = tree(as_published, theory=(constructed(), made.calculations()))
    for node in made.grid("fine", FINE, little_trained).values():
        cube["fine/networks"] = node["networks"]
    assert verdict("fine_distribution_is_not_learned", cube) == "inconclusive"


def parts_of(claim, cube):
    return {part["label"]: part for part in judge(claim_files.load_claim("fractals", claim), cube)["parts"]}


def test_corollary_2_falls_with_each_of_its_parts():
    """Once its properties were those of three distributions."""
    numbers = made.calculations()
    gradients, known = numbers["deep_gradients"], numbers["deep_certificates"]
    assert int(gradients.levels) == int(known.level.item()) == 24
    assert int(gradients.needed_levels.max()) < 24
    others = {
        "stuck, uniform, b = 0.25": {"deep_gradients": gradients.assign(fine_error=gradients.fine_error - 0.1)},
        "layers between both networks": {"deep_gradients": gradients.assign_coords(depth=gradients.depth + 1)},
        "n' of Theorem 5 beyond n": {"deep_gradients": gradients.assign(needed_levels=gradients.needed_levels + 9)},
        "wrong points": {"deep_certificates": known.assign(wrong_negatives=known.wrong_negatives + 1)},
        "width": {"deep_certificates": known.assign(largest_width=known.largest_width + 9)},
        "least error of one hidden layer": {"deep_certificates": known.assign(shallow_error=known.shallow_error * 0)},
    }
    for label, other in others.items():
        cube = tree(as_published, theory=(constructed(), numbers | other))
        parts = parts_of("corollary_2", cube)
        assert verdict("corollary_2", cube) != "verified"
        assert label in {name for name, part in parts.items() if part["verdict"] != "verified"}


def test_corollary_3_has_bounds_where_its_premise_can_hold():
    deep = constructed()
    deep["line-6", "certificate_by_three"] = (0.0, 0.0, 0.0, 8, 9)  # t = n: the premise says nothing of it
    cube = tree(as_published, theory=(deep, made.calculations()))
    parts = parts_of("corollary_3_is_void", cube)
    assert {name for name, part in parts.items() if part["verdict"] == "inconclusive"} == {
        "line-6: bound on the gradient",
        "line-6: bound on the error",
    }
    assert verdict("corollary_3_is_void", cube) == "inconclusive"


def test_what_is_proved_does_not_vote(trees):
    """Once constructions, counts and networks above a bound counted like evidence."""
    for claim in CHECKS:
        assert all(part["check"] for part in parts_of(claim, trees["published"]).values() if part["estimate"]), claim


def test_foldings_are_judged_for_several_shortcuts(trees):
    """Once there were one s and one (j, s), and no sizes in Theorem 3."""
    divides, more, third = (
        parts_of(claim, trees["published"]) for claim in ("corollary_1", "corollary_1_takes_a_layer_more", "theorem_3")
    )
    assert {label.partition(":")[0] for label in divides} == {
        f"{task}, 4 levels, 2 at once" for task in ("cantor_margin", "sierpinsky_margin")
    }
    depth = more["cantor_margin, 4 levels, 3 at once: depth beyond 2 floor(j / s) + 2"]
    assert (depth["estimate"], depth["verdict"]) == (1, "verified")
    assert {label.partition(":")[0] for label in third} == {f"cantor_coarse, 2 levels, {s} at once" for s in (1, 2)}
    assert sum("width" in label or "depth" in label for label in third) == 4


def test_theorem_2_needs_distributions_without_holes(trees):
    """The curve line-6 has none of its negatives at coarse levels."""
    labels = [*parts_of("theorem_2", trees["published"])]
    assert any(label.startswith("line-1: ") for label in labels)
    assert not any(label.startswith(("line-6: ", "cantor_margin")) for label in labels)
    assert any(label.startswith("sierpinsky_margin") for label in labels)


@pytest.mark.parametrize(("triangle", "rest", "verdicts"), [
    (0.03, 0.2, ("reproduced", "reproduced")),
    (0.03, 0.03, ("not reproduced", "not reproduced")),
    (-0.15, 0.2, ("reproduced", "not reproduced")),  # a curve that helps has an effect
])  # fmt: skip
def test_the_triangle_is_compared_with_the_other_fractals(triangle, rest, verdicts):
    """Once a gap of .03 meant both that the curve matters and that it has no effect."""

    def error(task, depth, width):
        return 0.2 + (task["curve"] > 1) * (triangle if task["system"] == "sierpinsky" else rest)

    ends = {name: task for name, task in TASKS.items() if task["curve"] != 3}
    part = made.grid("fractals", ends, error)["fractals"]
    cube = xr.DataTree.from_dict({f"fractals{n.path}": n.to_dataset() for n in part.subtree})
    matters, hardly = (
        verdict(claim, cube) for claim in ("curve_matters_on_other_fractals", "sierpinsky_hardly_feels_the_curve")
    )
    if triangle == rest:
        assert matters != "reproduced"
        assert hardly == "not reproduced"
    else:
        assert (matters, hardly) == verdicts


def test_every_step_of_depth_is_judged():
    """Once only the ends were compared."""

    def error(task, depth, width):
        return {1: 0.3, 3: 0.35, 5: 0.1}[depth]

    part = made.grid("depth", {"cantor-1": TASKS["cantor-1"]}, error)["depth"]
    cube = xr.DataTree.from_dict({f"depth{n.path}": n.to_dataset() for n in part.subtree})
    assert verdict("deeper_is_better", cube) == "reproduced"
    assert verdict("every_step_of_depth_helps", cube) == "not reproduced"


def test_published_accuracies_are_judged_at_the_papers_sizes():
    tasks = {f"cantor-{curve}": made.fractal("cantor", curve, levels=5) for curve in (1, 6)}
    widths = (10, 20, 50, 100, 200, 400)

    def error(task, depth, width):
        return 0.5 if width < 400 else 1 - {1: 0.9924, 6: 0.7}[task["curve"]]

    part = made.grid("curves", tasks, error, depths=(5,), widths=widths)["curves"]
    networks = part["networks"].to_dataset()
    for step, run in ((2000, True), (200, False)):
        sized = networks.assign_coords(n_train=[50_000], step=[0, step // 4, step // 2, step])
        cube = xr.DataTree.from_dict({"curves": xr.Dataset(), "curves/networks": sized})
        cube["curves"].attrs |= part.attrs
        parts = parts_of("accuracies_are_as_published", cube)
        found = [parts[f"cantor-{curve}"]["verdict"] for curve in (1, 6)]
        assert found == (["reproduced", "not reproduced"] if run else ["not run"] * 2)
        assert parts["cantor-6"]["estimate"] == pytest.approx(0.3, abs=0.01)  # beside the published one at any size
        assert parts["cantor-6"]["reason"] == ("" if run else "other sizes than the paper's were run")
        assert parts["cantor-6"]["published"] == {
            "value": 0.2236, "place": "Fig. 5", "tolerance": 0.02, "same_size": run,
        }  # fmt: skip


def test_the_error_of_the_test_set_is_that_of_the_tasks_own_size():
    tasks = {"small": made.fractal("cantor_1d", 1, n_test=400), "usual": made.fractal("cantor_1d", 1)}
    node = made.grid("line", tasks, lambda task, depth, width: 0.2)
    cells = grid_of(xr.DataTree.from_dict({f"line{n.path}": n.to_dataset() for n in node["line"].subtree}), "line")
    for task, n in (("small", 400), ("usual", 100_000)):
        error = cells.quoted_error("best on the test set", task=task, depth=1, width=10)
        assert error.sample == pytest.approx((0.2 * 0.8 / n) ** 0.5, rel=0.02)


def test_what_was_not_trained_is_not_compared():
    missing = [("cantor-1", 5, 40), ("cantor-1", 1, 10)]
    cube = tree(as_published, theory=(constructed(), {}))
    part = made.grid("depth", {"cantor-1": TASKS["cantor-1"]}, as_published, missing=missing)["depth"]
    cube["depth/networks"] = part["networks"]
    assert verdict("deeper_is_better", cube) == "not run"  # no width at both ends
    uses = claim_files.load_claim("fractals", "depth_uses_parameters_better")
    labels = [p["label"] for p in judge(uses, cube)["parts"]]
    assert {label.rpartition(", ")[0] for label in labels} == {"depth 3, width 10", "depth 5, width 10"}
    assert verdict("theorem_5", cube) == "not run"


@pytest.mark.parametrize("scale", ["smoke", "demo", "laptop", "paper"])
def test_the_study_loads_at_every_scale(scale):
    study = loading.load_study(STUDY, scale)
    assert set(study.claims) == set(claim_files.claims("fractals"))
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


@pytest.mark.parametrize(("levels", "depths"), [(3, {3}), (5, {5}), (4, set())])
def test_a_fractal_is_nearly_solved_by_as_many_layers_as_it_has_levels(levels, depths):
    task = {"cantor-1": {**TASKS["cantor-1"], "levels": levels}}
    (part,) = made.grid("depth", task, lambda *_: 0.01, depths=(1, 3, 5)).values()
    cube = xr.DataTree.from_dict({f"depth{n.path}": n.to_dataset() for n in part.subtree})
    parts = parts_of("wide_deep_networks_nearly_solve_it", cube).values()
    run = [part["label"] for part in parts if part["verdict"] != "not run"]
    assert {int(label.split()[1].strip(",")) for label in run} == depths
