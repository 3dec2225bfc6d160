"""Scores of folds: errors on what each network left out of its training, and how trials of rates are ranked by them."""

import functools
import math
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from test_learning_rates import of_folds, trial

from isobath.statuses import DIVERGED, FITTED, UNFITTED, UNTRIED
from isobath.training.cross_validation import CrossValidation, _at_most
from isobath.training.fit import Stopping
from isobath.training.trials import WORST, Trial, best, rank

PARTS = np.array([0, 1, 2, 1, 0, 2, 1, 0, 1])


@dataclass
class Trainer:
    """Train nothing: note the networks and the rule of their end, and return given errors in two stacks."""

    stopping: Stopping
    noted: list

    def train(self, networks, inputs, truth, **_):
        """Yield the outcomes of two networks, then of the others."""
        rng = np.random.default_rng(len(networks))
        errors, status = rng.random((len(networks), len(truth))), np.full(len(networks), FITTED, dtype=object)
        status[1] = DIVERGED
        epochs = np.arange(len(networks)) + 5
        self.noted.append((networks, self.stopping, errors))
        for part in (slice(0, 2), slice(2, None)):
            yield SimpleNamespace(errors=errors[part], status=status[part], epochs=epochs[part])


def validation(truth, noted):
    made = Trainer(Stopping(100, check_every=10), noted)
    return CrossValidation(made, torch.zeros(len(PARTS), 1), truth, PARTS, ("search", "t"), 1e9)


def test_a_network_is_scored_on_what_it_left_out():
    """The second network of two rates on the folds 2 and 0 diverged: the first rate on the fold 0."""
    noted = []
    found = validation(torch.arange(9) % 3, noted)([0.5, 0.1], [2, 0], 31.0)
    ((networks, stopping, errors),) = noted
    assert [*zip(networks.rates.tolist(), networks.names, strict=True)] == [
        (rate, ("search", "t", fold)) for rate in (0.5, 0.1) for fold in (2, 0)
    ]
    kept = [sorted(row[row >= 0].tolist()) for row in networks.rows]
    assert kept == [np.flatnonzero(fold != PARTS).tolist() for fold in (2, 0, 2, 0)]
    assert (stopping.max_epochs, stopping.check_every) == (40, 10)  # the next evaluation
    scores = [row[fold == PARTS].mean() for row, fold in zip(errors, (2, 0, 2, 0), strict=True)]
    for each, rate, (late, early), epochs in zip(
        found, (0.5, 0.1), (scores[:2], scores[2:]), ([6, 0, 5], [8, 0, 7]), strict=True
    ):
        assert each.learning_rate == rate
        np.testing.assert_allclose(each.error, [math.nan if rate == 0.5 else early, math.nan, late])
        assert each.status.tolist() == [DIVERGED if rate == 0.5 else FITTED, UNTRIED, FITTED]
        assert each.epochs.tolist() == epochs
        assert (each.unit, each.guess) == (None, pytest.approx(2 / 3))  # of three classes
    (whole,) = validation(torch.arange(9) % 3, noted)([0.5], [0, 1, 2], math.inf)
    assert (noted[-1][1].max_epochs, whole.complete) == (100, True)


def test_errors_of_real_targets_are_in_units_of_their_variance():
    truth = torch.from_numpy(np.random.default_rng(0).standard_normal((9, 2)) * [1.0, 3.0] + 5)
    (found,) = validation(truth, [])([0.5], [0, 1, 2], math.inf)
    assert (found.unit, found.guess) == (pytest.approx(truth.numpy().var(0).mean()), WORST)


def test_trials_are_ranked_by_cost_then_by_folds_that_fit_then_by_error_then_by_rate():
    good, poor = trial(0.3, 0.1), trial(0.2, 0.2)
    half = of_folds([0.1, 0.1, 0.4, 0.4], [FITTED, FITTED, UNFITTED, UNFITTED])
    less, lower = (half._replace(error=half.error * factor) for factor in (1.0, 0.5))
    none = half._replace(status=np.array([UNFITTED] * 4, dtype=object), error=half.error * 0.1)
    for ties in ("smaller", "larger"):
        ordered = sorted([none, less, poor, lower, good], key=functools.partial(rank, ties=ties))
        assert all(a is b for a, b in zip(ordered, [good, poor, lower, less, none], strict=True))
    assert rank(good, "smaller") == (pytest.approx(0.1), -4, pytest.approx(0.1), 0.3)
    assert rank(good, "larger")[3] == -0.3
    diverged = of_folds([0.1, np.nan], [FITTED, DIVERGED])
    assert rank(diverged, "smaller")[2] == pytest.approx((0.1 + WORST) / 2)
    assert rank(diverged._replace(unit=4.0), "smaller")[2] == math.inf


def test_folds_that_are_lost_cost_as_much_as_guessing_or_as_the_worst_that_counts():
    status = [UNFITTED, UNFITTED, UNFITTED, DIVERGED, UNTRIED]
    real = of_folds([2.0, 6.0, 4.0, np.nan, np.nan], status)._replace(unit=2.0, guess=1.0)
    error = (1 + 3 + 2 + 3) / 4
    assert real.cost == pytest.approx(error / (1 + error))
    small = (0.25 + 0.75 + 0.5 + 1) / 4
    assert real._replace(unit=8.0).cost == pytest.approx(small / (1 + small))
    classes = of_folds([0.1, 0.2, 0.3, 0.1, np.nan], [FITTED, FITTED, FITTED, UNFITTED, UNTRIED])
    assert classes.cost == pytest.approx((0.1 + 0.2 + 0.3 + 0.5) / 4)
    assert (classes.complete, classes.counts, classes.counting.sum()) == (False, True, 3)


def test_folds_are_joined_cut_and_given_up():
    first = Trial(0.1, np.array([0.1, np.nan]), np.array([FITTED, UNTRIED], dtype=object), np.array([7, 0]))
    second = Trial(0.1, np.array([np.nan, 0.3]), np.array([UNTRIED, FITTED], dtype=object), np.array([0, 9]))
    both = first.joined(second)
    assert (both.error.tolist(), both.status.tolist(), both.epochs.tolist()) == ([0.1, 0.3], [FITTED] * 2, [7, 9])
    assert both.first(1).error.tolist() == [0.1]
    assert both.within(7).status.tolist() == [FITTED, UNFITTED]
    assert both.within(9).status.tolist() == [FITTED, FITTED]
    assert best([first, both]) is both


def test_folds_train_no_longer_than_the_networks_that_follow():
    assert _at_most(Stopping(100, check_every=10), 1000.0).max_epochs == 100
