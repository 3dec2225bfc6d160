"""The jamming threshold and the steps to fit, on made-up networks."""

import math

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit

from isobath.analysis.jamming.survival import median_steps
from isobath.analysis.jamming.tables import jamming
from isobath.analysis.jamming.threshold import threshold


def crossing(generator, *, slope, seeds=20, true=2000.0):
    x = np.geomspace(300, 12000, 9)
    return (generator.random((len(x), seeds)) < expit(slope * np.log(x / true))[:, None]).astype(float), x


def test_the_threshold_is_the_direct_maximum_of_the_likelihood():
    generator = np.random.default_rng(16)
    for _ in range(10):
        fits, x = crossing(generator, slope=3.0)
        fits[generator.random(fits.shape) < 0.1] = np.nan

        def cost(at, fits=fits, x=x):
            p = np.clip(expit(at[1] * (np.log(x) - at[0])), 1e-15, 1 - 1e-15)[:, None]
            return -np.nansum(fits * np.log(p) + (1 - fits) * np.log(1 - p))

        best = minimize(
            cost, [7.5, 2.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000}
        )
        found = threshold(fits, x, generator=generator)
        assert math.log(found.threshold) == pytest.approx(best.x[0], abs=1e-5)
        assert found.low < found.threshold < found.high
        np.testing.assert_allclose(found.fraction, np.nanmean(fits, 1))


def likelihood(fits, x, middle):
    """Return the log likelihood of N* = ``middle`` at the best slope, by a search of its own."""

    def cost(slope):
        eta = np.exp(slope) * np.log(x / middle)[:, None]
        return -(fits * eta - np.logaddexp(0, eta)).sum()

    return -min(minimize_scalar(cost, bounds=(a, a + 2), method="bounded").fun for a in range(-4, 18))


@pytest.mark.parametrize("counts", [(0, 0, 7, 20, 20), (0, 0, 19, 20, 20), (0, 1, 18, 20, 20), (0, 1, 4, 20, 20)])
def test_the_interval_of_a_steep_transition_is_that_of_its_profile_likelihood(counts):
    """Once it went from size to size: resamples of infinite slope had their brackets as its ends."""
    x = np.geomspace(100, 1600, 5)
    fits = (np.arange(20) < np.array(counts)[:, None]).astype(float)
    found = threshold(fits, x, generator=np.random.default_rng(0))
    best = max(likelihood(fits, x, m) for m in (found.threshold, 400 * (1 - 1e-6), 400 * (1 + 1e-6)))
    assert found.low <= found.threshold <= found.high
    for end, inwards in ((found.low, 1.01), (found.high, 1 / 1.01)):
        if end != pytest.approx(found.threshold):  # it has no maximum beside a single size, and N* is put halfway
            assert likelihood(fits, x, end * inwards) > best - 1.92 > likelihood(fits, x, end / inwards)


def test_a_jump_gives_its_bracket():
    x = np.array([100.0, 200.0, 800.0, 1600.0])
    fits = np.repeat([[0.0], [0.0], [1.0], [1.0]], 5, axis=1)
    found = threshold(fits, x, generator=np.random.default_rng(0))
    assert (found.threshold, found.low, found.high) == pytest.approx((400, 200, 800))
    fits[1, 0] = 1  # one size at which some do
    found = threshold(fits, x, generator=np.random.default_rng(0))
    assert found.threshold == pytest.approx(400)  # fewer than half
    assert 100 < found.low < 200 < found.high < 800
    fits[2] = np.nan  # no network there
    found = threshold(fits, x, generator=np.random.default_rng(0))
    assert found.threshold == pytest.approx(math.sqrt(200 * 1600))
    assert 100 < found.low < 200 < found.high < 1600
    assert np.isnan(found.fraction[2])


def test_a_size_at_which_some_fit_and_none_beyond_is_a_bound():
    fits = np.zeros((3, 8))
    fits[2, :2] = 1
    found = threshold(fits, np.array([50.0, 80.0, 112.0]), generator=np.random.default_rng(0))
    assert math.isnan(found.threshold)
    assert (found.low, found.high) == pytest.approx((80, math.inf))
    assert found.reason == "fewer than half of the networks fit, up to 112"


