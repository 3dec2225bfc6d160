"""Edges of the library on one's own arrays: networks without layers, dead ones, searches, batches, overflows."""

import warnings

import numpy as np
import pytest
import torch
import xarray as xr

import isobath
from isobath.jobs import trainings

SEARCH = {"minimum": 1e-3, "maximum": 1.0, "folds": 4, "initial": 6, "rounds": 0, "widenings": 0}


def arrays(n=200, d=10, seed=0):
    """Return a training set and a test set of one linear rule."""
    inputs = np.random.default_rng(seed).standard_normal((2, n, d))
    (x, y), test = [(x, np.where(x[:, 0] > 0, 1, 0)) for x in inputs]
    return x, y, test


@pytest.mark.parametrize(
    ("depth", "width", "shape"), [([0, 1], 20, (2, 2)), ([1, 0], [20, 10], (2, 2, 2)), (0, [20, 10], (1, 2))]
)
def test_networks_without_hidden_layers_stand_beside_others(depth, width, shape):
    x, y, test = arrays()
    made = isobath.train(x, y, test=test, depth=depth, width=width, networks=2, max_epochs=20)
    assert made.status.shape == shape
    assert made.status.isin(["fitted", "unfitted"]).all()
    assert made.test_error.notnull().all()


@pytest.mark.parametrize("every", [50, 1000])
def test_a_deep_network_whose_outputs_are_equal_to_rounding_is_not_dead(every):
    x, y, test = arrays()
    network = {"kind": "mlp", "initialisation": "narrow_uniform"}
    how = {"protocol": "adam", "rate": 3e-4, "network": network, "max_epochs": 1000, "check_every": every}
    made = isobath.train(x, y, test=test, depth=7, width=50, networks=2, **how)
    assert (made.status == "fitted").all()


def test_a_network_with_a_dead_layer_is_given_up():
    """A rate so large that the first step turns all of its few units off."""
    x, y, test = arrays(n=50)
    made = isobath.train(x, y, test=test, depth=3, width=1, networks=20, rate=3.0, max_epochs=500, check_every=1)
    given_up = (made.status == "unfitted") & (made.epochs < 500)
    assert given_up.any()


@pytest.mark.parametrize("network", ["residual", {"kind": "cnn", "kernel": 3, "stride": 1}])
def test_a_network_with_one_output_does_not_depend_on_its_stack(network):
    r = np.random.default_rng(1)
    x, xt = r.standard_normal((2, 100, 48))
    y, yt = r.integers(0, 2, (2, 100))
    how = {"depth": 2, "width": 4, "network": network, "loss": "squared_hinge", "protocol": "adam", "rate": 0.02}
    how |= {"max_epochs": 40, "check_every": 10, "store": "weights", "test": (xt, yt)}
    together = isobath.train(x, y, networks=4, **how)
    for i in range(4):
        alone = isobath.train(x, y, networks=[i], **how)
        assert np.array_equal(together.weights[i], alone.weights[0])


def test_a_batch_of_more_rows_than_there_are_is_all_of_them():
    x, y, test = arrays(n=60)
    how = {"test": test, "networks": 2, "max_epochs": 5, "protocol": "momentum"}
    large, whole = (isobath.train(x, y, batch_size=size, **how) for size in (10**12, 60))
    assert large.drop_attrs().identical(whole.drop_attrs())


def noisy(seed):
    """Return targets of which noise is the larger part, so that large rates err by more than a constant answer."""
    r = np.random.default_rng(seed)
    x, xt = r.standard_normal((2, 60, 20))
    return x, *(0.3 * inputs[:, 0] + r.standard_normal(60) for inputs in (x, xt)), xt


