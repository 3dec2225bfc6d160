"""The study expressivity: where its claims have a number, and where they say that there is none."""

import expressivity_cubes as made
import expressivity_distinct as uneven
import numpy as np
import pytest
import xarray as xr
from expressivity_distinct import FOLDS, OWN, PARITY, SHAPES, SHELLS, SIZES, weights
from expressivity_distinct_tables import DESCENT, tables
from expressivity_distinct_tables import regressions as regression_table
from expressivity_formulas import acceleration

from isobath import claim_files
from isobath.analysis.cells import Cells
from isobath.analysis.estimates import NotRun, Undetermined
from isobath.analysis.verdicts import judge
from isobath.claims.expressivity.sizes import at_best_widths, at_equal_compute, at_equal_parameters, of_the_sign

FALLING = (0.0, 0.05, 0.1, 0.15)  # lost at each rate: the smallest is best, by a margin
BALL, SHELL = {"ball": SHELLS["shells-2-3"]}, {"shell": SHELLS["shells-4-5"]}


def of_grid(name, tasks, **groups):
    tree = xr.DataTree()
    for path, node in made.grid(name, tasks, **groups).items():
        tree[path] = node
    return tree


def parts(claim, tree):
    return {part["label"]: part for part in judge(claim_files.load_claim("expressivity", claim), tree)["parts"]}


def only(claim, tree):
    (part,) = parts(claim, tree).values()
    return part


def two_layers(tasks, one, *, sizes=(1000, 1000), depths=(1, 2), **how):
    """Make networks of two layers with the error 0.2, and of one layer with another, of two ``sizes``."""
    shapes = {depth: (10 * depth,) for depth in depths}
    errors, weights = {1: one, 2: 0.2, 3: 0.2}, {10: sizes[0], 20: sizes[1], 30: sizes[1]}
    networks = uneven.networks(
        0, tasks, shapes, lambda task, protocol, depth, width: errors[depth], lambda task, width: weights[width],
        spread=0.001, **how,
    )  # fmt: skip
    return of_grid("shells", tasks, networks=networks)


@pytest.mark.parametrize(("size", "equal"), [(1090, True), (1110, False), (920, True), (900, False)])
def test_sizes_are_equal_within_a_tenth(size, equal):
    part = only("three_layers_for_shells", two_layers(SHELL, 0.3, sizes=(size, 1000)))
    assert (part["estimate"] is not None, part["verdict"] == "not run") == (equal, not equal)
    assert equal or f"of 1000 parameters shell has no networks of depth 1; {size} are nearest" in part["reason"]


def test_without_one_layer_there_is_no_gain_over_it():
    part = only("three_layers_for_shells", two_layers(SHELL, 0.3, depths=(2, 3)))
    assert (part["verdict"], part["reason"]) == ("not run", "shell has no networks of depth 1")


@pytest.mark.parametrize(("error", "known"), [(0.035, False), (0.045, True)])
def test_errors_of_a_ball_below_twice_the_gain_say_nothing_of_it(error, known):
    part = only("ball_needs_no_depth", two_layers(BALL, error))
    assert (part["estimate"] is not None) == known
    assert known or part["reason"].startswith("errors are at most 0.03")


def test_the_growth_with_the_dimension_takes_both_dimensions():
    part = only("gap_grows_with_dimension", two_layers(SHELL, 0.3))
    assert (part["label"], part["verdict"]) == ("d = 10 minus d = 5", "not run")


def of_architectures(error):
    networks = made.architectures(error)
    return of_grid("architectures", {"g": made.GLOBAL}, networks=networks)


def test_a_gap_that_may_be_none_and_a_layer_that_is_worse_leave_architectures_open():
    slight = of_architectures(lambda protocol, depth: 0.1 + 0.0001 * (depth > 1))
    assert "no gap" in only_reason(slight)
    costly = of_architectures(lambda protocol, depth: 0.2 if depth > 1 or protocol == "normalised" else 0.1)
    assert "1 layer of normalised is itself worse than plain, by 0.1" in only_reason(costly)


