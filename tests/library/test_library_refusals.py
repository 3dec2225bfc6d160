"""Calls of the library that gave another number, an exception of another library, or a wrong reason."""

import numpy as np
import pytest
import xarray as xr
from matplotlib import pyplot as plt
from test_library_inputs import ERRORS, FITS, SIZES, TEST, X, Y, law, refused, regress, threshold, train

import isobath
from isobath import roots
from isobath.library import plot

NETWORKS = xr.Dataset(
    {
        "test_error": (("depth", "seed"), np.linspace(0.1, 0.2, 6).reshape(2, 3)),
        "status": (("depth", "seed"), np.array([["fitted"] * 3, ["unfitted"] * 3], dtype=object)),
    },
    coords={"depth": [1, 2], "seed": [0, 1, 2]},
    attrs={"n_test": 100},
)


def test_networks_that_do_not_count_are_not_counted_unseen():
    """Once all networks counted where status had a dim more than the variable."""
    derived = NETWORKS.assign(largest=NETWORKS.test_error.max("depth"))
    refused("status has the dim depth, which 'largest' lacks", isobath.interval, derived, "largest")
    assert isobath.interval(derived, "largest", status=None).counted == 3


@pytest.mark.parametrize("how", [{"over": "draw"}, {"over": 3}])
def test_networks_are_averaged_over_a_dim_that_they_have(how):
    """Once each network had an interval of its own, of the test sample alone."""
    refused("(data has none of the dims draw|over is 3)", isobath.interval, NETWORKS, **how)


def test_one_network_has_no_interval_however_it_was_selected():
    refused("data has none of the dims", isobath.interval, NETWORKS.isel(seed=0))
    assert np.isnan(isobath.interval(NETWORKS.isel(seed=[0])).low.sel(depth=1))


@pytest.mark.parametrize(("inputs", "words"), [(X + 1e9, "samples that differ by less"), (X * 1e300, "the number")])
def test_floats_that_float32_would_make_alike_or_infinite_are_refused(inputs, words):
    """Once they trained, and differences that were lost looked like errors of networks."""
    refused(f"X has {words}", train, inputs)
    regress(X + 1e3)


def test_a_feature_that_is_constant_but_for_rounding_is_no_reason():
    inputs = np.column_stack([X, 0.1 + np.arange(6) * 1e-17])
    train(inputs, test=(inputs, Y))


def test_a_rate_is_given_once():
    """Once ``learning_rate`` won over ``rate``, without a word."""
    refused("rate and learning_rate are one setting", train, rate=0.1, learning_rate=0.5)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"seed": "a"}, "seed is 'a'; it must be an integer, 0 or more"),
        ({"seed": -1}, "seed is -1; it must be an integer, 0 or more"),
        ({"draw": 1.0}, "draw is 1.0; it must be an integer, 0 or more"),
    ],
)
def test_one_integer_is_not_asked_for_as_a_list(how, words):
    refused(words, train, **how)


def test_a_matrix_that_cannot_be_inverted_is_a_refusal():
    """Once an ArithmeticError, which the docstring does not promise."""
    refused("kernel is 'ntk', and the Gram matrix of 6 samples is singular .*; give ridges", regress, X * 1e200)


@pytest.mark.parametrize("call", [law, threshold])
def test_sizes_of_words_are_not_said_to_have_a_shape(call):
    refused("(x|sizes) has the type <U5; it must be numbers", call, SIZES.astype(str).astype("<U5"))


@pytest.mark.parametrize("name", ["error", "value", "range", "fit"])
def test_names_of_what_is_returned_are_no_dims(name):
    """Once the error was one of xarray's, or the result had the dim fit twice."""
    refused("along is", law, along=name)
    x, y = xr.DataArray(SIZES, dims=name), xr.DataArray(ERRORS, dims=(name, "seed"))
    refused(f"x or y has the dim '{name}'", isobath.fit_law, x, y, exponents=[0, -1])


def test_labels_that_differ_are_said_to_differ():
    """Once x was said to be NaN where an outer join of both had made it so."""
    x = xr.DataArray(SIZES, dims="width", coords={"width": range(5)}, name="n")
    y = xr.DataArray(ERRORS, dims=("width", "seed"), coords={"width": range(1, 6)})
    refused("x and y have other values of width", isobath.fit_law, x, y, exponents=[0, -1])


def test_what_shares_no_dim_is_said_to():
    x, y = xr.DataArray(SIZES, dims="n"), xr.DataArray(ERRORS, dims=("width", "seed"))
    words = "x has the dims n and y has width, seed; points need a dim of both"
    refused(words, isobath.fit_law, x, y, exponents=[0, -1])
    refused(r"x has the shape \(5,\) and y \(5,\); they must be \(p,\) and .* \(p, draws, networks\)", law, y=SIZES)


def test_errors_in_percent_have_no_binomial_error():
    """Once it was 0, without a word."""
    refused(
        "variable is 'test_error', of which a value is 20;",
        isobath.interval,
        NETWORKS.assign(test_error=100 * NETWORKS.test_error),
        status=None,
    )
    refused("status is 'none'; allowed: finite, fitted, or None", isobath.interval, NETWORKS, status="none")
    refused(r"status is \['fitted'\]; did you mean 'fitted'.* or None", isobath.interval, NETWORKS, status=["fitted"])


def test_shapes_and_ridges_are_refused_by_their_names():
    words, images = "network is 'cnn', depth is 2, and X has 2 features: 2 inputs are no square image", X[:, :2]
    refused(words, train, images, test=(images, Y), network="cnn")
    refused(r"ridges is \[0.1, 0.1\]; a value stands twice", isobath.regress, X, Y, test=(X, Y), ridges=[0.1, 0.1])


def test_true_and_false_can_be_objects():
    assert threshold(fitted=FITS.astype(object)).threshold == threshold().threshold


def test_charts_refuse_what_they_cannot_draw():
    _, axes = plt.subplots(1, 2)
    refused("axes is ndarray; it must be one Axes", plot.curve, NETWORKS, x="depth", status="finite", axes=axes)
    refused("fit is no result", plot.law, None)
    refused("fit has lost the dim fit", plot.law, law().sel(fit="free"))
    below = isobath.fit_law(SIZES - SIZES[0], ERRORS, form="exponential", resamples=40)
    refused("log is True, and x is 'x', whose values are 0.0,", plot.law, below)
    assert plot.law(below, log=False).axes
    refused("hue is 'depth', and so is x", plot.curve, NETWORKS, x="depth", hue="depth", status="finite")
    refused("data is no result", plot.threshold, None)
    plt.close("all")


def test_arrays_that_cannot_be_written_to_train_without_a_warning(recwarn):
    fixed = X.copy()
    fixed.setflags(write=False)
    train(fixed, test=(fixed, Y))
    assert not [str(each.message) for each in recwarn if "not writable" in str(each.message)]
    assert TEST[0].flags.writeable


def test_folders_of_ones_own_are_folders(tmp_path):
    """Once a missing one was accepted, and a single path was a TypeError."""
    with pytest.raises(roots.RootError, match="is no folder"):
        roots.use(tmp_path / "nowhere")
    (tmp_path / "own").mkdir()
    before = roots.own()
    roots.use(str(tmp_path / "own"))
    assert (tmp_path / "own").resolve() in roots.own()
    roots.use(before)


def test_a_path_without_results_is_said_to_be_none(tmp_path):
    (tmp_path / "file").touch()
    for name, words in (("file", "it is a file"), ("demo", "there is no such folder")):
        with pytest.raises(FileNotFoundError, match=words):
            isobath.open_results(tmp_path / name)
