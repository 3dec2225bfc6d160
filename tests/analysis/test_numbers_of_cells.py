"""Numbers that cells give: values, both standard errors, units and intervals, against formulas written out."""

import json
from dataclasses import replace

import numpy as np
import planted_cells as made
import pytest
import xarray as xr
from locality_cubes import block
from scipy.stats import binomtest
from test_verdicts import AT, cells_of, search_of

from isobath.analysis import axes, budgets, cell_sizes, selection
from isobath.analysis.cells import Cells
from isobath.analysis.combinations import average
from isobath.analysis.estimates import ONE_CHOICE, ONE_DATA_SET, RATE, NotRun, Undetermined
from isobath.analysis.over_networks import over_networks
from isobath.analysis.term_families import term_families

PLACES = [
    {"task": "made", "depth": 7, "width": 20, "n_train": 90},
    {"task": "cut", "depth": 1, "width": 40, "n_train": 50},
]
SHAPES = [(1, 30, 50), (7, 20, 90), (1, 10, 90)]  # depth, width and n_train
FINITE = "over all networks that did not diverge"


@pytest.mark.parametrize("draws", [4, 8])
@pytest.mark.parametrize("place", PLACES, ids=["made", "cut"])
def test_an_error_over_data_sets_has_their_spread_and_the_error_of_a_test_set_that_they_share(place, draws):
    cells = made.planted(draws=draws)
    found = cells.error(**place)
    errors, fits = made.errors_at(cells, **place), made.fits_at(cells, **place)
    means = [row[fit].mean() for row, fit in zip(errors, fits, strict=True)]
    value, spread = np.mean(means), made.standard_error(means)
    sample = made.binomial(value, made.OWN_TEST) if place["task"] == "made" else 0.0
    assert (found.value, found.spread, found.sample) == pytest.approx((value, spread, sample))
    assert (found.count, dict(found.draws)) == (draws, pytest.approx(dict(enumerate(means))))
    assert found.interval() == pytest.approx(made.ends(value, spread=spread, sample=sample, units=draws))
    assert found.by(FINITE) == pytest.approx(np.mean([np.nanmean(row) for row in errors]))
    assert (found.tally.counted, found.tally.trained) == (3 * draws - 2, 3 * draws)


@pytest.mark.parametrize("place", PLACES, ids=["made", "cut"])
def test_an_error_on_one_data_set_has_the_spread_of_its_networks_and_the_error_of_its_test_set(place):
    cells, n_test = made.planted(), made.OWN_TEST if place["task"] == "made" else made.N_TEST
    errors, fits = made.errors_at(cells, **place), made.fits_at(cells, **place)
    whole = cells.error(**place)
    for draw, (row, fit) in enumerate(zip(errors, fits, strict=True)):
        value, spread = row[fit].mean(), made.standard_error(row[fit])
        sample = made.binomial(value, n_test)
        for found in (cells.error(draw=draw, **place), whole.alone[draw]):
            assert (found.value, found.spread, found.sample) == pytest.approx((value, spread, sample))
            assert (found.count, found.fixed) == (fit.sum(), ONE_DATA_SET)
            assert found.interval() == pytest.approx(made.ends(value, spread=spread, sample=sample, units=fit.sum()))
            assert found.by(FINITE) == pytest.approx(np.nanmean(row))


def test_an_average_of_cells_keeps_the_error_of_the_test_set_on_each_data_set_as_well():
    cells = made.planted()
    parts = [cells.error(task="made", depth=7, n_train=90, width=width) for width in made.SIZES["width"]]
    found = average(parts)
    assert found.value == pytest.approx(np.mean([part.value for part in parts]))
    assert found.sample == max(part.sample for part in parts)
    for draw in range(4):
        alone = [part.alone[draw] for part in parts]
        spread = np.sqrt(np.square([one.spread for one in alone]).sum()) / 3
        assert found.alone[draw].value == pytest.approx(np.mean([one.value for one in alone]))
        assert found.alone[draw].spread == pytest.approx(spread)
        assert found.alone[draw].sample == max(one.sample for one in alone)