def only_reason(tree):
    return parts("residual_networks_close_the_gap", tree)["g: normalised"]["reason"]


def at_an_end():
    """Make the networks of claims, whose smallest rate is the best."""

    def of(grid, tasks, shapes, error, size):
        networks = uneven.networks(4, tasks, shapes, error, size, spread=0.001, ends=FALLING)
        return made.grid(grid, tasks, networks=networks)

    tree = xr.DataTree()
    of_own = dict.fromkeys(range(1, 4), (2,)), lambda task, protocol, depth, width: 0.05, lambda task, width: width
    grids = {
        **of("folds", {"four": FOLDS["sawtooth-4"]}, SHAPES, uneven.of_folds, weights),
        **of("own_size", {name: OWN[name] for name in ("own-1", "own-3")}, *of_own),
        **of("sizes", {"g": PARITY["global"]}, SIZES, uneven.of_sizes, lambda _, w: uneven.WEIGHTS_OF_SIZES[w]),
        **made.grid("architectures", PARITY, networks=uneven.architectures(ends=FALLING)),
    }
    for path, node in grids.items():
        tree[path] = node
    return tree


def test_no_accuracy_counts_whose_best_rate_is_an_end_of_those_offered():
    tree = at_an_end()
    for claim in (
        "depth_learns_more_folds", "depth_fits_more_folds", "expressible_is_not_learned",
        "residual_networks_close_the_gap", "gains_of_depth_have_one_sign",
    ):  # fmt: skip
        for label, part in parts(claim, tree).items():
            assert "rate not found: 0.001, the smallest that was offered, is the best" in part["reason"], (claim, label)
    cells = Cells.of(tree, "sizes", first=("protocol", "n_train"))
    for measure in (at_equal_parameters, at_best_widths, at_equal_compute):
        with pytest.raises(Undetermined, match="rate not found"):
            measure(cells, "g")


def basin(*folds):
    """Return numbers of a basin at some of its folds."""
    return tables()["own_size/calculations/folding_basin"].sel(folds=list(folds))


@pytest.mark.parametrize(("folds", "usable"), [((2, 3, 5), 3), ((2, 3, 6), 2), ((2, 5, 9), 2)])
def test_a_slope_takes_three_folds_at_which_nine_of_ten_accuracies_fall(folds, usable):
    part = only("exact_networks_are_fragile", of_grid("own_size", OWN, folding_basin=basin(*folds)))
    assert (part["estimate"] is not None) == (usable == 3)
    assert usable == 3 or f"at {usable} numbers of folds; 3 are needed" in part["reason"]


@pytest.mark.parametrize(("diverged", "verdict"), [(1, "holds"), (2, "inconclusive")])
def test_what_training_leaves_is_known_if_nine_of_ten_networks_did_not_diverge(diverged, verdict):
    numbers = basin(8).assign(after=basin(8).after * 0.5)
    numbers["after"][{"noise": 1, "network": slice(diverged)}] = np.nan
    numbers["after"][{"noise": 1, "network": 3}] = 0.25 if diverged == 1 else 0.3
    found = judge(
        claim_files.load_claim("expressivity", "training_leaves_what_it_cannot_find"),
        of_grid("own_size", OWN, folding_basin=numbers.assign_coords(learning_rate=0.003)),
    )
    (part,) = found["parts"]
    assert (part["verdict"], part["counted"], part["trained"]) == (verdict, 12 - diverged, 12)
    assert found["headline"].endswith("for this data set")


def test_a_width_in_two_dimensions_has_no_slope():
    widths = tables()["shells/calculations/radial_widths"]
    found = parts(
        "two_layers_make_radial_functions", of_grid("shells", SHELLS, radial_widths=widths.isel(dimension=[0, 1, 3]))
    )
    assert [part["estimate"] is None for part in found.values()] == [False, True, True, False]
    assert found["cosine, step"]["reason"] == "fewer than 3 dimensions have a width"