@pytest.mark.parametrize("seed", range(3))
def test_a_search_with_real_targets_tells_large_errors_apart(seed):
    x, y, yt, xt = noisy(seed)
    how = {"test": (xt, yt), "loss": "mean_squared_error", "depth": 1, "width": 50, "max_epochs": 100, "networks": 1}
    chosen = isobath.train(x, y, rate=SEARCH, **how)
    assert float(chosen.learning_rate.max()) < 0.1  # a rate of 0.178 errs by twice what the smallest does
    assert float(chosen.test_error.max()) < float(isobath.train(x, y, rate=0.1778, **how).test_error.max())


def test_a_search_that_found_no_rate_warns():
    x, y, test = arrays(n=60)
    slow = {"minimum": 1e-6, "maximum": 1e-5, "folds": 4, "initial": 2, "rounds": 0, "widenings": 0}
    with pytest.warns(UserWarning, match="depth 1, width 20: rate not found: no trial of the search") as caught:
        isobath.train(x, y, test=test, depth=1, width=20, max_epochs=5, rate=slow, networks=1)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        isobath.train(x, y, test=test, depth=1, width=20, rate=SEARCH, networks=1)


def test_outputs_that_are_not_finite_have_no_error():
    x, y, (xt, yt) = arrays()
    far = xt.astype(np.float32)
    far[:20] = -3.4028235e38
    made = isobath.train(x, y, test=(far, yt), max_epochs=20, networks=2)
    assert made.test_error.isnull().all()
    assert np.isnan(isobath.regress(x, y, test=(xt * 1e160, yt)).test_error)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rate": SEARCH | {"draws": 2}}, "rate has draws 2; it must be 1"),
        ({"records": 3, "test": 1}, "test has 1 sample; with records it needs 2"),
        ({"depth": []}, "depth is []; it must be an integer, or a list of one or more"),
        ({"depth": [[1, 2], [3]]}, "depth is [[1, 2], [3]]; it must be an integer, or a list of integers"),
        ({"loss": "mean_squared_error", "y": 1e9}, "y has samples that differ by less than float32 can tell"),
        ({"loss": "mean_squared_error", "y": 1e300}, "y has the number"),
    ],
)
def test_what_would_be_wrong_is_refused(change, said):
    x, y, (xt, yt) = arrays(n=30)
    if "y" in change:
        large = change.pop("y")
        y, yt = (np.where(labels, large, large + (1 if large < 1e20 else large)) for labels in (y, yt))
    if (count := change.pop("test", None)) is not None:
        xt, yt = xt[:count], yt[:count]
    with pytest.raises(ValueError, match=r"^[^\n]*$") as refusal:
        isobath.train(x, y, test=(xt, yt), **change)
    assert said in str(refusal.value)


@pytest.mark.parametrize("fits", [[0, 1, 0, 0, 1, 1], [0, 0, 1, 0, 1, 1]])
def test_a_threshold_of_one_network_per_size_has_an_interval(fits):
    found = isobath.jamming_threshold(np.array([10, 20, 40, 80, 160, 320]), np.array(fits, bool)[:, None])
    assert float(found.high) > 1.5 * float(found.threshold)


def test_resamples_are_enough_for_an_interval():
    fits = np.array([[0, 0], [0, 1], [1, 1]], bool)
    with pytest.raises(ValueError, match="resamples is 39; it must be an integer, 40 or more"):
        isobath.jamming_threshold(np.array([1, 2, 4]), fits, resamples=39)


@pytest.mark.parametrize(
    ("x", "power", "exponents"),
    [([0, 1, 2, 4, 8, 16], -1, [-1]), ([-3, -2, -1, 1, 2, 3], 2.4, [2]), ([-3, -2, -1, 1, 2, 3], 2.4, [1])],
)
def test_a_free_exponent_of_an_x_that_is_not_positive_has_no_number(x, power, exponents):
    x = np.array(x, float)
    scatter = 1 + 0.05 * np.random.default_rng(0).standard_normal((6, 8))
    law = isobath.fit_law(x, (abs(x[:, None]) + 0.1) ** power * scatter, exponents=exponents).sel(fit="free")
    assert law.value.isnull().all()
    assert "not finite" in law.reason.item()