def test_data_sets_that_share_a_search_are_one_unit():
    errors = [0.10, 0.14, 0.21, 0.22, 0.30, 0.37]
    networks = [block([0, 1], [error - 0.01, error + 0.01], draw=draw) for draw, error in enumerate(errors)]
    searches = [search_of([0.1, 1.0, 9.5], [0.4, 0.1, 0.2], chosen=1.0, draw=draw) for draw in (0, 2, 4)]
    cells = cells_of(networks, searches)
    found = cells.error(depth=1, **AT)
    assert (found.value, found.count) == (pytest.approx(np.mean(errors)), 3)
    assert found.spread == pytest.approx(made.standard_error([0.12, 0.215, 0.335]))
    place = {**AT, "protocol": "sgd", "depth": 1}
    assert cells.draws_by_search(place) == 2
    assert cells.draws_by_search({**place, "learning_rate": 0.1}) == 1
    assert RATE not in found.fixed
    assert all(RATE in one.fixed for one in found.alone.values())


def test_a_share_of_fits_has_the_interval_of_clopper_and_pearson():
    cells = made.planted()
    found = cells.fitted_fraction(**PLACES[0])
    exact = binomtest(10, 12).proportion_ci(method="exact")
    assert (found.value, found.count, found.fixed) == (pytest.approx(10 / 12), 12, ONE_CHOICE)
    assert found.interval() == pytest.approx((exact.low, exact.high))
    on_one = cells.fitted_fraction(draw=0, over=("width",), **{k: v for k, v in PLACES[0].items() if k != "width"})
    exact = binomtest(9, 9).proportion_ci(method="exact")
    assert (on_one.value, on_one.count, on_one.fixed) == (1.0, 9, ONE_DATA_SET)
    assert on_one.interval() == pytest.approx((exact.low, 1.0))


@pytest.mark.parametrize("place", PLACES, ids=["made", "cut"])
def test_a_regression_over_data_sets_has_their_spread_and_on_one_of_them_none(place):
    """A regression has no chance of its own: on one data set the error of the test sample is left."""
    cells = replace(made.planted(), groups=made.regressions(), fixed={"kernel": "other"})
    at = {axis: value for axis, value in place.items() if axis != "width"}
    errors = cells.groups["kernels"].test_error.sel(kernel="other", **at).values
    found, n_test = cells.regression(**at), made.OWN_TEST if place["task"] == "made" else made.N_TEST
    sample = made.binomial(errors.mean(), made.OWN_TEST) if place["task"] == "made" else 0.0
    assert (found.value, found.spread, found.sample) == pytest.approx((errors.mean(), errors.std(ddof=1) / 2, sample))
    assert found.count == 4
    for draw, error in enumerate(errors):
        for alone in (found.alone[draw], cells.regression(draw=draw, **at)):
            assert (alone.value, alone.spread, alone.count) == (error, 0.0, 0)
            assert alone.sample == pytest.approx(made.binomial(error, n_test))
            half = 1.959964 * alone.sample
            assert alone.interval() == pytest.approx((error - half, error + half))
            assert ((alone + alone).spread, (alone + alone).sample) == (0.0, pytest.approx(2 * alone.sample))


def test_a_kernel_without_a_depth_is_found_in_its_own_group():
    cells = replace(made.planted(), groups=made.regressions(), fixed={})
    values = cells.groups["kernels_without_depth"].test_error.sel(task="cut", kernel="laplace", n_train=90).values
    assert cells.regression(task="cut", kernel="laplace", n_train=90).value == pytest.approx(values.mean())
    deep = cells.groups["kernels"].test_error.sel(task="cut", kernel="ntk", n_train=90, depth=7).values
    assert cells.regression(task="cut", kernel="ntk", n_train=90, depth=7).value == pytest.approx(deep.mean())


def test_regressions_of_four_data_sets_spread_as_these_do():
    values = {0: 0.30, 1: 0.32, 2: 0.34, 3: 0.36}
    cells = replace(made.planted(), groups=made.regressions(), fixed={"kernel": "ntk"})
    kernels = cells.groups["kernels"].copy(deep=True)
    kernels.test_error.loc[{"task": "cut", "kernel": "ntk", "n_train": 50, "depth": 1}] = [*values.values()]
    found = replace(cells, groups={"kernels": kernels}).regression(task="cut", n_train=50, depth=1)
    assert (found.value, found.count, found.sample) == (pytest.approx(0.33), 4, 0.0)
    assert found.spread == pytest.approx(np.sqrt(0.002 / 3) / 2)


def quoted_by_loops(cells, rule, place, *, last=8):
    """Return the error that a rule quotes of each network (draw, seed), from the records up to a step."""
    steps = np.array(made.STEPS) <= last
    first, second = (errors_of(cells, f"recorded_{half}_half_error", place)[..., steps] for half in ("first", "second"))
    quoted = np.empty(first.shape[:2])
    for network in np.ndindex(quoted.shape):
        a, b = first[network].ravel(), second[network].ravel()
        clean = (b[np.nanargmin(a)] + a[np.nanargmin(b)]) / 2
        quoted[network] = clean if rule == selection.CLEAN else np.nanmin((a + b) / 2)
    return quoted


