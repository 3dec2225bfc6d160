"""Arrays of one's own: masks, classes, sizes and values that would be lost silently are refused in one sentence."""

import re

import numpy as np
import pytest
import torch
import xarray as xr

import isobath
from isobath.library import regression as of_library
from isobath.library.cubes import Cube
from isobath.library.data_sets import train_and_test
from isobath.randomness import stream

X, Y = np.random.default_rng(0).standard_normal((6, 3)), np.array([0, 2, 0, 2, 2, 0])
TEST = (X, Y)
MASK = np.arange(6) == 4
SIZES = np.array([10.0, 20, 40, 80, 160])
FITS = np.array([[0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 1, 0], [1, 1, 0, 1], [1, 1, 1, 1]], dtype=bool)
ERRORS = 0.1 + 3 / SIZES[:, None] * np.array([0.9, 1, 1.05, 1.1])
MASKED = "has masked entries; allowed is a masked array only if nothing of it is masked"


def at(values, place, value):
    """Return a copy with another value at a place."""
    changed = np.array(values)
    changed[place] = value
    return changed


def masked(values, place=0):
    return np.ma.masked_array(values, at(np.zeros(np.shape(values), dtype=bool), place, True))


def labelled(x, y):
    return xr.DataArray(x, dims="width"), xr.DataArray(y, dims=("width", "seed"))


def train(x=X, y=Y, test=TEST, **how):
    return isobath.train(x, y, test=test, networks=1, max_epochs=2, check_every=1, **how)


def regress(x=X, y=Y, test=TEST, **how):
    return isobath.regress(x, y, test=test, **how)


def law(x=SIZES, y=ERRORS, plain=True, **how):
    return isobath.fit_law(*((x, y) if plain else labelled(x, y)), exponents=[0, -1], resamples=40, **how)


def threshold(sizes=SIZES, fitted=FITS, plain=True):
    return isobath.jamming_threshold(*((sizes, fitted) if plain else labelled(sizes, fitted)), resamples=40)


def refused(words, call, *arguments, **named):
    with pytest.raises(ValueError, match=f"^{words}") as refusal:
        call(*arguments, **named)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("call", [train, regress])
def test_samples_that_are_masked_are_refused_by_name(call):
    refused(f"X {MASKED}", call, masked(X))
    refused(f"X {MASKED}", call, [*X[:5], masked(X[5])])
    refused(f"y {MASKED}", call, X, masked(Y))
    refused(rf"test\[0\] {MASKED}", call, test=(masked(X), Y))
    refused(rf"test\[1\] {MASKED}", call, test=(X, masked(Y + 0.5)))


def test_integers_are_not_rounded_without_a_word():
    """They differ by one beyond 2^24, which float32 does not hold."""
    near = np.array([[2**24, 1, 0], [2**24 + 1, 1, 0]] * 3)
    (kept, _), _ = train_and_test(near, Y, (near, Y), "cpu")
    assert np.unique(kept.numpy(), axis=0).shape == (2, 3)
    assert train_and_test(near - 1, Y, (near - 1, Y), "cpu")[0][0].numpy().max() == 2**24
    words = r"has the integer 16777217, which float32 may round; allowed are integers up to 16777216, or prec"
    refused(f"X {words}", train, near)
    refused(rf"test\[0\] {words}", train, test=(near, Y))
    there = isobath.train(near, Y, test=(near, Y), networks=1, max_epochs=2, check_every=1, precision="float64")
    assert there.sizes == train().sizes
    refused(r"X has the integer 9223372036854775808, which float64 may", regress, np.full((6, 3), -(2**63)))


def test_networks_that_are_masked_are_refused_by_name():
    refused(f"x {MASKED}", law, masked(SIZES))
    refused(f"y {MASKED}", law, y=masked(ERRORS, (1, 2)))
    refused(f"sizes {MASKED}", threshold, masked(SIZES))
    refused(f"fitted {MASKED}", threshold, fitted=masked(FITS))


def test_masked_arrays_of_which_nothing_is_masked_are_taken():
    assert regress(np.ma.masked_array(X), np.ma.masked_array(Y)).equals(regress())
    xr.testing.assert_identical(law(np.ma.masked_array(SIZES), np.ma.masked_array(ERRORS)), law())


@pytest.mark.parametrize("call", [train, regress])
def test_classes_of_the_test_set_without_a_training_sample_are_refused(call):
    refused(r"test\[1\] has the classes 1, 3, of which y has no sample", call, test=(X, np.array([0, 3, 1, 2, 3, 0])))
    refused(r"test\[1\] has the classes 1, of which", call, y=0 * Y, test=(X, np.array([0, 1, 0, 0, 1, 0])))
    shown = ", ".join(map(str, range(3, 13)))
    many = (np.ones((40, 3)), np.arange(3, 43))
    refused(rf"test\[1\] has the classes {shown}, \.\.\., of which", call, test=many)


def test_a_test_set_may_lack_classes():
    assert np.isfinite(regress(test=(X[:1], Y[:1])).test_error)


@pytest.mark.parametrize("plain", [True, False])
def test_sizes_that_are_not_finite_are_refused(plain):
    for place in (2, -1):
        refused("sizes is NaN where fitted has a network", threshold, at(SIZES, place, np.nan), plain=plain)
        refused("sizes has an infinite value; all must", threshold, at(SIZES, place, np.inf), plain=plain)
        refused("x is NaN where y has a network", law, at(SIZES, place, np.nan), plain=plain)
        refused("x has an infinite value; all must", law, at(SIZES, place, -np.inf), plain=plain)


