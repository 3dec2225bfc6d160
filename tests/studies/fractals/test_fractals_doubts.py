"""Conditions under which the claims of the fractals study judge: rates, controls, sizes, enough distributions."""

import json

import fractals_distinct
import fractals_distinct_theory
import numpy as np
import pytest
import xarray as xr
from fractal_cubes import fractal
from fractals_distinct import PLANS, RATES, grid
from fractals_formulas import CLEAN, PAPERS, Place, total
from fractals_thresholds import apart

from isobath import claim_files
from isobath.analysis.estimates import NotRun, Undetermined
from isobath.analysis.selection import TWICE
from isobath.analysis.verdicts import judge
from isobath.claims.fractals import approximation, conjecture, curves, sweeps, thresholds
from isobath.claims.fractals.cells import grid_of
from isobath.claims.fractals.measures import least_error_of

ERRORS = [f"recorded_{name}_error" for name in ("test", "first_half", "second_half")]
LEARNS = "deep_networks_learn_what_shallow_ones_approximate"


@pytest.fixture(scope="module", autouse=True)
def _thresholds_apart():
    with apart():
        yield


def with_networks(name, networks):
    """Return a tree of one grid with these networks."""
    return xr.DataTree.from_dict({name: grid(name)[0], f"{name}/networks": networks})


def parts_of(claim, name, networks):
    judged = judge(claim_files.load_claim("fractals", claim), with_networks(name, networks))
    return {part["label"]: part for part in judged["parts"]}


def raised(networks, by, **place):
    """Return networks whose errors are higher by a number at a place."""
    higher = networks.copy(deep=True)
    for name in ERRORS:
        higher[name].loc[place] = networks[name].loc[place] + by
    return higher


def test_curves_of_which_too_many_have_no_best_rate_have_no_correlation():
    """Two of ten have none, and there is a number: with a third less than three quarters of them have one."""
    networks = raised(grid("conjecture")[1], 0.9, task="given-4", learning_rate=RATES[1:])
    parts = parts_of(LEARNS, "conjecture", networks).values()
    assert {(part["estimate"], part["verdict"]) for part in parts} == {(None, "inconclusive")}
    assert all(part["reason"].startswith("on 3 of 10 curves: rate not found") for part in parts)


def test_nine_distributions_are_too_few_for_a_correlation():
    parts = parts_of(LEARNS, "conjecture", grid("conjecture")[1].isel(task=range(9))).values()
    assert {part["verdict"] for part in parts} == {"not run"}


def test_a_correlation_needs_resamples_that_have_one():
    """A third lack it of those of ten pairs with one other rank, more than a tenth with two, and less with three."""
    y = np.arange(10.0)
    for others in (1, 2):
        with pytest.raises(Undetermined, match="of 2000 resamples of the curves have no correlation"):
            conjecture.rank_correlation(np.maximum(y, 9 - others), y)
    low, high = conjecture.rank_correlation(np.maximum(y, 6), y).interval()
    assert -1 < low < high <= 1


def test_ranks_that_are_those_of_the_control_have_no_correlation_beyond_it():
    x, y = np.random.default_rng(0).normal(size=(2, 12))
    for columns in ((x, y, np.exp(y)), (y, x, np.exp(y))):
        with pytest.raises(Undetermined, match="2000 of 2000 resamples"):
            conjecture.rank_correlation(*columns)


def control(networks, rule):
    """Return the number by a rule of the networks of the coarse curve of six levels."""
    return total(with_networks("fine", networks), "fine", [(Place("vicsek-fine-1"), 1)], rule)


@pytest.mark.parametrize("rule", [PAPERS, CLEAN])
@pytest.mark.parametrize(("beyond", "judged"), [(-0.002, True), (0.002, False)])
def test_training_suffices_where_the_coarse_curve_is_learned_beyond_doubt(rule, beyond, judged):
    """The upper end of the error of the best networks there has to be below a share of 1/2: its mean does not do."""
    networks, most = grid("fine")[1], thresholds.GOOD * 0.5
    for _ in range(3):  # the interval grows with the error
        shift = most + beyond - control(networks, rule).high
        networks = raised(networks, shift, task="vicsek-fine-1")
    assert control(networks, rule).value < most < control(networks, rule).high + 2 * abs(beyond)
    parts = parts_of("fine_distribution_is_not_learned", "fine", networks)
    assert {part["estimate"] is not None for label, part in parts.items() if label.endswith(rule)} == {judged}


def test_nothing_is_known_of_fine_curves_without_a_coarse_one():
    networks = grid("fine")[1].sel(task=["vicsek-fine-6", "vicsek-fine-4"])
    parts = parts_of("fine_distribution_is_not_learned", "fine", networks).values()
    assert {(part["estimate"], part["verdict"]) for part in parts} == {(None, "inconclusive")}
    assert all("no coarse curve" in part["reason"] for part in parts)


def test_a_proved_bound_holds_after_twice_the_steps_and_at_any_rate():
    """The errors of the line fall to nearly nothing, below any other bound, and their best rate is the smallest."""
    networks = grid("line")[1]
    cells, at = grid_of(with_networks("line", networks), "line"), {"task": "line-1", "depth": 1, "width": 3}
    assert cells.quoted_error(CLEAN, **at).by(TWICE) < 0.02
    assert not least_error_of(cells, at).otherwise
    with pytest.raises(Undetermined, match="rate not found"):
        cells.error_at_best_rate(CLEAN, **at)
    for claim in ("theorem_2", "theorem_4"):
        parts = parts_of(claim, "line", networks).values()
        trained = [part for part in parts if part["estimate"] is not None]
        assert {part["verdict"] for part in trained if part["low"] > 0} == {"verified"}
        assert len(trained) == {"theorem_2": 6, "theorem_4": 14}[claim]