def test_a_construction_that_failed_is_no_construction_that_was_not_run():
    tasks = {"sawtooth-6": uneven.BUILT["sawtooth-6"]}
    failed = uneven.constructions(0, tasks)
    part = only("deep_expresses_more_per_parameter", of_grid("folds", tasks, constructions=failed))
    assert (part["verdict"], part["reason"]) == ("inconclusive", "the job of the folding network failed")
    fewer = of_grid("folds", uneven.BUILT, constructions=uneven.constructions(0, uneven.BUILT).isel(task=[0, 2]))
    assert only("deep_expresses_more_per_parameter", fewer)["reason"] == "there is no sawtooth of 6 folds"


def test_bounds_on_networks_are_not_checked_without_their_weights():
    counts = uneven.oscillation_counts(0, uneven.BUILT, {})
    started = counts.where(counts.moment == "start")
    found = parts("few_oscillations_err", of_grid("folds", uneven.BUILT, oscillation_counts=started))
    assert [part["verdict"] for part in found.values()] == ["violated", "not run", "violated", "not run"]


def regressions(steps, **how):
    return of_grid("diabetes", {"d": {"kind": "diabetes"}}, networks=made.regressions(steps, **how))


FIRST = "diabetes: gradient descent, N = 1, for the first time, gap 0.001"


@pytest.mark.parametrize("layers", [2, 3])
def test_deep_runs_that_do_not_arrive_leave_an_acceleration_unknown(layers):
    tree = regressions(lambda kind, n, p: 10**5 if n == layers else 100)
    part = parts("depth_accelerates_quartic", tree)[FIRST]
    assert (part["verdict"], part["estimate"]) == ("inconclusive", None)
    assert part["reason"] == "runs of two or three layers did not arrive within the last step"


def test_a_lower_bound_below_the_threshold_refutes_no_acceleration():
    tree = regressions(lambda kind, n, p: 10**5 if n == 1 else 1700)
    part = parts("depth_accelerates_quartic", tree)[FIRST]
    assert 0 < part["estimate"] < part["high"] < np.log(1.3)
    assert (part["verdict"], part["reason"]) == ("inconclusive", "it is a lower bound, as runs did not arrive")
    part = parts("no_acceleration_for_squares", tree)[FIRST]
    assert (part["estimate"], part["reason"]) == (
        None, "gradient descent, N = 1 did not arrive within the last step on 4 data sets"
    )  # fmt: skip


def lost(networks, layers, draws):
    """Return networks without those of a number of layers on some data sets, whose jobs failed."""
    gone = (networks.depth == layers - 1) & networks.draw.isin(draws)
    status = networks.status.where(~gone | (networks.status == "missing"), "failed")
    return networks.assign(status=status, recorded_loss=networks.recorded_loss.where(~gone))


def test_data_sets_without_two_or_three_layers_are_left_out():
    networks = regression_table("correlated")
    tree = of_grid("correlated", {}, networks=lost(networks, 3, [0]))
    (part,) = parts("no_acceleration_for_squares", tree).values()
    values = acceleration(networks.isel(draw=slice(1, None)), DESCENT, 2, 1e-3, lasting=False)
    assert part["estimate"] == pytest.approx(np.mean([*values.values()]))
    one = of_grid("correlated", {}, networks=lost(lost(networks, 3, [0, 1]), 2, [2]))
    assert "one data set cannot choose" in only("no_acceleration_for_squares", one)["reason"]


def test_one_data_set_chooses_no_number_of_layers():
    networks = made.regressions(made.expected_steps).isel(draw=[0])
    part = only("depth_accelerates_quartic", of_grid("diabetes", {"d": {"kind": "diabetes"}}, networks=networks))
    assert "one data set cannot choose between two and three layers" in part["reason"]


def test_a_rate_at_an_end_leaves_an_acceleration_unknown():
    part = parts("depth_accelerates_quartic", regressions(made.expected_steps, deep_best=4))[FIRST]
    assert (part["verdict"], part["reason"]) == ("inconclusive", "rate not found on 4 of 4 data sets: an end is best")


