"""Laws over several data sets: draws are resampled, and all widths share their resamples."""

import numpy as np
import pytest
import xarray as xr
from planted_laws import X, fitted

from isobath.analysis.laws import bootstraps


def networks(rng, repeats, *, draws=6, seeds=3, common=0.05, own=0.0, noise=0.05):
    """Draw y = 3 x^-1/4 times a factor of a data set, at all widths (``common``) or at one (``own``), and noise."""
    shape = (repeats, draws, seeds, len(X))
    scatter = common * rng.standard_normal((repeats, draws, 1, 1)) + own * rng.standard_normal(
        (repeats, draws, 1, len(X))
    )
    y = 3 * X**-0.25 * (1 + scatter + noise * rng.standard_normal(shape))
    coords = {"task": np.arange(repeats), "width": np.arange(len(X)), "n_weights": ("width", X)}
    return xr.Dataset({"y": (("task", "draw", "seed", "width"), y)}, coords=coords)


@pytest.mark.slow
@pytest.mark.parametrize(("common", "own"), [(0.05, 0.0), (0.05, 0.05), (0.0, 0.0)])
def test_intervals_over_draws_cover_coefficients_and_exponents(common, own):
    out = fitted(networks(np.random.default_rng(1), 1000, common=common, own=own), bootstraps=200)
    for name, fit, value in (("c0", "fixed", 3.0), ("exponent", "free", -0.25)):
        at = out.sel(fit=fit, parameter=name)
        assert 0.92 <= ((at.low <= value) & (value <= at.high)).mean() <= 0.98, name


def test_a_network_that_does_not_count_moves_no_point_of_a_law():
    """Its abscissa counted among those of its data set, where there were several of them."""
    x = np.ones((4, 3, 5)) * np.array([1.0, 2.0, 4.0, 8.0])[:, None, None]
    y = x**-0.5 + 1e-3 * np.random.default_rng(0).standard_normal(x.shape)
    x[0, 0, 0], y[0, 0, 0] = 1000.0, np.nan
    dims = ("width", "draw", "seed")
    for draws in (1, 3):
        table = xr.Dataset({"y": (dims, y[:, :draws]), "n": (dims, x[:, :draws])}, coords={"width": range(4)})
        how = {"statistic": "mean", "count": 4, "generator": np.random.default_rng(0)}
        taken = bootstraps.samples(table, variable="y", axis="n", along="width", **how)
        np.testing.assert_allclose(taken.x.mean([dim for dim in taken.x.dims if dim != "width"]), [1, 2, 4, 8])


def test_what_a_data_set_has_at_all_widths_does_not_average_out():
    out = fitted(networks(np.random.default_rng(1), 50, noise=0.001), bootstraps=200)
    at = out.sel(fit="fixed", parameter="c0")
    assert (at.high - at.low).mean() > 2 * 3 * 0.05 / np.sqrt(6)
    free = out.sel(fit="free", parameter="exponent")
    assert (free.high - free.low).mean() < 0.003
    assert (at.networks == 6).all()
    assert at.p_value.isnull().all()  # widths share their data sets


def test_draws_share_their_resample_over_widths_and_not_over_sizes_of_the_training_set():
    exists = xr.DataArray(np.ones((2, 3, 1, 6), bool), dims=("n_train", "width", "draw", "seed"))
    picks = bootstraps.resamples(exists, 50, np.random.default_rng(0), cell=bootstraps.OF_DRAWS)
    assert "width" not in picks.dims
    assert (picks.isel(n_train=0) != picks.isel(n_train=1)).any()
