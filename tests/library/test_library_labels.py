"""Labels of one's own arrays: points in another order, data sets of one name, words of bytes; none is misread."""

import numpy as np
import pytest
import xarray as xr

import isobath
from isobath.library.data_sets import train_and_test

SIZES = xr.DataArray([10.0, 20, 40, 80], dims="n_train", coords={"n_train": [10.0, 20, 40, 80]}, name="n_train")
Y = (5 / SIZES) * xr.DataArray([0.9, 1.0, 1.1], dims="seed")
FITS = xr.DataArray([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], dims=("n_train", "seed"), coords=SIZES.coords) > 0


def law(y):
    return isobath.fit_law(SIZES, y, exponents=[-1], resamples=40).sel(fit="fixed").value.values


def threshold(fitted):
    return float(isobath.jamming_threshold(SIZES, fitted, resamples=40).threshold)


def test_points_in_another_order_are_paired_by_their_labels():
    """Once they were paired by their places."""
    np.testing.assert_allclose(law(Y.sortby("n_train", ascending=False)), law(Y))
    assert threshold(FITS[[1, 0, 3, 2]]) == threshold(FITS)
    with pytest.raises(ValueError, match="sizes and fitted have other values of n_train; they must have the same"):
        threshold(FITS.assign_coords(n_train=[1, 2, 3, 4]))
    with pytest.raises(ValueError, match="x has 4 values along n_train and y has 2; they must be as many"):
        law(Y[:2].drop_vars("n_train"))


def test_a_dim_has_a_name_of_its_own_and_a_generator_is_one():
    sizes, y = SIZES.values, Y.values
    for along in ("seed", "fit", "y", 3, "a b"):
        with pytest.raises(ValueError, match=f"^along is {along!r}; it must be a word, other than"):
            isobath.fit_law(sizes, y, along=along, exponents=[-1])
    with pytest.raises(ValueError, match=r"generator is 3; it must be a numpy\.random\.Generator, such as default_rng"):
        isobath.fit_law(sizes, y, generator=3, exponents=[-1])
    fitted = isobath.fit_law(sizes, y[:, :1], exponents=[-1])
    assert "0 points; 3 are needed, of several networks or data sets each" in fitted.reason.values


def mean(values, **coords):
    errors = xr.DataArray(values, dims=("draw", "seed"), coords=coords)
    return isobath.interval(xr.Dataset({"test_error": errors}), n_test=0)


def test_data_sets_are_units_whatever_their_labels():
    """Once those of one label counted as one, and those between 0 and 1 did."""
    values = np.random.default_rng(0).random((3, 1)) + 0.01 * np.random.default_rng(1).random((3, 10))
    found = [mean(values), *(mean(values, draw=draws) for draws in ([0, 1, 2], [0.1, 0.2, 0.3], list("abc")))]
    assert [int(each["count"]) for each in found] == [3] * 4
    assert len({float(each["low"]) for each in found}) == 1
    with pytest.raises(ValueError, match="data has the draw 0 twice; each data set needs a draw of its own"):
        mean(values, draw=[0, 0, 1])


def test_infinite_values_do_not_leave_a_mean_in_silence():
    losses = xr.Dataset({"loss": ("seed", [np.inf, 0.2, 0.3]), "status": ("seed", ["diverged", "fitted", "fitted"])})
    assert float(isobath.interval(losses, "loss", n_test=0).value) == pytest.approx(0.25)
    with pytest.raises(ValueError, match="variable is 'loss', which is infinite for a network that counts"):
        isobath.interval(losses, "loss", status=None, n_test=0)


def test_statuses_are_words_in_any_form():
    """Once bytes were no status, so that no network fitted."""
    words = xr.where(FITS, "fitted", "unfitted")
    assert threshold(words) == threshold(words.astype("S")) == threshold(FITS)
    data = xr.Dataset({"test_error": Y, "status": words.astype("S")})
    found = isobath.interval(data, n_test=0)
    assert found.counted.values.tolist() == FITS.sum("seed").values.tolist()
    with pytest.raises(ValueError, match="the status of data has 'fited'; it must be one of fitted, unfitted"):
        isobath.interval(data.assign(status=words.str.replace("fitted", "fited")), n_test=0)


def test_a_variable_without_the_dim_of_its_tasks_has_a_mean():
    data = xr.Dataset({"test_error": ("seed", [0.1, 0.2]), "other": ("task", [1.0, 2.0])}, {"task": ["a", "b"]})
    assert float(isobath.interval(data, n_test=0).value) == pytest.approx(0.15)


@pytest.mark.parametrize(("depth", "dims"), [(np.array([3, 1]), ("depth",)), (np.array([1]), ("depth",)), (1, ())])
def test_depths_of_a_regression_may_be_an_array(depth, dims):
    x = np.random.default_rng(0).standard_normal((8, 3))
    assert isobath.regress(x, x[:, 0], test=(x, x[:, 0]), depth=depth).test_error.dims == dims


def test_classes_beyond_all_reason_are_refused():
    x, y = np.ones((2, 1)), np.array([0, 10**12])
    with pytest.raises(ValueError, match="y has the label 1000000000000; labels are class indices, 99999 at most"):
        train_and_test(x, y, (x, y), "cpu")
