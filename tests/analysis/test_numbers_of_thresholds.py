"""Numbers of jamming thresholds: intervals over resampled data sets, the drift with t*, against direct maxima."""

import itertools
import math

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import t as student

from isobath.analysis.fits import fitted_laws, thresholds
from isobath.analysis.jamming import profile
from isobath.analysis.jamming import threshold as located
from isobath.analysis.jamming.draws import Resamples, resamples
from isobath.analysis.jamming.survival import median_steps
from isobath.analysis.jamming.tables import half_width_of_ratio, jamming
from isobath.analysis.jamming.threshold import _percentiles, threshold

SIZES = np.array([40.0, 70.0, 100.0, 150.0, 300.0])
DIMS = ["task", "protocol", "depth", "width", "n_train", "draw", "seed"]


def fits_of(seed, *, middles=(90.0, 100.0, 130.0), slope=3.0, seeds=16):
    """Draw whether networks (size, draw, seed) fit; each data set has a middle of its own."""
    chance = expit(slope * np.log(SIZES[:, None] / middles))
    return (np.random.default_rng(seed).random((len(SIZES), len(middles), seeds)) < chance[..., None]).astype(float)


def most_likely(fits):
    """Return ln N* and the logarithm of the range of the logistic of greatest likelihood, by a search of its own."""
    k, n, ln = fits.sum((1, 2)), fits[0].size, np.log(SIZES)
    assert np.flatnonzero(k < n)[-1] > np.flatnonzero(k > 0)[0]  # else the slope is infinite

    def cost(at):
        eta = at[1] * (ln - at[0])
        return -(k * eta - n * np.logaddexp(0, eta)).sum()

    best = minimize(cost, [4.6, 3.0], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-11, "maxiter": 4000})
    return best.x[0], 2 * math.log(9) / best.x[1]


def every_resample(fits):
    """Return ln N* and the range on all 27 ordered resamples of three data sets."""
    known = {}
    for picks in itertools.product(range(3), repeat=3):
        known.setdefault(tuple(sorted(picks)), most_likely(fits[:, sorted(picks)]))
    return np.array([known[tuple(sorted(picks))] for picks in itertools.product(range(3), repeat=3)])


def half_width(values):
    """Return half of Student's interval of three data sets, whose resamples spread by sqrt(2 / 3) too little."""
    return student.ppf(0.975, 2) * math.sqrt(3 / 2) * np.std(values)


@pytest.mark.parametrize("draws", [2, 3, 6])
def test_half_an_interval_over_resamples_of_a_mean_is_students(draws):
    values = np.array([0.3, 0.5, 1.0, 0.2, 0.9, 0.4])[:draws]
    taken = resamples(draws, np.random.default_rng(0), 10)
    error = values.std(ddof=1) / math.sqrt(draws)
    assert taken.half_width(values[taken.picks].mean(1)) == pytest.approx(student.ppf(0.975, draws - 1) * error)


def test_resamples_without_a_threshold_are_left_out_until_they_are_too_many():
    taken = Resamples(np.zeros((4, 5), dtype=int), np.array([0.1, 0.3, 0.4, 0.2]))
    values = np.array([np.inf, 1.0, 2.0, 4.0])
    mean = (0.3 * 1 + 0.4 * 2 + 0.2 * 4) / 0.9
    spread = math.sqrt((0.3 * (1 - mean) ** 2 + 0.4 * (2 - mean) ** 2 + 0.2 * (4 - mean) ** 2) / 0.9)
    assert taken.spread(values) == pytest.approx(spread)
    assert taken.lost(values) == ""
    assert taken.lost(np.array([1.0, 2.0, 3.0, np.nan])) == "20% of the resamples of the draws have no threshold"
    assert taken.alike(np.array([1.0, 1.0, 1.0, np.inf]))
    assert not taken.alike(np.array([1.0, 1.0, 1.0, 1.1]))


def test_a_threshold_over_data_sets_has_the_interval_of_their_resamples():
    fits = fits_of(1)
    found = threshold(fits.reshape(len(SIZES), -1), SIZES, generator=np.random.default_rng(0), draws=3)
    (middle, log_range), values = most_likely(fits), every_resample(fits)
    half, half_range = half_width(values[:, 0]), half_width(values[:, 1])
    expected = [middle, middle - half, middle + half, log_range]
    assert np.log([found.threshold, found.low, found.high, found.range]) == pytest.approx(expected, abs=1e-5)
    assert np.log(found.range_low) == pytest.approx(max(log_range - half_range, 0), abs=1e-5)
    assert np.log(found.range_high) == pytest.approx(log_range + half_range, abs=1e-5)
    np.testing.assert_allclose(found.fraction, fits.mean((1, 2)))
    assert found.reason == ""