@pytest.mark.parametrize(("curve", "flat"), [(1, 0), (2, 2), (6, 4)])
@pytest.mark.parametrize("log", [1, 2, 3, 4])
def test_a_flat_curve_is_judged_at_each_number_of_regions(curve, flat, log):
    """Fewer errors than anywhere else are below 1/2 - epsilon = 1/2 - 2^(log - j) / 2 most for the last flat level."""
    usual = fractals_distinct_theory.least_errors(np.random.default_rng(5))
    lower = usual.least_error.where((usual.curve != curve) | (usual.regions != 2**log), -1.0)
    cells = [
        grid_of(xr.DataTree.from_dict({"theory/calculations/least_errors": table}), "theory")
        for table in (usual, usual.assign(least_error=lower))
    ]
    before, after = (approximation.least_beyond_guessing(each).value for each in cells)
    expected = -1.0 - (0.5 - 2.0 ** (log - flat) / 2) if flat > log else before
    assert after == pytest.approx(expected, rel=1e-12)


def test_a_cell_whose_jobs_failed_is_no_reason_to_take_a_narrower_one():
    networks, place = grid("depth")[1].copy(deep=True), {"task": "cantor-1", "depth": 2, "width": 16}
    networks.status.loc[place] = "failed"
    for name in (*ERRORS, "n_parameters"):
        networks[name].loc[place] = np.nan
    parts = parts_of("depth_uses_parameters_better", "depth", networks)
    assert {label.rpartition(", ")[0] for label in parts if "depth 2" in label} == {"cantor-1: depth 2, width 16"}
    assert {part["estimate"] for label, part in parts.items() if "depth 2" in label} == {None}


SOURCES = {"levels": 5, "n_train": 50_000, "step": 2000, "widths": (10, 20, 50, 100, 200, 400)}


def of_the_source(**others):
    """Return the grid depth with networks of the sizes of the source, but for ``others``."""
    sizes = SOURCES | others
    task = {"cantor-1": fractal("cantor", 1, levels=sizes["levels"])}
    depths = dict.fromkeys((1, sizes["levels"], 5), sizes["widths"])
    plan = PLANS["depth"]._replace(tasks=task, shapes={"cantor-1": depths}, draws=2)
    networks = fractals_distinct.networks(plan, np.random.default_rng(9))
    step = sizes["step"]
    networks = networks.assign_coords(n_train=[sizes["n_train"], 70_000], step=[0, step // 4, step // 2, step])
    node = xr.Dataset(attrs={"n_test": 900, "spec": json.dumps({"tasks": task})})
    return xr.DataTree.from_dict({"depth": node, "depth/networks": networks})


@pytest.mark.parametrize(
    "others",
    [{}, {"levels": 4}, {"n_train": 60_000}, {"step": 1996}, {"widths": SOURCES["widths"][1:]}],
    ids=["none", "levels", "samples", "steps", "widths"],
)
def test_an_error_is_held_against_the_published_one_at_the_sizes_of_the_source(others):
    claim = claim_files.load_claim("fractals", "wide_deep_networks_nearly_solve_it")
    parts = {part["label"]: part for part in judge(claim, of_the_source(**others))["parts"]}
    levels = others.get("levels", 5)
    usual = {f"depth {levels}, width 400, {rule}" for rule in (PAPERS, CLEAN)}
    more = {label: (part["above"], part["below"]) for label, part in parts.items() if label not in usual}
    as_published = f"depth 5, width 400, {PAPERS}, as published in Fig. 5, curve 1"
    assert parts.keys() >= usual
    assert more == ({} if others else {as_published: pytest.approx((0.0076 - 0.02, 0.0076 + 0.02))})


def test_an_accuracy_at_other_sizes_is_shown_and_not_judged():
    """On one curve the widest networks were not trained."""
    parts = parts_of("accuracies_are_as_published", "curves", grid("curves")[1])
    assert {task: (part["verdict"] == "not run", part["reason"]) for task, part in parts.items()} == {
        **dict.fromkeys(("cantor-1", "cantor-2", "cantor-6"), (False, "")),
        "cantor-4": (True, "other sizes than the paper's were run"),
    }


def test_one_rate_is_no_sweep():
    networks = grid("curves")[1].isel(learning_rate=0)
    cells, at = grid_of(with_networks("curves", networks), "curves"), {"task": "cantor-6", "depth": 5}
    with pytest.raises(NotRun, match="one rate"):
        sweeps.usual_rate(cells, at)
    with pytest.raises(NotRun, match="no rates were swept"):
        sweeps.dead_by_draw(cells, at, rate=RATES[0])


def test_a_share_of_the_fall_needs_networks_that_are_dead_on_one_curve_alone(monkeypatch):
    monkeypatch.setattr(curves, "dead_at_the_usual_rate", lambda cells, coords: {0: True, 1: False})
    with pytest.raises(Undetermined, match="on no data set networks are dead on one of the curves alone"):
        curves.dead_on_the_finer(None, {}, {})
