"""Names and ties of one's own arrays: axes and coordinates that are called as settings or results are, equal values."""

from functools import partial

import numpy as np
import pytest
import xarray as xr

import isobath

SIZES = np.array([10.0, 20, 40, 80, 160, 320])


law = partial(isobath.fit_law, exponents=[-0.5])


def networks(**coords):
    """Return errors and statuses of networks (axis, seed), where ``coords`` has one axis."""
    ((axis, values),) = coords.items()
    errors = np.random.default_rng(0).uniform(0.1, 0.4, (len(values), 5))
    data = xr.Dataset({"test_error": ((axis, "seed"), errors)}, coords)
    return data.assign(status=xr.full_like(data.test_error, "fitted", dtype=object))


@pytest.mark.parametrize("axis", ["kernel_size", "task_number", "width"])
def test_an_axis_of_ones_own_keeps_its_values_whatever_its_name(axis):
    """Once those of an axis that begins as the settings of a plug-in do were dropped, and a chart had 0, 1, 2."""
    means = isobath.interval(networks(**{axis: [3, 5, 7]}), n_test=0)
    assert means[axis].values.tolist() == [3, 5, 7]
    (drawn,) = isobath.plot.curve(networks(**{axis: [3, 5, 7]}), x=axis, n_test=0).axes[0].containers
    assert drawn[0].get_xdata().tolist() == [3, 5, 7]


@pytest.mark.parametrize("name", ["count", "low", "value"])
def test_a_coordinate_with_a_name_of_what_is_returned_is_refused_in_one_sentence(name):
    data = networks(width=[3, 5, 7]).assign_coords({name: ("width", [1, 2, 3])})
    with pytest.raises(ValueError, match=f"data has the coordinate '{name}', a name of what is returned; rename it"):
        isobath.interval(data, n_test=0)


def test_one_network_alone_has_no_interval_over_data_sets():
    """Once it had that of the test set alone, as if nothing else could vary."""
    data = xr.Dataset(
        {"test_error": ("draw", [0.2, 0.3, 0.4]), "status": ("draw", np.array(["fitted", "unfitted", "diverged"]))}
    )
    means = isobath.interval(data, over="draw", n_test=1000)
    assert (means.counted.item(), means.trained.item()) == (1, 3)
    assert np.isnan([means.low.item(), means.high.item()]).all()
    regression = isobath.interval(data.drop_vars("status").isel(draw=0), n_test=1000)
    assert regression.low.item() < 0.2 < regression.high.item()


@pytest.mark.parametrize(("value", "copies"), [(0.1, 3), (0.7, 10), (0.3, 7)])
def test_equal_values_tell_no_error_whatever_their_mean_rounds_to(value, copies):
    data = xr.Dataset({"test_error": ("seed", [value] * copies), "status": ("seed", ["fitted"] * copies)})
    means = isobath.interval(data, n_test=0)
    assert np.isnan([means.low.item(), means.high.item()]).all()


@pytest.mark.parametrize("copies", [2, 3, 7, 10])
def test_a_law_of_equal_networks_is_fitted_without_errors(copies):
    """Once rounding was their error, by which the law was refuted, or the fit refused."""
    ln, noise = np.log(SIZES), np.random.default_rng(3).normal(0, 0.02, len(SIZES))
    y = np.exp(0.3 - 0.5 * ln + noise)
    fit = law(SIZES, np.repeat(y[:, None], copies, 1))
    assert -0.6 < fit.value.sel(fit="free", parameter="exponent").item() < -0.4
    assert np.isnan(fit.p_value.values).all()


@pytest.mark.parametrize("dim", ["replicate", "one", "error"])
def test_a_dim_with_a_name_that_is_taken_is_refused_in_one_sentence(dim):
    with pytest.raises(ValueError, match=f"along is '{dim}'; it must be a word, other than"):
        law(SIZES, np.ones((6, 3)), along=dim)
    y = xr.DataArray(np.ones((6, 3, 2)), dims=("width", "seed", dim))
    with pytest.raises(ValueError, match=f"has the dim '{dim}', a name that is taken; rename it"):
        law(xr.DataArray(SIZES, dims="width"), y)


def test_coordinates_of_y_with_names_of_what_is_returned_are_left_out():
    y = xr.DataArray(np.random.default_rng(0).uniform(1, 2, (6, 3)), dims=("width", "seed"))
    x = xr.DataArray(SIZES, dims="width")
    plain = law(x, y)
    xr.testing.assert_equal(law(x, y.assign_coords(error=("width", SIZES), x=("width", SIZES + 1))), plain)


@pytest.mark.parametrize(
    ("x", "y", "sentence"),
    [
        ((5, ("width",)), (8, 3), "x has 5 values along width and y has 8"),
        ((8, ("width",), ("draw", 2)), (8, 3), "x has the dim draw, which y lacks"),
    ],
)
def test_labelled_arrays_of_other_sizes_are_refused_in_one_sentence(x, y, sentence):
    length, dims, *more = x
    shape = (length, *(size for _, size in more))
    labelled = xr.DataArray(np.ones(shape), dims=(*dims, *(dim for dim, _ in more)))
    with pytest.raises(ValueError, match=sentence):
        law(labelled, xr.DataArray(np.ones(y), dims=("width", "seed")))


def test_a_dim_called_x_is_refused_in_one_sentence():
    """Once it was an error of several lines that names neither."""
    y = xr.DataArray(np.ones((6, 3)), dims=("x", "seed"))
    with pytest.raises(ValueError, match="x has the dim 'x', a name that is taken; rename it"):
        law(xr.DataArray(SIZES, dims="x"), y)


@pytest.mark.parametrize(("dim", "unit"), [("seed", "network"), ("draw", "data set")])
def test_networks_and_data_sets_of_one_label_are_not_counted_twice(dim, unit):
    """Once two copies of the same networks gave a narrower interval, and two of a data set one of no width."""
    data = networks(width=SIZES).expand_dims(draw=[0]).assign_coords(seed=range(5))
    twice = xr.concat([data, data], dim)
    words = f"has the {dim} 0 twice; each {unit} needs a {dim} of its own"
    with pytest.raises(ValueError, match=f"data {words}"):
        isobath.interval(twice, n_test=0)
    with pytest.raises(ValueError, match=f"y {words}"):
        law(twice.width, twice.test_error)
    with pytest.raises(ValueError, match=f"fitted {words}"):
        isobath.jamming_threshold(twice.width, twice.status)
