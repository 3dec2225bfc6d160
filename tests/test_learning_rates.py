"""The search for a learning rate: known optima, failures, and the folds it is scored on."""

import functools
import math

import numpy as np
import pytest
import torch
from tiny_stacks import LOSS

from isobath.networks import mlp
from isobath.protocols import sgd
from isobath.randomness import stream
from isobath.statuses import DIVERGED, FITTED, UNFITTED
from isobath.training.architecture import Architecture
from isobath.training.fit import Stopping
from isobath.training.learning_rates import Search, Trial, best, cross_validation, folds, softened
from isobath.training.recipes import Recipe, Replicas

FOLDS = 4


def search(**changes):
    settings = {
        "minimum": 1e-3, "maximum": 10.0, "initial": 5, "rounds": 5, "suggestions": 3,
        "noise": 0.01, "ties": "smaller", "seed": 3,
    }  # fmt: skip
    return Search(**settings | changes)


def trial(rate, error, status=FITTED):
    return Trial(rate, np.full(FOLDS, float(error)), np.full(FOLDS, status, dtype=object))


def valley(rates, optimum=0.2, edge=math.inf, noise=0.0):
    """A smooth valley in log rate, a cliff of divergence above ``edge``."""
    found = []
    for rate in rates:
        wobble = noise * stream(0, "noise", rate).standard_normal()
        error = 0.1 + 0.08 * math.log10(rate / optimum) ** 2 + wobble
        found.append(trial(rate, math.nan, DIVERGED) if rate > edge else trial(rate, error))
    return found


@pytest.mark.parametrize("optimum", [0.004, 0.2, 3.0])
def test_a_known_optimum_is_found(optimum):
    trials = search().run(functools.partial(valley, optimum=optimum))
    assert len(trials) == 5 + 5 * 3
    assert abs(math.log10(best(trials).learning_rate / optimum)) < 0.1
    assert all(1e-3 <= t.learning_rate <= 10 for t in trials)


def test_a_known_optimum_is_found_under_noise():
    found = [best(search(seed=s).run(functools.partial(valley, noise=0.01))).learning_rate for s in range(5)]
    assert max(abs(math.log10(rate / 0.2)) for rate in found) < 0.6  # 0.01 of error is 0.35 decades of the valley


@pytest.mark.parametrize("edge", [0.15, 0.3, 2.0])
def test_an_edge_of_divergence_is_survived_and_approached(edge):
    trials = search().run(functools.partial(valley, edge=edge))
    chosen = best(trials)
    assert chosen.verdict == FITTED
    assert abs(math.log10(chosen.learning_rate / min(edge, 0.2))) < 0.25
    failed = [t for t in trials if t.verdict == DIVERGED]
    assert failed
    assert all(t.cost == 1.0 for t in failed)


@pytest.mark.parametrize("status", [DIVERGED, UNFITTED])
def test_if_nothing_counts_there_is_still_a_rate(status):
    def nothing(rates):
        return [trial(r, math.nan if status == DIVERGED else 0.3, status) for r in rates]

    trials = search().run(nothing)
    assert len(trials) == 20
    assert {t.verdict for t in trials} == {status}
    assert 1e-3 <= best(trials).learning_rate <= 10


def test_a_fold_that_does_not_fit_counts_as_guessing_and_half_of_them_spoil_a_trial():
    t = Trial(0.1, np.full(4, 0.1), np.array([FITTED, UNFITTED, FITTED, FITTED], dtype=object))
    assert (t.verdict, t.counts) == (UNFITTED, True)
    assert t.cost == pytest.approx((3 * 0.1 + 0.5) / 4)
    assert t._replace(guess=0.9).cost == pytest.approx((3 * 0.1 + 0.9) / 4)
    t = Trial(0.1, np.array([0.1, 0.1, np.nan, 0.1]), np.array([FITTED, FITTED, DIVERGED, UNFITTED], dtype=object))
    assert (t.verdict, t.counts) == (DIVERGED, False)
    assert t.cost == 1.0


def test_constant_errors_are_survived_and_ties_go_where_they_are_told():
    def constant(rates):
        return [trial(r, 0.25) for r in rates]

    trials = search().run(constant)
    rates = [t.learning_rate for t in trials]
    assert best(trials, "smaller").learning_rate == min(rates)
    assert best(trials, "larger").learning_rate == max(rates)


def test_the_rate_at_which_most_folds_fit_is_taken_if_none_counts():
    half = Trial(0.5, np.full(2, 0.4), np.array([FITTED, UNFITTED], dtype=object))
    none = Trial(0.1, np.full(2, 0.3), np.array([UNFITTED, UNFITTED], dtype=object))
    assert best([none, half]) is half


def test_costs_are_softened_for_the_gaussian_process_alone():
    assert softened([0.1, 1.0, 0.3]) == [0.1, 0.3, 0.3]
    assert softened([1.0, 1.0]) == [1.0, 1.0]


def test_a_search_resumes_from_its_trace():
    asked = []

    def record(rates):
        asked.extend(rates)
        return valley(rates)

    search().run(record)
    again = search()
    again.trials = valley(asked[:11])  # the spread and two rounds
    assert again._suggest(2) == asked[11:14]


def test_suggestions_of_a_round_differ():
    trials = search().run(valley)
    for start in range(5, 20, 3):
        rates = [t.learning_rate for t in trials[start : start + 3]]
        assert len({round(math.log10(r), 3) for r in rates}) == 3


def test_folds_are_even_and_disjoint():
    parts = folds(103, 10, stream(0, "folds"))
    assert sorted(np.bincount(parts)) == [10] * 7 + [11] * 3
    assert (parts != folds(103, 10, stream(1, "folds"))).any()


def test_cross_validation_is_that_of_networks_trained_one_by_one():
    """Each fold's network is trained on the other folds and scored on its own."""
    x = stream(0, "cv").standard_normal((60, 5))
    inputs, labels = torch.from_numpy(x), torch.from_numpy((x[:, 0] > 0.3).astype(np.int64))
    recipe = Recipe(
        architecture=Architecture(mlp),
        protocol=functools.partial(sgd.train, batch_size=7),
        loss=LOSS["cross_entropy"],
        shape={"depth": 1, "width": 12},
        stopping=Stopping(150, check_every=5),
        batch_size=7,
        seed=0,
    )
    parts = folds(60, 3, stream(0, "folds"))
    objective = cross_validation(recipe, inputs, labels, parts, name=("x",), memory=1e9)
    trials = objective([0.3, 1e7, 0.05])
    for t, rate in zip(trials, [0.3, 1e7, 0.05], strict=True):
        assert t.learning_rate == rate
        for fold in range(3):
            rows = np.flatnonzero(parts != fold)[None]
            (alone,) = recipe.train(Replicas([("x", fold)], rows, np.array([rate])), inputs, labels, memory=1e9)
            assert alone.status[0] == t.status[fold]
            if alone.status[0] == DIVERGED:
                assert np.isnan(t.error[fold])
            else:
                assert t.error[fold] == alone.errors[0][parts == fold].mean()
    assert [t.verdict for t in trials][:2] == [FITTED, DIVERGED]
    assert 0 < trials[0].cost < 0.4