def cell(fits, *, missing=0):
    """Make the networks of one margin; at one more width none was trained."""
    status = np.where(fits == 1, "fitted", "unfitted").astype(object)
    status = np.concatenate([status, np.full((1, *fits.shape[1:]), "missing", dtype=object)])
    sizes = np.append(SIZES, np.nan)
    dims = ("width", "draw", "seed")
    return xr.Dataset({"status": (dims, status), "n_weights": ("width", sizes)}, {"width": range(len(sizes))})


def test_ends_over_resamples_of_networks_lie_at_resamples_and_are_none_where_too_many_have_none():
    """The ends are the extremes of 30 resamples, since 2.5 % are fewer than one; some may be infinite."""
    rng = np.random.default_rng(0)
    lows = rng.permutation(np.append(rng.random(29), -np.inf))
    highs = np.where(np.isfinite(lows), lows + 0.1, 2.0)
    assert _percentiles(lows, highs) == (-np.inf, 2.0)
    assert _percentiles(lows[np.isfinite(lows)], highs[np.isfinite(lows)])[0] == np.sort(lows)[1]


@pytest.mark.parametrize(("lost", "known"), [(10, True), (11, False)])
def test_resamples_without_a_threshold_are_left_out_if_they_are_few(monkeypatch, lost, known):
    ends = np.linspace(4, 5, 100)
    ends[:lost] = np.nan
    monkeypatch.setattr(located, "locate", lambda *_: (ends, ends, ends, ends))
    k, n, ln = np.array([2, 5, 9]), np.full(3, 10), np.log([50, 100, 200])
    of_n_star, of_range, reason = located._of_networks(k, n, ln, 4.6, np.random.default_rng(0), 100)
    assert np.isfinite([*of_n_star, *of_range]).all() == known
    assert reason == ("" if known else "11 of 100 resamples have no threshold")
    assert not known or of_n_star == (np.sort(ends)[2], ends[-1 - 2])


def test_a_ratio_of_thresholds_has_the_interval_of_resamples_of_both():
    pair = [fits_of(1), fits_of(2, middles=(110.0, 100.0, 170.0))]
    logs = [every_resample(fits)[:, 0] for fits in pair]
    found = half_width_of_ratio([*map(cell, pair)], generator=np.random.default_rng(0))
    assert found == pytest.approx(half_width(logs[0] - logs[1]), rel=1e-4)


def training(epochs, status, *, steps=None):
    """Make networks (width, seed) of one cell that were trained for these epochs."""
    shape = (1, 1, 1, len(SIZES), 1, 1, epochs.shape[1])
    place = epochs.reshape(shape), np.asarray(status, dtype=object).reshape(shape)
    columns = {"epochs": (DIMS, place[0].astype(float)), "status": (DIMS, place[1])}
    coords = {"task": ["a"], "protocol": ["adam"], "depth": [3], "width": range(len(SIZES)), "n_train": [50]}
    coords |= {"draw": [0], "n_weights": ("width", SIZES), "protocol_max_epochs": ("protocol", [100.0])}
    return xr.Dataset(columns, coords | ({} if steps is None else {"step": steps}))


def test_the_threshold_drifts_with_the_time_that_is_given():
    """Networks fit ever sooner with their size; those that fit at the very step count."""
    fits_at = np.array([200, 90, 20, 10, 2])
    epochs = np.repeat(np.minimum(fits_at, 100)[:, None], 4, axis=1)
    status = np.repeat(np.where(fits_at <= 100, "fitted", "unfitted")[:, None], 4, axis=1)
    found = thresholds(training(epochs, status, steps=[0, 9, 20, 100]), generator=np.random.default_rng(0)).squeeze()
    assert found.step.values.tolist() == [9, 20, 100]
    brackets = np.array([(150, 300), (70, 100), (40, 70)], dtype=float)
    np.testing.assert_allclose(found.threshold_at, np.sqrt(brackets.prod(1)))
    np.testing.assert_allclose(np.stack([found.low_at, found.high_at], 1), brackets)
    assert (found.threshold.item(), found.t_star.item()) == (pytest.approx(math.sqrt(40 * 70)), 100)
    assert "step" not in thresholds(training(epochs, status), generator=np.random.default_rng(0)).dims


