"""The study expressivity: claims on cubes in which the truth is planted, convergence, and its figures."""

import expressivity_cubes as made
import numpy as np
import pytest
import xarray as xr

from isobath import claim_files
from isobath.analysis.cells import Cells
from isobath.analysis.cubes import describe
from isobath.analysis.estimates import Undetermined
from isobath.analysis.verdicts import judge
from isobath.claims.expressivity.sizes import at_best_widths, at_equal_compute, at_equal_parameters

SAWTOOTHS = {f"sawtooth-{k}": {"kind": "sawtooth", "folds": k, "triangles": 1} for k in (3, 4, 6)}
SHELLS = {
    f"shells-{s}-{d}": {"kind": "radial_shells", "shells": s, "dimension": d} for s in (2, 4) for d in (5, 10)
}  # fmt: skip


def widths_of_folds(depth):
    return {1: 333, 2: 29, 3: 21}[depth]


def reversed_steps(kind, layers, p):
    """Return steps by which depth accelerates p = 2 alone, and others are faster at p = 4."""
    if kind != "gradient_descent":
        return 40
    return {1: 100 if p == 4 else 400, 2: 100, 3: 110}[layers]


def tree(*, expected):
    """Make the cubes of the study with its claims planted, or with their opposites."""
    sign, numbers = (1 if expected else -1), {n: dict(g) for n, g in made.calculations().items()}
    if not expected:
        numbers = opposites(numbers)

    def of_folds(task, depth, width):
        return 0.3 - sign * 0.09 * (depth > 1) * (task["folds"] - 2)

    def of_shells(task, depth, width):
        ball = 0.0 if expected else 0.15
        return 0.2 - (depth - 1) * (sign * 0.012 * task["dimension"] if task["shells"] == 4 else ball)

    folds = made.trained(SAWTOOTHS, of_folds, depths=(1, 2, 3), widths=(21, 29, 333), width_of=widths_of_folds)
    own = made.trained(
        SAWTOOTHS, lambda *_: 0.2 if expected else 0.001, depths=(3, 4, 6), widths=(2,), width_of=lambda _: 2, copies=6
    )
    shells = made.trained(SHELLS, of_shells, depths=(1, 2), widths=(30, 108), width_of=lambda d: {1: 108, 2: 30}[d])
    steps = made.expected_steps if expected else reversed_steps
    losses = made.regressions(steps, deep_best=None if expected else 3)
    right = 0.0 if expected else 0.45
    spread = {name: settings for name, settings in SAWTOOTHS.items() if settings["folds"] == 4}
    parts = {
        **made.grid(
            "folds",
            SAWTOOTHS,
            networks=folds,
            oscillation_counts=made.oscillation_counts(folds, broken=not expected),
            constructions=constructed(SAWTOOTHS, "folding", right),
            **numbers["folds"],
        ),
        **made.grid("spread_starts", spread, networks=folds.sel(task=list(spread))),
        **made.grid("own_size", SAWTOOTHS, networks=own, **numbers["own_size"]),
        **made.grid(
            "shells", SHELLS, networks=shells, constructions=constructed(SHELLS, "profile", right), **numbers["shells"]
        ),
        **made.grid("diabetes", {"d": {"kind": "diabetes"}}, networks=losses, **numbers["diabetes"]),
        **made.grid("architectures", {"g": made.GLOBAL}, networks=made.architectures(by_architecture(expected))),
        **made.grid("correlated", {"d": {"kind": "diabetes"}}, networks=losses),
        **made.grid("sizes", {"g": made.GLOBAL}, networks=made.sizes(by_size(expected))),
    }
    whole = xr.DataTree()
    for name, node in parts.items():
        whole[name] = node
    return whole


def by_architecture(expected):
    """Return errors: deep plain networks lose 0.2 on one layer, residual ones a tenth of that, or nine tenths."""
    lost = {"plain": 0.2, "residual": 0.02 if expected else 0.18, "normalised": 0.02 if expected else 0.18}
    return lambda protocol, depth: 0.1 + lost[protocol] * (depth > 1)