def errors_of(cells, variable, place):
    networks = cells.groups["networks"].sel(protocol="sgd", **place)
    return networks[variable].transpose("draw", "seed", "learning_rate", "step").values


@pytest.mark.parametrize("rule", selection.RULES)
@pytest.mark.parametrize("place", PLACES, ids=["made", "cut"])
def test_a_quoted_error_is_that_of_its_rule_and_goes_on_as_in_the_second_half_of_the_training(rule, place):
    cells = made.planted(swept=True)
    found = cells.quoted_error(rule, **place)
    quoted, before = (quoted_by_loops(cells, rule, place, last=last) for last in (8, 4))
    by_draw = quoted.mean(1)
    assert dict(found.draws) == pytest.approx(dict(enumerate(by_draw)))
    assert found.spread == pytest.approx(made.standard_error(by_draw))
    sample = made.binomial(by_draw.mean(), made.OWN_TEST) if place["task"] == "made" else 0.0
    assert found.sample == pytest.approx(sample)
    assert found.by(selection.TWICE) == pytest.approx((2 * quoted - before).mean())
    assert (found.tally.counted, found.tally.trained) == (12, 12)  # each at some rate


def test_a_training_error_is_that_at_the_steps_and_rates_that_the_halves_of_the_test_set_choose():
    cells, place = made.planted(swept=True), PLACES[0]
    train, first, second = (
        errors_of(cells, f"recorded_{name}_error", place).reshape(4, 3, -1)
        for name in ("train", "first_half", "second_half")
    )
    quoted = [
        [(train[d, s, np.nanargmin(first[d, s])] + train[d, s, np.nanargmin(second[d, s])]) / 2 for s in range(3)]
        for d in range(4)
    ]
    found = cells.quoted_train_error(**place)
    assert dict(found.draws) == pytest.approx(dict(enumerate(np.mean(quoted, axis=1))))
    assert found.sample == 0
    assert found.spread == pytest.approx(made.standard_error(np.mean(quoted, axis=1)))


def test_a_rule_that_may_choose_the_width_takes_the_best_of_all_widths():
    cells, place = made.planted(swept=True), {"task": "made", "depth": 7, "n_train": 90}
    found = cells.quoted_error(selection.PAPERS, over=("width",), **place)
    networks = cells.groups["networks"].sel(protocol="sgd", **place)
    expected = networks.recorded_test_error.min(["width", "learning_rate", "step"]).mean()
    assert found.value == pytest.approx(expected.item())


def test_an_axis_that_nobody_chooses_is_refused_though_it_is_named_in_no_cell():
    cells = made.planted()
    with pytest.raises(ValueError, match="several values of width: 10, 20, 40"):
        cells.error(task="made", depth=7, n_train=90)
    lost = cells.mapped("networks", lambda networks: networks.assign(status=networks.status.where(False, "diverged")))
    with pytest.raises(Undetermined, match="none of 12 networks fitted"):
        lost.error(**PLACES[0])


def test_networks_of_a_cell_are_counted_by_what_became_of_them():
    networks = made.planted().groups["networks"].sel(protocol="sgd", task="made", depth=7, n_train=90)
    status = networks.status.copy()
    status.loc[{"width": 40, "draw": 2}] = ["failed", "missing", "failed"]
    found = over_networks(networks.assign(status=status))
    for width in made.SIZES["width"]:
        of = networks.test_error.sel(width=width).where(status.sel(width=width) == "fitted").values
        assert found["mean"].sel(width=width).item() == pytest.approx(np.nanmean(of))
        assert found.sd.sel(width=width).item() == pytest.approx(np.nanstd(of, ddof=1))
    assert found.counted.values.tolist() == [10, 10, 7]
    assert found.trained.values.tolist() == [12, 12, 9]
    assert found.failed.values.tolist() == [0, 0, 2]