def test_a_network_that_was_given_up_early_is_at_risk_to_the_end():
    """Two of four fit, after 10 and 20 epochs: half are left from 20 on. Dead ones would not have fitted by t*."""
    epochs = np.tile([10, 20, 1, 1], (len(SIZES), 1))
    status = np.tile(["fitted", "fitted", "unfitted", "unfitted"], (len(SIZES), 1))
    status[0] = "unfitted"
    status[1, 2:] = "diverged"
    found = thresholds(training(epochs, status), generator=np.random.default_rng(0)).squeeze()
    assert found.median_steps.values.tolist() == [np.inf, 20, 20, 20, 20]
    assert found.censored.values.tolist() == [True, False, False, False, False]


@pytest.mark.parametrize("seed", range(5))
def test_a_median_of_steps_is_that_of_the_product_of_those_left_at_each_event(seed):
    rng = np.random.default_rng(seed)
    epochs, fitted = rng.integers(1, 9, 15).astype(float), rng.random(15) < 0.7
    left, median = 1.0, math.inf
    for time in sorted(set(epochs[fitted])):
        left *= 1 - (fitted & (epochs == time)).sum() / (epochs >= time).sum()
        if left <= 0.5 + 1e-12:
            median = time
            break
    assert median_steps(epochs, fitted) == (median, math.isinf(median))


def test_sizes_that_differ_by_network_are_averaged():
    fits = np.repeat(SIZES[:, None] > 100, 4, axis=1)
    table = training(np.full((len(SIZES), 4), 9), np.where(fits, "fitted", "unfitted"))
    own = table.n_weights * (1 + 0.1 * xr.DataArray([-1.0, 0.0, 0.0, 3.0], dims="seed"))
    found = jamming(table.drop_vars("n_weights").assign(n_weights=own), generator=np.random.default_rng(0)).squeeze()
    assert found.threshold.item() == pytest.approx(1.05 * math.sqrt(100 * 150))


def test_a_law_beyond_and_within_units_of_the_threshold_has_the_points_at_both_ends():
    """The threshold is 50; N from 2 to 3 thresholds are fitted, both ends included."""
    law = {
        "group": "networks", "variable": "error", "axis": "n_weights", "along": "width", "select": {},
        "form": {"kind": "powers", "exponents": (-0.5,)}, "statistic": "mean", "above": None, "below": None,
    }  # fmt: skip
    table = training(np.full((len(SIZES), 4), 9), np.full((len(SIZES), 4), "fitted")).squeeze(["draw"])
    rng = np.random.default_rng(0)
    error = (table.n_weights**-0.5 * (1 + 0.01 * xr.DataArray(rng.standard_normal(4), dims="seed"))).expand_dims(
        task=["a"], protocol=["adam"], depth=[3], n_train=[50]
    )
    place = {axis: table[axis].values for axis in ("task", "protocol", "depth", "n_train")}
    groups = {
        "networks": table.assign(error=error),
        "jamming": xr.Dataset({"threshold": ([*place], [[[[50.0]]]])}, place),
    }
    kept = {}
    for name, bounds in {"both": (2, 3), "above": (2, None), "below": (None, 3)}.items():
        ends = dict(zip(("beyond", "within"), bounds, strict=True))
        found = fitted_laws(groups, {"a": law | ends}, generators=lambda _: np.random.default_rng(0))["laws/a"]
        kept[name] = SIZES[found.fitted.squeeze().values].tolist()
    assert kept == {"both": [100, 150], "above": [100, 150, 300], "below": [40, 70, 100, 150]}


def test_a_threshold_at_which_networks_fit_and_do_not_in_turns_has_an_interval():
    """All or none of the networks of a size fit, twice: the likelihood has no slope that says how sharp that is."""
    fits = np.repeat([[0.0], [1.0], [0.0], [1.0]], 5, axis=1)
    found = threshold(fits, np.array([100.0, 200.0, 400.0, 800.0]), generator=np.random.default_rng(0))
    assert found.low < found.threshold < found.high


def test_the_interval_of_one_data_set_is_that_of_the_likelihood():
    x, k = np.geomspace(100, 1600, 5), np.array([0, 2, 17, 20, 20])
    found = threshold((np.arange(20) < k[:, None]).astype(float), x, generator=np.random.default_rng(0))
    ends = np.exp(profile.interval(k, np.full(5, 20), np.log(x), math.log(found.threshold)))
    assert (found.low, found.high) == pytest.approx(tuple(ends))


def test_a_threshold_beyond_the_sizes_says_so():
    fits = (np.arange(20) < np.array([0, 1, 2, 4, 6])[:, None]).astype(float)
    found = threshold(fits, SIZES, generator=np.random.default_rng(0), bootstraps=200)
    assert found.threshold > SIZES[-1]
    assert found.reason == "N* lies outside of the sizes: extrapolated"