def by_size(expected):
    """Return errors: depth gains 0.1, or it gains at two of three sizes and loses to the best of one layer.

    Middle widths win.
    """

    def error(depth, width):
        wide = 0.01 * (width not in (20, 43))
        return wide + (0.2 if depth == 5 else 0.3 if expected else {43: 0.1}.get(width, 0.45))

    return error


def constructed(tasks, name, error):
    values = {"test_error": error, "n_parameters": 37.0}
    dims, shape = ["task", "construction"], (len(tasks), 1)
    columns = {variable: (dims, np.full(shape, value)) for variable, value in values.items()}
    return describe(xr.Dataset(columns, coords={"task": list(tasks), "construction": [name]}), {"task": tasks})


def opposites(numbers):
    """Return the calculations with the opposite of what is proved or claimed."""
    folds, own, shells, steps = (numbers[g] for g in ("folds", "own_size", "shells", "diabetes"))
    counts = folds["sawtooth_counts"]
    polynomials, basin = folds["piecewise_polynomials"], own["folding_basin"]
    density, widths, tubes = shells["radial_density"], shells["radial_widths"], shells["fourier_tubes"]
    rule, step = steps["end_to_end_rule"], steps["overparametrised_step"]
    log_noise = np.log2(basin.noise.where(basin.noise > 0, 1e-9))
    fragile = 1 - 0.5 / (1 + 2 ** (-2 * (log_noise + 4 - 0.5 * (basin.folds - 5)))) + 0 * basin.before  # bears more
    return {
        "folds": {
            "sawtooth_counts": counts.assign(intervals=counts.intervals + 2, peaks=counts.peaks * 2),
            "piecewise_polynomials": polynomials.assign(intervals=polynomials.intervals * 9),
        },
        "own_size": {
            name: basin.assign(before=fragile, after=basin.after * 0 + 0.99).assign_coords(learning_rate=rate)
            for name, rate in {"folding_basin": 0.003, "folding_basin_0.001": 0.001}.items()
        },
        "shells": {
            "radial_density": density.assign(mass=density.mass + 0.1),
            "radial_widths": widths.assign(width=widths.width * widths.dimension**3.0),
            "fourier_tubes": tubes.assign(outside_tubes=tubes.outside_tubes + 0.5),
        },
        "diabetes": {
            "end_to_end_rule": rule.assign(unbalanced_deviation=rule.unbalanced_deviation * 0, gain=-rule.gain),
            "overparametrised_step": step.assign(weighted_sum_deviation=step.weighted_sum_deviation + 1),
        },
    }  # fmt: skip


@pytest.fixture(scope="module")
def trees():
    return {"expected": tree(expected=True), "reverse": tree(expected=False)}


def verdict(name, cube):
    return judge(claim_files.load_claim("expressivity", name), cube)["verdict"]


CHECKS = (
    "composition_multiplies_crossings", "triangle_count_is_misprinted", "few_layers_few_oscillations",
    "few_oscillations_err", "piecewise_polynomials_oscillate_little", "deep_expresses_more_per_parameter",
    "exact_networks_are_fragile", "density_needs_unit_volume", "two_layers_make_radial_functions",
    "shells_are_expressible", "tubes_cover_little",
    "overparametrisation_is_an_adaptive_rate", "end_to_end_rule_holds", "preconditioner_favours_large_directions",
)  # fmt: skip
OWN = (
    "depth_learns_more_folds", "gain_grows_with_folds", "expressible_is_not_learned", "three_layers_for_shells",
    "gap_grows_with_dimension", "training_leaves_what_it_cannot_find", "ball_needs_no_depth",
    "residual_networks_close_the_gap", "gains_of_depth_have_one_sign", "rates_are_dense_enough",
    "depth_fits_more_folds", "depth_learns_more_from_spread_starts", "smaller_rates_leave_it_too",
    "three_layers_fit_shells", "ball_error_is_spared_little", "quartic_acceleration_by_other_counts",
    "no_acceleration_for_squares_by_other_counts", "faster_than_adaptive_methods_by_other_counts",
)  # fmt: skip
PLANTED = {
    **dict.fromkeys(claim_files.claims("expressivity"), ("reproduced", "not reproduced")),
    **dict.fromkeys(CHECKS, ("verified", "violated")),
    **dict.fromkeys(OWN, ("holds", "does not hold")),
}