def test_a_free_exponent_of_an_x_from_zero_has_one_if_it_is_positive():
    x = np.array([0, 1, 2, 4, 8, 16.0])
    scatter = 1 + 0.05 * np.random.default_rng(0).standard_normal((6, 8))
    law = isobath.fit_law(x, (1 + 2 * x[:, None] ** 0.7) * scatter, exponents=[0, 0.5]).sel(fit="free")
    assert law.reason.item() == ""
    assert float(law.value.sel(parameter="exponent")) == pytest.approx(0.7, abs=0.1)


def test_units_that_are_equal_by_chance_have_no_interval():
    equal, other = (xr.Dataset({"test_error": ("draw", v)}, {"draw": [0, 1]}) for v in ([0.05, 0.05], [0.05, 0.0501]))
    assert np.isnan(isobath.interval(equal, n_test=0).high)
    assert isobath.interval(other, n_test=0).high > 0.0501
    assert isobath.interval(equal, n_test=100).high > 0.05


def test_a_test_set_that_is_sorted_by_its_labels_is_refused_where_steps_are_chosen_on_its_halves():
    """Once an early-stopped error of 0.4 became one of 0.7 by the order of the test set."""
    x = np.random.default_rng(0).standard_normal((60, 2))
    labels = (x[:, 0] > 0).astype(int)
    order = np.argsort(labels, kind="stable")
    how = {"width": 3, "max_epochs": 4, "records": 1}
    isobath.train(x, labels, test=(x, labels), **how)
    isobath.train(x, labels, test=(x[order], labels[order]), **how | {"records": 0})
    with pytest.raises(ValueError, match="shuffle it: with records the step is chosen on one half"):
        isobath.train(x, labels, test=(x[order], labels[order]), **how)


def test_outputs_that_overflow_on_the_test_set_leave_no_error_on_the_way_either():
    x = np.random.default_rng(0).standard_normal((20, 2)).astype(np.float32)
    wrong = x.copy()
    wrong[3] = 3e38
    found = isobath.train(x, np.arange(20) % 2, test=(wrong, np.arange(20) % 2), depth=0, rate=100.0, records=1)
    assert found.test_error.isnull().any()
    for name in ("recorded_test_error", "recorded_first_half_error", "recorded_second_half_error"):
        np.testing.assert_array_equal(found[name].isel(step=-1).isnull(), found.test_error.isnull())


def test_a_normalised_layer_of_one_unit_is_refused():
    network = {"kind": "residual", "normalisation": "layer"}
    with pytest.raises(ValueError, match="one unit is its own mean"):
        isobath.train([[0.0], [1.0]], [0, 1], test=([[0.0]], [0]), depth=2, width=1, network=network)


def test_labels_in_an_order_that_chance_may_make_are_mixed():
    """The first half has five of one class and the second fifteen: p = 0.004."""
    trainings._require_mixed(torch.tensor([0] * 5 + [1] * 15 + [0] * 15 + [1] * 5))


@pytest.mark.parametrize(("name", "samples"), [("recorded_test_error", 1000), ("recorded_first_half_error", 500)])
def test_a_recorded_error_has_the_error_of_its_test_samples(name, samples):
    """Once only three variables had it, and bars of an error on the way were too short."""
    errors = xr.DataArray([0.1, 0.12, 0.11], dims="seed")
    found = isobath.interval(xr.Dataset({name: errors}, attrs={"n_test": 1000}), name)
    assert float(found["sample"]) == pytest.approx((0.11 * 0.89 / samples) ** 0.5)
    assert float(isobath.interval(xr.Dataset({"mine": errors}, attrs={"n_test": 1000}), "mine")["sample"]) == 0


def test_a_single_number_has_no_interval():
    """Once its interval had no width."""
    alone = isobath.interval(xr.Dataset({"gain": ("draw", [0.12])}), "gain", over="draw")
    assert float(alone.value) == 0.12
    assert np.isnan([alone.low, alone.high]).all()