@pytest.mark.parametrize("plain", [True, False])
def test_values_that_are_infinite_or_no_numbers_are_refused(plain):
    refused("y has an infinite value; all must be finite, or NaN", law, y=at(ERRORS, (1, 1), np.inf), plain=plain)
    refused("y has the type <U32; it must be numbers", law, y=ERRORS.astype(str), plain=plain)
    refused("y has the type complex128; it must be numbers", law, y=ERRORS * 1j, plain=plain)


def test_a_size_has_a_number():
    refused("x has the type <U32; it must be numbers", law, SIZES.astype(str), plain=False)
    refused("sizes has the type <U32; it must be numbers", threshold, SIZES.astype(str), plain=False)
    refused(r"sizes has the shape \(4,\) and fitted \(5, 4\)", threshold, SIZES[1:])


def test_a_network_that_is_not_to_count_is_nan_and_a_plain_point_needs_one_that_counts():
    assert law(y=at(ERRORS, (1, 1), np.nan)).networks.values.tolist() == [4, 3, 4, 4, 4]
    refused(r"y is NaN for all networks of point 1 \(from 0\)", law, y=at(ERRORS, 1, np.nan))
    refused(r"y is NaN for all networks of point 0 \(from 0\)", law, y=ERRORS[:, None] * np.nan)


def test_cells_of_a_cube_that_were_not_trained_have_no_size():
    found = law(at(SIZES, 1, np.nan), at(ERRORS, 1, np.nan), plain=False)
    assert found.networks.values.tolist() == [4, 0, 4, 4, 4]
    assert found.left_out == 1
    words = np.where(FITS, "fitted", "unfitted").astype(object)
    there = threshold(SIZES[1:], words[1:])
    for word in ("missing", "failed"):
        assert threshold(at(SIZES, 0, np.nan), at(words, 0, word), plain=False).threshold == there.threshold
    of_numpy = np.array([[*row] for row in np.bool_(FITS[1:])], dtype=object)
    assert threshold(SIZES[1:], of_numpy).threshold == there.threshold


@pytest.mark.parametrize("call", [train, regress])
def test_what_is_no_number_no_word_and_no_array_is_refused_by_name(call):
    for memory in ("2GB", None, -1, 0, np.nan, np.inf, [1e9], True):
        refused(rf"memory is {re.escape(repr(memory))}; it must be a number, 1 to 1e\+18$", call, memory=memory)
    refused("name is None; it must be a word$", call, name=None)
    weights = torch.ones((6, 3), requires_grad=True)
    refused("X is Tensor, which is no array of numbers: Can't call numpy", call, weights)
    refused("X is list, which is no array of numbers: ", call, [[1, 2], [3]])
    refused(r"test\[0\] is Tensor, which is no array", call, test=(weights, Y))
    assert call(torch.ones((6, 3)), memory=np.float32(1e9)).sizes == call().sizes


def test_bounds_of_a_law_are_numbers_with_something_between_them():
    refused("above is 500; it must be less than below, which is 5$", law, above=500, below=5)
    refused("above is 5; it must be less than below, which is 5$", law, above=5, below=5)
    refused("above is nan; it must be a number$", law, above=np.nan)
    refused("below is nan; it must be a number$", law, below=np.nan)
    refused("above is '5'; it must be a number$", law, above="5")
    assert law(above=np.int64(15), below=np.inf).fitted.values.tolist() == [False, True, True, True, True]


def test_a_test_set_has_a_whole_number_of_samples():
    data = train()
    for n_test in (0.5, "10", -1, [6]):
        refused("n_test is ", isobath.interval, data, n_test=n_test)
    assert isobath.interval(data, status=None, n_test=np.int64(6)).equals(isobath.interval(data, status=None))


def test_a_mean_is_taken_of_a_data_set():
    for data, kind in ((None, "NoneType"), (train().test_error, "DataArray"), (Cube("c", {}, {}), "Cube")):
        refused(f"data is {kind}; it must be a Dataset, such as a group of a cube", isobath.interval, data)


def test_results_are_opened_by_a_path_and_by_patterns(tmp_path):
    for folder in (None, 3, "a\0b"):
        refused(rf"folder is {re.escape(repr(folder))}; it must be the path of", isobath.open_results, folder)
    for only in (None, 3, ["*", None]):
        words = rf"only is {re.escape(repr(only))}; it must be a pattern of names"
        refused(words, isobath.open_results, tmp_path, only=only)
        refused(words, isobath.contents, tmp_path, only=only)


@pytest.mark.parametrize("network", ["residual", "cnn"])
def test_networks_train_where_the_caller_has_switched_gradients_off(network):
    images = np.random.default_rng(0).standard_normal((6, 48))
    with torch.no_grad():
        off = train(images, Y, (images, Y), network=network, width=3)
    xr.testing.assert_identical(off, train(images, Y, (images, Y), network=network, width=3))


def test_an_average_of_networks_none_of_which_counts_says_so():
    """Once it was NaN without a word, as of all networks with real targets."""
    networks = train(y=Y.astype(float), test=(X, Y.astype(float)), loss="mean_squared_error")
    with pytest.warns(UserWarning, match="all means are NaN: none of the networks counts; with real targets"):
        means = isobath.interval(networks)
    assert np.isnan(means.value).all()
    assert np.isfinite(isobath.interval(networks, status="finite").value).all()


def test_each_draw_of_a_regression_holds_out_samples_of_its_own(monkeypatch):
    seen = []
    monkeypatch.setattr(of_library, "stream", lambda *name: seen.append(name) or stream(*name))
    x, y = stream(0, "x").standard_normal((12, 3)), np.arange(12) % 2
    for draw in (0, 3):
        isobath.regress(x, y, test=(x, y), kernel="gamma_exponential", ridges=[1e-3, 1], draw=draw, name="a", seed=5)
    assert seen == [(5, "validation", "a", 12, 0), (5, "validation", "a", 12, 3)]