@pytest.mark.parametrize("claim", claim_files.claims("expressivity"))
def test_a_claim_holds_where_its_truth_is_planted_and_falls_with_it(trees, claim):
    assert (verdict(claim, trees["expected"]), verdict(claim, trees["reverse"])) == PLANTED[claim]


@pytest.mark.parametrize("claim", claim_files.claims("expressivity"))
def test_a_claim_is_not_run_where_nothing_is(claim):
    assert verdict(claim, xr.DataTree()) == "not run"


def test_without_a_gap_there_is_none_to_close():
    cube = xr.DataTree()
    same = made.architectures(lambda protocol, depth: 0.1)
    cube["/architectures"] = made.grid("architectures", {"g": made.GLOBAL}, networks=same)["/architectures"]
    found = judge(claim_files.load_claim("expressivity", "residual_networks_close_the_gap"), cube)
    assert found["verdict"] == "inconclusive"
    assert "no gap" in found["parts"][0]["reason"]


def test_an_architecture_that_costs_one_layer_its_accuracy_says_nothing_of_optimisation():
    cube, worse = xr.DataTree(), {("normalised", 1): 0.3, ("plain", 7): 0.3, ("normalised", 7): 0.3}
    networks = made.architectures(lambda protocol, depth: worse.get((protocol, depth), 0.1))
    cube["/architectures"] = made.grid("architectures", {"g": made.GLOBAL}, networks=networks)["/architectures"]
    found = judge(claim_files.load_claim("expressivity", "residual_networks_close_the_gap"), cube)
    residual, normalised = found["parts"]
    assert (residual["verdict"], normalised["verdict"]) == ("holds", "inconclusive")
    assert "itself worse than plain, by 0.2" in normalised["reason"]


def of_sizes(error):
    cube = xr.DataTree()
    cube["/sizes"] = made.grid("sizes", {"g": made.GLOBAL}, networks=made.sizes(error))["/sizes"]
    return cube


def test_without_a_sign_at_equal_parameters_there_is_none_to_share():
    found = judge(claim_files.load_claim("expressivity", "gains_of_depth_have_one_sign"), of_sizes(lambda d, w: 0.2))
    assert found["verdict"] == "inconclusive"
    assert "sign" in found["parts"][0]["reason"]


def test_equal_compute_leaves_out_what_costs_more():
    """The widest networks are the best, and cost more than the second largest deep ones to their last epoch."""
    cells = Cells.of(
        of_sizes(lambda d, w: 0.1 if w == 88 else 0.3 - 0.05 * (d == 5)), "sizes", first=("protocol", "n_train")
    )
    assert at_equal_compute(cells, "g").value == pytest.approx(0.05, abs=0.01)
    inner = of_sizes(lambda d, w: {43: 0.1, 20: 0.25}.get(w, 0.3))
    cells_of_inner = Cells.of(inner, "sizes", first=("protocol", "n_train"))
    assert at_best_widths(cells_of_inner, "g").value == pytest.approx(-0.15, abs=0.01)
    assert at_equal_parameters(cells, "g").value == pytest.approx((0.05 + 0.05 - 0.15) / 3, abs=0.01)


def test_a_width_at_an_end_is_in_doubt_where_the_worse_depth_could_draw_level():
    better = of_sizes(lambda d, w: {20: 0.2, 40: 0.1}.get(w, 0.3))  # wider deep networks could only be better still
    gap = at_best_widths(Cells.of(better, "sizes", first=("protocol", "n_train")), "g")
    assert gap.value == pytest.approx(0.2, abs=0.01)
    worse = of_sizes(lambda d, w: {10: 0.4, 20: 0.35, 40: 0.25}.get(w, 0.2))
    with pytest.raises(Undetermined, match="best width of depth 5 is 40, at an end of those offered, where the error"):
        at_best_widths(Cells.of(worse, "sizes", first=("protocol", "n_train")), "g")


