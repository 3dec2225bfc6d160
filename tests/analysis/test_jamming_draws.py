"""Intervals of N* over data sets, and of how far two thresholds of the same data sets lie apart."""

import itertools
import math

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit
from scipy.stats import chi2

from isobath.analysis.jamming.draws import resamples
from isobath.analysis.jamming.tables import half_width_of_ratio
from isobath.analysis.jamming.threshold import threshold

SIZES = np.geomspace(20, 500, 12)


def data_sets(rng, *, draws=6, seeds=4, spread=0.3, shift=1.0, moved=None):
    """Draw whether networks (w, d, s) fit; ln N* of each data set is moved by ``moved`` (d,)."""
    moved = spread * rng.standard_normal(draws) if moved is None else moved
    middle = np.log(100 * shift) + moved[None, :, None]
    chance = expit(8 * (np.log(SIZES)[:, None, None] - middle))
    return (rng.random((len(SIZES), draws, seeds)) < chance).astype(float)


def cell(fitted):
    """Make the networks of one margin of whether they fit (w, d, s)."""
    status = np.where(fitted == 1, "fitted", "unfitted").astype(object)
    return xr.Dataset(
        {"status": (("width", "draw", "seed"), status), "n_weights": ("width", SIZES)},
        coords={"width": range(len(SIZES)), "draw": range(fitted.shape[1])},
    )


def test_few_draws_have_all_of_their_resamples():
    for draws in (2, 3, 6):
        taken = resamples(draws, np.random.default_rng(0), 10)
        assert len(taken.picks) == math.comb(2 * draws - 1, draws)
        assert taken.shares.sum() == pytest.approx(1)
        ordered = np.array([*itertools.product(range(draws), repeat=draws)]).mean(1)  # each as often as another
        mean = taken.picks.mean(1)
        assert taken.shares @ mean == pytest.approx(ordered.mean())
        assert taken.shares @ (mean - ordered.mean()) ** 2 == pytest.approx(ordered.var())
    assert resamples(8, np.random.default_rng(0), 10).picks.shape == (10, 8)


def test_an_interval_over_few_draws_does_not_depend_on_the_generator():
    flat = data_sets(np.random.default_rng(1)).reshape(len(SIZES), -1)
    found = [threshold(flat, SIZES, generator=np.random.default_rng(seed), draws=6) for seed in (0, 1)]
    assert found[0].low == found[1].low < found[0].threshold < found[0].high == found[1].high


def test_what_data_sets_do_to_both_thresholds_cancels_from_their_ratio():
    rng = np.random.default_rng(2)
    moved = 0.3 * rng.standard_normal(6)
    one, other = (cell(data_sets(rng, moved=moved, shift=shift)) for shift in (1.0, 1.2))
    alone = cell(data_sets(rng, moved=0.3 * rng.standard_normal(6)))
    generator = np.random.default_rng(0)
    paired, apart = (half_width_of_ratio([one, second], generator=generator) for second in (other, alone))
    assert 0 < paired < 0.5 * apart


def test_resamples_that_are_alike_say_nothing_of_the_error():
    generator = np.random.default_rng(0)
    jump = cell(np.broadcast_to((SIZES > 100)[:, None, None], (len(SIZES), 6, 4)).astype(float))
    other = cell(data_sets(np.random.default_rng(5)))
    assert math.isnan(half_width_of_ratio([jump, other], generator=generator))
    assert math.isnan(half_width_of_ratio([other, other], generator=generator))


def test_ratios_hold_the_truth_as_often_as_they_say():
    rng, held = np.random.default_rng(3), 0
    for _ in range(60):
        moved = 0.3 * rng.standard_normal(6)
        pair = [data_sets(rng, moved=moved, shift=shift) for shift in (1.0, 1.3)]
        logs = [
            math.log(threshold(f.reshape(len(SIZES), -1), SIZES, generator=rng, bootstraps=40).threshold) for f in pair
        ]
        half = half_width_of_ratio([*map(cell, pair)], generator=rng)
        held += abs(logs[1] - logs[0] - math.log(1.3)) <= half
    assert held >= 51  # of 57 expected: 3.6 standard deviations fewer


def test_the_ends_of_the_range_have_the_likelihood_that_an_interval_asks_for():
    rng = np.random.default_rng(4)
    x = np.log(SIZES)
    for _ in range(5):
        fitted = data_sets(rng, draws=1, seeds=20).reshape(len(SIZES), -1)
        found = threshold(fitted, SIZES, generator=rng)

        def likelihood(log_range, fitted=fitted):
            """Return the log likelihood of a range at the best place, by a search of its own."""
            slope = 2 * np.log(9) / log_range

            def cost(middle):
                eta = slope * (x - middle)[:, None]
                return -(fitted * eta - np.logaddexp(0, eta)).sum()

            return -minimize_scalar(cost, bounds=(x[0] - 1, x[-1] + 1), method="bounded", options={"xatol": 1e-10}).fun

        best = minimize_scalar(lambda r: -likelihood(r), bounds=(0.1, 6), method="bounded", options={"xatol": 1e-8}).x
        least = likelihood(best) - chi2.ppf(0.95, 1) / 2
        ends = [brentq(lambda r, least=least: likelihood(r) - least, *side) for side in ((0.05, best), (best, 12))]
        assert np.log([found.range_low, found.range_high]) == pytest.approx(ends, rel=1e-4)