def test_a_threshold_beyond_the_sizes_is_a_bound():
    x = np.array([100.0, 200.0, 800.0])
    generator = np.random.default_rng(0)
    every = threshold(np.ones((3, 5)), x, generator=generator)
    assert np.isnan([every.threshold, every.low]).all()
    assert every.high == pytest.approx(100)
    assert "all networks fit" in every.reason
    none = threshold(np.zeros((3, 5)), x, generator=generator)
    assert np.isnan(none.threshold)
    assert (none.low, none.high) == pytest.approx((800, np.inf))
    assert "no network fits" in none.reason
    falls = threshold(np.array([[1, 1, 1, 1], [1, 0, 1, 1], [0, 0, 1, 0]]), x, generator=generator)
    assert np.isnan(falls.threshold)
    assert "does not rise" in falls.reason
    assert "no network was trained" in threshold(np.full((3, 5), np.nan), x, generator=generator).reason
    with pytest.raises(ValueError, match="positive and increasing"):
        threshold(np.ones((3, 5)), x[::-1], generator=generator)


def test_kaplan_meier_by_hand():
    # At risk 6, 5, 3, 2: left 5/6, 5/6 * 4/5 = 2/3, (3 lost) 2/3 * 2/3 = 4/9: the median is 8.
    epochs = np.array([2.0, 3.0, 5.0, 8.0, 9.0, 10.0])
    fits = np.array([True, True, False, True, True, False])
    left = {2: 5 / 6, 3: 2 / 3, 8: 4 / 9}
    assert min(t for t, s in left.items() if s <= 0.5) == 8
    assert median_steps(epochs, fits) == (8.0, False)
    assert median_steps(epochs, np.array([True, True, False, False, False, False])) == (math.inf, True)
    assert median_steps(np.array([4.0, 4.0, 4.0, math.nan]), np.array([True, False, True, False])) == (4.0, False)
    assert median_steps(np.arange(1.0, 6.0), np.ones(5, dtype=bool)) == (3.0, False)
    assert math.isnan(median_steps(np.full(3, np.nan), np.zeros(3))[0])


def test_jamming_of_a_cube_counts_what_did_not_fit():
    x = np.array([100.0, 200.0, 800.0])
    status = np.full((2, 3, 1, 4), "fitted", dtype=object)
    status[0, 0] = "unfitted"
    status[0, 1, 0] = ["diverged", "fitted", "fitted", "missing"]
    status[1, :, :, 3] = "missing"
    epochs = np.where(status == "fitted", 30.0, 100.0)
    epochs[status == "diverged"] = 1
    epochs[0, 1, 0, 2] = 40
    dataset = xr.Dataset(
        {"status": (("task", "width", "draw", "seed"), status), "epochs": (("task", "width", "draw", "seed"), epochs)},
        coords={"task": ["a", "b"], "width": [1, 2, 3], "n_weights": ("width", x)},
    )
    out = jamming(dataset, generator=np.random.default_rng(0))
    assert out.threshold.sel(task="a") == pytest.approx(math.sqrt(100 * 200))  # at 200 more than half fit
    assert 100 < out.low.sel(task="a") < 200 < out.high.sel(task="a") < 800
    np.testing.assert_allclose(out.fraction, [[0, 2 / 3, 1], [1, 1, 1]])
    assert out.reason.sel(task="a").item() == ""
    assert "all networks fit, the smallest at 100" in out.reason.sel(task="b").item()
    np.testing.assert_equal(out.median_steps.sel(task="a").values, [np.inf, 40, 30])
    assert list(out.censored.sel(task="a").values) == [True, False, False]
    with pytest.raises(ValueError, match="'size' with the dim 'width' is needed"):
        jamming(dataset, axis="size", generator=np.random.default_rng(0))


