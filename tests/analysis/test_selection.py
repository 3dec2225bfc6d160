"""Errors that are quoted at a chosen step and rate, against loops and against known optimism."""

import numpy as np
import pytest
import xarray as xr

from isobath.analysis import selection


def networks(*, seeds=3, rates=2, steps=5, seed=0, swept=True):
    generator = np.random.default_rng(seed)
    dims = ["width", "learning_rate", "seed", "step"]
    shape = (2, rates, seeds, steps)
    halves = [generator.integers(0, 50, shape) / 50 for _ in range(2)]
    variables = {
        "recorded_first_half_error": (dims, halves[0]),
        "recorded_second_half_error": (dims, halves[1]),
        "recorded_test_error": (dims, (halves[0] + halves[1]) / 2),
    }
    data = xr.Dataset(variables, coords={"step": np.arange(steps), "learning_rate": np.arange(1, rates + 1) / 10})
    return data if swept else data.isel(learning_rate=0)


def at_the_end(data):
    return data.recorded_test_error.isel(step=-1)


@pytest.mark.parametrize("swept", [True, False])
def test_the_two_rules_are_those_of_loops(swept):
    data = networks(swept=swept)
    best, chosen = selection.best(data), selection.chosen(data)
    assert set(best.dims) == set(chosen.dims) == {"width", "seed"}
    for width in range(2):
        for seed in range(3):
            cell = data.isel(width=width, seed=seed)
            first, second = (cell[f"recorded_{half}_half_error"].values.ravel() for half in ("first", "second"))
            expected = (second[first.argmin()] + first[second.argmin()]) / 2
            assert chosen.isel(width=width, seed=seed).item() == pytest.approx(expected)
            assert best.isel(width=width, seed=seed).item() == pytest.approx(((first + second) / 2).min())


def test_of_equal_errors_the_first_step_counts_and_of_its_rates_the_first():
    """The other half tells which place was taken: by rate, then by step, the smallest error stands three times."""
    first, second = [[0.2, 0.1, 0.3], [0.1, 0.2, 0.1]], [[0.9, 0.7, 0.8], [0.4, 0.5, 0.6]]
    dims = ("learning_rate", "step")
    data = xr.Dataset({"recorded_first_half_error": (dims, first), "recorded_second_half_error": (dims, second)})
    assert selection.chosen(data).item() == pytest.approx((0.4 + 0.1) / 2)
    assert selection.chosen(data.transpose("step", ...)).item() == pytest.approx((0.4 + 0.1) / 2)
    data["recorded_first_half_error"][:, 0] = 0.1
    assert selection.chosen(data).item() == pytest.approx((0.9 + 0.1) / 2)


def test_the_rule_of_the_test_set_is_optimistic_and_the_clean_one_is_not():
    """All networks guess: the smallest of many errors is far below a half; the other half of the data gives a half."""
    data = networks(seeds=400, rates=3, steps=20, seed=1)
    halves = ["recorded_first_half_error", "recorded_second_half_error"]
    generator = np.random.default_rng(2)
    for half in halves:
        data[half] = data[half].copy(data=generator.binomial(100, 0.5, data[half].shape) / 100)
    data["recorded_test_error"] = (data[halves[0]] + data[halves[1]]) / 2
    assert selection.best(data).mean().item() < 0.43
    assert abs(selection.chosen(data).mean().item() - 0.5) < 4 * 0.05 / np.sqrt(800 * 2)


def test_a_rate_that_diverged_is_never_chosen_and_all_of_them_give_nan():
    data = networks()
    lost = {"learning_rate": 0}
    for name in data:
        data[name][lost] = np.nan
    remaining = data.isel(learning_rate=[1])
    xr.testing.assert_allclose(selection.chosen(data), selection.chosen(remaining))
    xr.testing.assert_allclose(selection.best(data), selection.best(remaining))
    for name in data:
        data[name][:] = np.nan
    assert selection.chosen(data).isnull().all()
    assert selection.best(data).isnull().all()


@pytest.mark.parametrize("steps", [[1, 2, 4, 8, 16], [0, 7, 16], [3, 9, 15, 16]])
def test_an_error_that_falls_with_the_logarithm_of_the_steps_goes_on_so_whatever_was_recorded(steps):
    """Once what it fell from the last record of the first half on was taken for what it falls in the second half."""
    line = 0.5 - 0.02 * np.log2(np.maximum(steps, 1))
    data = xr.Dataset({"recorded_test_error": ("step", line)}, coords={"step": steps})
    went_on = selection.after_twice_the_steps(data, at_the_end, at_the_end(data))
    assert went_on.item() == pytest.approx(0.5 - 0.02 * 5)


def test_a_rule_can_choose_among_widths_as_well():
    """The networks of all widths then count as if they were more rates of one width."""
    data = networks()
    among = [*selection.CHOICES, "width"]
    flat = data.stack(row=["width", "learning_rate"], create_index=False).drop_vars("learning_rate")
    flat = flat.rename(row="learning_rate").assign_coords(learning_rate=range(4)).transpose("learning_rate", ...)
    for rule in selection.RULES.values():
        np.testing.assert_allclose(rule(data, over=among), rule(flat))
    best = selection.accuracies(data, "best on the test set", over=among)
    np.testing.assert_allclose(best, 1 - data.recorded_test_error.min(["width", "learning_rate", "step"]))


def test_no_error_falls_below_zero_after_twice_the_steps():
    data = xr.Dataset({"recorded_test_error": ("step", [0.4, 0.3, 0.05])}, coords={"step": [0, 10, 20]})
    went_on = selection.after_twice_the_steps(data, at_the_end, at_the_end(data))
    assert went_on.item() == 0


def test_steps_of_other_cells_do_not_change_what_twice_the_steps_give():
    """Once the last step of the first half was one at which other networks alone had records."""
    own = xr.Dataset(
        {"recorded_test_error": (("seed", "step"), [[0.3, 0.2, 0.14, 0.12]])}, {"step": [0, 40, 80, 120], "seed": [0]}
    )
    among_others = own.reindex(step=[0, 40, 50, 60, 80, 120])
    best = selection.best
    alone, beside = (selection.after_twice_the_steps(cell, best, best(cell)).item() for cell in (own, among_others))
    assert alone == beside == pytest.approx(0.12 - np.log(2) / np.log(3) * (0.2 - 0.12))