def test_training_errors_that_still_fall_decide_as_little_as_test_errors():
    def late(task, depth, width):
        return 0.3 - 0.06 * (depth > 1)

    networks = made.trained(SHELLS, late, depths=(1, 2), widths=(30, 108), width_of=lambda d: {1: 108, 2: 30}[d])
    place = {"step": networks.step < networks.step[-1], "depth": 0}
    networks["recorded_train_error"][{**place, "step": np.flatnonzero(place["step"].values)}] += 0.1
    cube = xr.DataTree()
    cube["/shells"] = made.grid("shells", SHELLS, networks=networks)["/shells"]
    parts = judge(claim_files.load_claim("expressivity", "three_layers_fit_shells"), cube)["parts"]
    reasons = {part["label"]: part["reason"] for part in parts}
    assert "after twice the steps" in reasons["d = 5"]


def steps_that_fail(kind, layers, p):
    return 10**5 if layers == 1 else 100


def test_a_shallow_run_that_did_not_arrive_bounds_an_acceleration_and_refutes_no_absence_of_one():
    losses = made.regressions(steps_that_fail)
    cube = xr.DataTree()
    cube["/diabetes"] = made.grid("diabetes", {"d": {"kind": "diabetes"}}, networks=losses)["/diabetes"]
    found = judge(claim_files.load_claim("expressivity", "depth_accelerates_quartic"), cube)
    assert found["verdict"] == "reproduced"
    (part,) = found["parts"]
    assert part["label"].endswith("for the first time, gap 0.001")
    others = judge(claim_files.load_claim("expressivity", "quartic_acceleration_by_other_counts"), cube)["parts"]
    assert [label.split(", ", 2)[2] for label in (part["label"] for part in others)] == [
        "for the first time, gap 0.003", "to stay, gap 0.001", "to stay, gap 0.003"
    ]  # fmt: skip
    assert verdict("no_acceleration_for_squares", cube) == "inconclusive"


@pytest.mark.parametrize(
    "kind", ["interval_counts", "network_functions", "folding_basin", "radial_theory", "end_to_end"]
)
def test_figures_of_theory_draw_cubes_with_and_without_their_numbers(trees, kind):
    draw = __import__(f"isobath.figures.{kind}", fromlist=["draw"]).draw
    for grid in ("folds", "own_size", "shells", "diabetes"):
        assert draw(trees["expected"][grid]).axes


def test_figures_of_trained_networks_draw_every_curve(trees):
    from isobath.figures import (  # noqa: PLC0415
        accuracy_by_architecture,
        accuracy_by_dimension,
        accuracy_by_folds,
        accuracy_by_rate,
        accuracy_by_size,
    )

    folds, shells = trees["expected"]["folds"], trees["expected"]["shells"]
    drawn = {
        "trained, depth 3": accuracy_by_folds.draw(folds, protocol="adam", construction="folding"),
        "1 × 333": accuracy_by_rate.draw(folds, tasks=("sawtooth-3",), protocol="adam"),
        "2 hidden layers": accuracy_by_dimension.draw(shells, protocol="adam"),
        "normalised": accuracy_by_architecture.draw(trees["expected"]["architectures"]),
        "depth 5": accuracy_by_size.draw(trees["expected"]["sizes"], protocol="adam"),
    }
    for label, figure in drawn.items():
        (legend,) = figure.legends
        assert label in [t.get_text() for t in legend.get_texts()]


@pytest.mark.parametrize("kind", ["iterations", "loss_gaps"])
def test_figures_of_regressions_draw_every_method(trees, kind):
    draw = __import__(f"isobath.figures.{kind}", fromlist=["draw"]).draw
    figure = draw(trees["expected"]["diabetes"])
    text = [t.get_text() for axis in figure.axes for t in axis.get_xticklabels()]
    text += [t.get_text() for axis in figure.axes if axis.get_legend() for t in axis.get_legend().get_texts()]
    assert any("adagrad" in t for t in text)
    assert any("N = 3" in t for t in text)