def test_a_width_that_was_not_trained_for_one_task_is_left_out_of_its_threshold():
    status = np.full((2, 4, 1, 4), "fitted", dtype=object)
    status[:, :2] = "unfitted"
    status[1, 1] = "missing"
    sizes = np.array([[10.0, 20.0, 40.0, 80.0], [10.0, np.nan, 40.0, 80.0]])
    dataset = xr.Dataset(
        {"status": (("task", "width", "draw", "seed"), status), "n_weights": (("task", "width"), sizes)},
        coords={"task": ["a", "b"], "width": [1, 2, 3, 4]},
    )
    out = jamming(dataset, generator=np.random.default_rng(0))
    np.testing.assert_allclose(out.threshold, [np.sqrt(20 * 40), np.sqrt(10 * 40)])
    np.testing.assert_allclose(out.fraction, [[0, 0, 1, 1], [0, np.nan, 1, 1]])


@pytest.mark.parametrize("slope", [2.0, 4.0])
def test_the_range_is_that_over_which_the_fraction_rises_from_a_tenth(slope):
    generator = np.random.default_rng(18)
    found = [threshold(*crossing(generator, slope=slope), generator=generator, bootstraps=100) for _ in range(40)]
    true = 81 ** (1 / slope)  # (1/2 -+ .4) / (1/2 +- .4) = 9 on either side
    assert np.median([f.range for f in found]) == pytest.approx(true, rel=0.15)
    assert np.mean([f.range_low <= true <= f.range_high for f in found]) >= 0.9


def test_a_jump_has_a_range_within_its_bracket():
    """With five networks it has no interval: once it had the same, though so few jump where the range is wider."""
    x, generator = np.array([100.0, 200.0, 800.0, 1600.0]), np.random.default_rng(0)
    fits = np.repeat([[0.0], [0.0], [1.0], [1.0]], 10, axis=1)
    found = threshold(fits, x, generator=generator)
    assert (found.range, found.range_low, found.range_high) == pytest.approx((4, 1, 4))
    few = threshold(fits[:, :5], x, generator=generator)
    assert (few.range, few.threshold) == (found.range, found.threshold)
    assert np.isnan([few.range_low, few.range_high]).all()
    assert np.isnan(threshold(np.ones((4, 5)), x, generator=generator).range)


@pytest.mark.parametrize(("networks", "least", "most"), [(5, 0.1, 0.5), (10, 0.02, 0.07)])
def test_a_bracket_is_too_short_more_often_with_few_networks(networks, least, most):
    """The share of simulations whose sizes do not resolve a range a little longer than their bracket."""
    rng, x, true = np.random.default_rng(3), 2.0 ** np.arange(4, 12), 2**1.02
    slope, short = 2 * np.log(9) / np.log(true), 0
    for _ in range(1000):
        middle = rng.uniform(np.log(x[3]), np.log(x[4]))
        counts = rng.binomial(networks, expit(slope * (np.log(x) - middle)))
        if ((counts == 0) | (counts == networks)).all():
            fits = (np.arange(networks) < counts[:, None]).astype(float)
            found = threshold(fits, x, generator=rng, bootstraps=20)
            assert np.isnan(found.range_high) == (networks < 10)
            short += found.range < true
    assert least <= short / 1000 <= most


def data_sets(rng, *, spread, draws=6, seeds=4):
    """Draw whether networks fit at sizes around N* = 100.

    Data sets move N* by a factor with this spread of its logarithm.
    """
    sizes = np.geomspace(20, 500, 12)
    middle = np.log(100) + spread * rng.standard_normal((draws, 1, 1))
    chance = 1 / (1 + np.exp(-5 * (np.log(sizes)[None, :, None] - middle)))
    return sizes, (rng.random((draws, 12, seeds)) < chance).transpose(1, 0, 2).astype(float)


def test_a_data_set_without_some_networks_leaves_no_interval():
    sizes, fitted = data_sets(np.random.default_rng(0), spread=0.1)
    fitted[3, 2, 0] = np.nan
    found = threshold(fitted.reshape(12, -1), sizes, generator=np.random.default_rng(0), draws=6)
    assert np.isfinite(found.threshold)
    assert np.isnan(found.low)
    assert "some draws lack networks" in found.reason