def test_what_was_spent_is_parameters_times_epochs_and_a_budget_holds_what_was_spent_within_it():
    cells = made.planted(swept=True)
    networks = cells.groups["networks"].isel(protocol=0, task=0, draw=1, seed=0, n_train=0, learning_rate=0)
    sizes = xr.DataArray([[50.0, 100.0, 300.0], [70.0, 200.0, np.nan]], dims=("depth", "width"))
    networks = networks.assign(n_parameters=sizes)
    np.testing.assert_array_equal(budgets.spent(networks).sel(depth=1, width=20), np.array(made.STEPS) * 100)
    kept = budgets.within(networks, 400).recorded_test_error.notnull().sum("step").transpose("depth", "width")
    assert kept.values.tolist() == [[5, 4, 2], [4, 3, 0]]  # 400 is within: 100 parameters at the step 4
    assert (budgets.within(networks, 400).test_error == networks.test_error).all()
    sized = replace(cells, groups={"networks": networks.expand_dims("protocol")}, fixed={})
    assert cell_sizes.parameters(sized, {"depth": 1}) == 300
    assert np.isnan(cell_sizes.parameters(sized, {"depth": 7, "width": 40}))


def test_labels_that_differ_in_their_number_of_terms_are_families_in_order():
    shapes = {"b": (2, 9, 3), "a": (2, 9, 1), "c": (3, 5, 2), "d": (1, 9, 7), "e": (2, 9, 2)}
    tasks = {
        name: {"kind": "k_terms", "k": k, "dimension": d, "terms": m, "rotated": name == "e"}
        for name, (k, d, m) in shapes.items()
    }
    tasks["f"] = {**tasks["a"], "kind": "k_local"}
    networks = xr.Dataset({"status": ("task", np.full(6, "fitted", dtype=object))}, {"task": [*"bacdef"]})
    cells = Cells("g", {"networks": networks}, {"spec": json.dumps({"tasks": tasks})})
    found = term_families(cells, "k_terms")
    assert found == {(1, 9): {7: "d"}, (2, 9): {1: "a", 3: "b"}, (3, 5): {2: "c"}}
    assert [*found] == sorted(found)
    assert [*found[2, 9]] == [1, 3]
    assert term_families(cells, "k_terms", rotated=True) == {(2, 9): {2: "e"}}


def test_a_share_of_fits_is_of_all_data_sets_whose_networks_were_trained():
    status = ["unfitted", "diverged"]
    cells = cells_of([block([0, 1], [0.1, 0.2]), block([0, 1], [0.1, 0.2], status, draw=1)])
    found = cells.fitted_fraction(depth=1, **AT)
    assert (found.value, found.count, found.fixed) == (0.5, 4, ONE_CHOICE)


def test_networks_at_a_rate_that_is_named_need_no_search():
    rates = block([0, 1, 2], [0.1, 0.2, 0.3]).expand_dims(learning_rate=[0.1, 0.5])
    edge = search_of([0.1, 1.0, 9.5], [0.5, 0.4, 0.2], chosen=9.5)
    cells = cells_of([rates], [edge])
    found = cells.error(depth=1, learning_rate=0.5, **AT)
    assert (found.value, found.fixed) == (pytest.approx(0.2), ONE_DATA_SET)
    with pytest.raises(Undetermined, match="rate not found"):
        cells_of([rates.isel(learning_rate=0, drop=True)], [edge]).error(depth=1, **AT)


def test_shapes_are_the_widths_of_each_depth_and_the_first_of_an_axis_is_its_first():
    cells = cells_of([block([0], [0.1], depth=d, width=w, n_train=n) for d, w, n in SHAPES])
    assert cells.shapes("2-local") == {1: [10, 30], 7: [20]}
    first = replace(cells, first=("n_train",))
    assert first.group("networks").n_train.item() == 50
    assert first.error(task="2-local", depth=1, width=30).value == pytest.approx(0.1)
    with pytest.raises(NotRun):
        first.error(task="2-local", depth=7, width=20)


def test_a_label_along_an_axis_is_no_axis_to_choose_by():
    """Once it ended in an error of xarray's that named no axis."""
    data = xr.Dataset({"x": ("task", [1.0, 2.0])}, {"task": ["a", "b"], "task_k": ("task", [2, 3])})
    with pytest.raises(ValueError, match="asks for task_k = 2; task_k is a label along task, not an axis"):
        axes.select(data, {"task_k": 2})


def test_regressions_that_failed_are_no_regressions_that_were_not_asked_for():
    lost = made.regressions()["kernels"]
    lost = lost.assign(test_error=lost.test_error * np.nan)
    cells, at = replace(made.planted(), groups={"kernels": lost}, fixed={"kernel": "ntk"}), {"task": "cut", "depth": 1}
    with pytest.raises(NotRun, match="has no such regressions"):
        cells.regression(n_train=50, **at)
    with pytest.raises(Undetermined, match="no network has this number"):
        replace(cells, attrs={**cells.attrs, "failed": 3}).regression(n_train=50, **at)
