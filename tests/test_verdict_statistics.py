"""Statistics of verdicts: refutation over the parts of a claim, the coverage of intervals, p-values."""

import math

import numpy as np
import pytest

from isobath.analysis.estimates import Bounded, Estimate
from isobath.analysis.verdicts import refuted


def test_the_method_of_holm():
    assert refuted([0.02]) == [True]
    assert refuted([0.02, 0.5]) == [False, False]
    assert refuted([0.001, 0.02]) == [True, True]
    assert refuted([0.001, 0.02, 0.5]) == [True, False, False]
    assert refuted([math.nan, 0.02]) == [False, True]


@pytest.mark.parametrize("draws", [6, 8])
@pytest.mark.parametrize("between", [0.0, 0.01, 0.03])
def test_intervals_over_draws_cover_the_truth(draws, between):
    """Errors of three networks on each of several data sets, which differ; the truth is the mean over data sets."""
    rng = np.random.default_rng(draws)
    covered = 0
    for _ in range(1000):
        means = 0.3 + between * rng.standard_normal((draws, 1))
        networks = means + 0.02 * rng.standard_normal((draws, 3))
        low, high = Estimate.over_draws(dict(enumerate(networks.mean(1)))).interval()
        covered += low < 0.3 < high
    assert 920 <= covered <= 980


def test_intervals_over_draws_and_a_shared_test_sample_cover_the_truth():
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(1000):
        shared = rng.normal(0, math.sqrt(0.3 * 0.7 / 2000))  # the test sample, the same for all draws
        values = 0.3 + shared + rng.normal(0, 0.015, 6)
        estimate = Estimate.over_draws(dict(enumerate(values)), sample=math.sqrt(0.3 * 0.7 / 2000))
        low, high = estimate.interval()
        covered += low < 0.3 < high
    assert 920 <= covered <= 980


def test_p_values_agree_with_intervals():
    """A bound at the end of a 95 % interval has the p-value 0.025, whatever the kind of estimate."""
    for estimate in (
        Estimate(0.3, 0.02, 0.01, 6),
        Estimate.over_draws({0: 0.1, 1: 0.2, 2: 0.4}),
        Bounded(0.3, low=0.1, high=0.6),
    ):
        low, high = estimate.interval()
        assert estimate.p_value(below=low) == pytest.approx(0.025)
        assert estimate.p_value(above=high) == pytest.approx(0.025)
        assert estimate.p_value(above=low) > 0.9
    assert Estimate(0.3).p_value(above=0.2) == 1
    assert Estimate(0.3).p_value(above=0.4) == 0
    assert Estimate.over([0.3]).p_value(above=0.4) == 1  # one network has no error


def test_numbers_with_intervals_of_their_own_keep_an_error_when_they_combine():
    both = Bounded(0.3, low=0.1, high=0.5, count=9) * 2 - Estimate(0.1, 0.01, 0, 5)
    assert both.spread == pytest.approx(math.hypot(2 * 0.2 / 1.96, 0.01), rel=1e-3)
    assert type(both) is Estimate