def of_sizes(error, *, shapes=None, weights=None, **how):
    """Return the cells of networks of one and of five layers, of 500, 2000 and 8000 weights unless they are given."""
    shapes, size = shapes or {1: (21, 43, 88), 5: (10, 20, 40)}, weights or uneven.WEIGHTS_OF_SIZES
    networks = uneven.networks(
        0, {"g": PARITY["local"]}, shapes, lambda task, protocol, d, w: error(d, w), lambda task, w: size[w],
        spread=0.001, **how,
    )  # fmt: skip
    return networks, cells_of(networks)


def cells_of(networks):
    tree = of_grid("sizes", {"g": PARITY["local"]}, networks=networks)
    return Cells.of(tree, "sizes", first=("protocol", "n_train"))


@pytest.mark.parametrize(
    ("worse", "best"),
    [({10: 0.4, 20: 0.35, 40: 0.25}, 40), ({10: 0.25, 20: 0.35, 40: 0.4}, 10), ({21: 0.4, 43: 0.35, 88: 0.25}, 88)],
)
def test_the_worse_depth_may_draw_level_beyond_the_end_of_the_widths(worse, best):
    _, cells = of_sizes(lambda depth, width: worse.get(width, 0.2))
    with pytest.raises(Undetermined, match=f"best width of depth {1 if best == 88 else 5} is {best}, at an end"):
        at_best_widths(cells, "g")


def test_a_depth_whose_error_falls_by_less_than_the_gap_stays_the_worse_one():
    _, cells = of_sizes(lambda depth, width: {10: 0.4, 20: 0.28, 40: 0.25}.get(width, 0.2))
    assert at_best_widths(cells, "g").value == pytest.approx(-0.05, abs=0.01)
    _, cells = of_sizes(lambda depth, width: {20: 0.25, 10: 0.4, 40: 0.3}.get(width, 0.2))  # an inner width is best
    assert at_best_widths(cells, "g").value == pytest.approx(-0.05, abs=0.01)


def test_an_error_that_falls_by_less_than_its_standard_error_does_not_fall():
    networks, _ = of_sizes(lambda depth, width: {10: 0.4, 20: 0.27, 40: 0.25}.get(width, 0.22))
    swings = xr.DataArray([0.05, -0.05, 0.05, -0.05], dims="draw") * (networks.width == 20)
    for half in uneven.HALVES:
        networks[f"recorded_{half}_error"] = networks[f"recorded_{half}_error"] + swings
    assert -0.02 < at_best_widths(cells_of(networks), "g").value < 0


def test_sizes_that_are_not_there_are_said():
    for measure, words, shapes in (
        (at_equal_parameters, "networks of one depth alone", {5: (10, 20)}),
        (at_equal_compute, "deep networks of one width alone", {1: (21, 43), 5: (10,)}),
        (at_equal_parameters, "no networks of both depths with as many parameters", {1: (170,), 5: (10, 80)}),
    ):
        with pytest.raises(NotRun, match=words):
            measure(of_sizes(lambda depth, width: 0.2, shapes=shapes)[1], "g")
    _, cells = of_sizes(lambda depth, width: 0.2, weights=uneven.WEIGHTS_OF_SIZES | {20: np.nan})
    with pytest.raises(Undetermined, match="the budget is not known"):
        at_equal_compute(cells, "g")


def test_a_gain_at_equal_parameters_without_a_sign_is_not_compared_with_others():
    _, cells = of_sizes(lambda depth, width: 0.2)
    with pytest.raises(Undetermined, match="the sign of the gain at equal parameters is not known"):
        of_the_sign(cells, "g", at_best_widths)


def test_a_gap_within_its_error_is_none_to_close():
    tree = of_architectures(lambda protocol, depth: 0.1 + 0.002 * (depth > 1))
    networks = tree["architectures/networks"].to_dataset()
    swing = xr.DataArray(0.02 * (-1.0) ** np.arange(networks.sizes["seed"]), dims="seed") * (networks.depth > 1)
    errors = [name for name in networks if str(name).startswith("recorded_") and str(name).endswith("error")]
    tree["architectures/networks"] = xr.DataTree(networks.assign({name: networks[name] + swing for name in errors}))
    assert "no gap" in only_reason(tree)
