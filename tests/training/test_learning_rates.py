"""The search for a learning rate: known optima, failures, and the folds it is scored on."""

import functools
import math

import numpy as np
import pytest
import torch

from isobath.contracts.tiny_stacks import LOSS
from isobath.networks import mlp
from isobath.protocols import sgd
from isobath.randomness import stream
from isobath.sizes import rungs
from isobath.statuses import DIVERGED, FITTED, UNFITTED, UNTRIED
from isobath.training.architecture import Architecture
from isobath.training.cross_validation import CrossValidation
from isobath.training.fit import Stopping
from isobath.training.recipes import Recipe, Replicas
from isobath.training.search import Search, folds
from isobath.training.suggestions import softened
from isobath.training.trials import Trial, best

FOLDS = 4


def search(**changes):
    settings = {
        "minimum": 1e-3, "maximum": 10.0, "folds": FOLDS, "initial": 5, "rounds": 5, "suggestions": 3,
        "noise": 0.01, "ties": "smaller", "patience": 1e9, "widenings": 0, "seed": 3,
    }  # fmt: skip
    return Search(**settings | changes)


def of_folds(error, status, epochs=10):
    k = len(error)
    return Trial(0.1, np.array(error, dtype=float), np.array(status, dtype=object), np.full(k, epochs))


def trial(rate, error, status=FITTED, tried=range(FOLDS), epochs=10):
    """Make a trial that is equal in all folds that were tried."""
    missing = [k not in tried for k in range(FOLDS)]
    statuses = np.where(missing, UNTRIED, np.full(FOLDS, status, dtype=object))
    return Trial(rate, np.where(missing, np.nan, error), statuses, np.where(missing, 0, epochs))


def valley(rates, tried=range(FOLDS), limit=math.inf, optimum=0.2, edge=math.inf, noise=0.0):
    """Return the error of a smooth valley in log rate, with a cliff of divergence above ``edge``."""
    found = []
    for rate in rates:
        wobble = noise * stream(0, "noise", rate).standard_normal()
        error = 0.1 + 0.08 * math.log10(rate / optimum) ** 2 + wobble
        status, error = (DIVERGED, math.nan) if rate > edge else (FITTED, error)
        found.append(trial(rate, error, status, tried))
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


def test_the_better_half_goes_on_to_more_folds():
    asked = []

    def record(rates, tried, limit):
        asked.extend((rate, k) for rate in rates for k in tried)
        return valley(rates, tried)

    assert [rungs(k) for k in (2, 3, 4, 10)] == [[1, 2], [1, 2, 3], [1, 2, 4], [3, 5, 10]]
    trials = search(initial=8, rounds=0).run(record)
    assert sorted(sum(t.tried) for t in trials) == [1, 1, 1, 1, 2, 2, 4, 4]
    assert len(asked) == len(set(asked)) == 8 * 1 + 4 * 1 + 2 * 2
    by_cost = sorted(trials, key=lambda t: t.cost)
    assert [sum(t.tried) for t in by_cost] == [4, 4, 2, 2, 1, 1, 1, 1]
    assert best(trials) is by_cost[0]


def test_a_lucky_first_fold_is_not_chosen():
    lucky = trial(0.3, 0.01, tried=[0])
    assert best([lucky, trial(0.1, 0.2)]).learning_rate == 0.1
    assert best([lucky]) is lucky


def test_rates_that_fit_much_later_than_the_fastest_are_given_up():
    asked = {}

    def record(rates, tried, limit):
        """Make a trial that fits after 8 / rate epochs, ever better with smaller rates."""
        (rate,) = rates
        asked.setdefault(rate, limit)
        epochs = int(8 / rate)
        return [trial(rate, 0.2 + 0.1 * rate, FITTED if epochs <= limit else UNFITTED, tried, min(epochs, limit))]

    trials = search(initial=8, rounds=0, patience=4, maximum=1.0).run(record)
    fastest = max(t.learning_rate for t in trials)
    assert [rate for rate, limit in asked.items() if limit == math.inf] == [next(iter(asked))]
    assert asked[min(asked)] == 4 * int(8 / fastest)
    near = {t.learning_rate for t in trials if int(8 / t.learning_rate) <= 4 * int(8 / fastest)}
    assert {t.learning_rate for t in trials if t.counts} == near < {t.learning_rate for t in trials}


def test_a_rate_that_is_too_large_to_fit_is_trained_no_longer_than_patience_allows():
    """The middle of the range is trained first: the largest rates would else train to the last epoch."""
    epochs = []

    def record(rates, tried, limit):
        (rate,) = rates
        fits = rate < 1
        epochs.append(int(min(limit, 8 / rate if fits else 2500)))
        return [trial(rate, 0.2, FITTED if fits else UNFITTED, tried, epochs[-1])]

    found = search(initial=8, rounds=0, patience=4).run(record)
    assert max(epochs) <= 4 * max(epochs[:1])
    rates = [t.learning_rate for t in found]
    assert rates == sorted(rates, reverse=True)


def test_patience_does_not_depend_on_what_is_trained_together():
    def record(rates, tried, limit):
        return [trial(r, 0.2 + 0.1 * r, FITTED if int(8 / r) <= limit else UNFITTED, tried, int(8 / r)) for r in rates]

    one, all_ = (search(patience=4, maximum=1.0, rounds=0, together=way).run(record) for way in (False, True))
    assert [(t.learning_rate, t.cost) for t in sorted(one)] == [(t.learning_rate, t.cost) for t in sorted(all_)]


@pytest.mark.parametrize(("optimum", "end"), [(50.0, "above"), (1e-4, "below"), (0.2, "inside")])
def test_the_range_widens_where_the_best_rate_lies_at_its_end(optimum, end):
    trials = search(rounds=0, widenings=1).run(functools.partial(valley, optimum=optimum))
    rates = [t.learning_rate for t in trials]
    assert len(rates) == (5 if end == "inside" else 7)
    assert (max(rates) > 10, min(rates) < 1e-3) == (end == "above", end == "below")


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
    def nothing(rates, tried, limit):
        return [trial(r, math.nan if status == DIVERGED else 0.3, status, tried) for r in rates]

    trials = search().run(nothing)
    assert 10 < len(trials) <= 20  # a rate that is suggested again is not tried again
    assert {t.verdict for t in trials} == {status}
    assert 1e-3 <= best(trials).learning_rate <= 10


@pytest.mark.parametrize("widenings", [0, 1])
def test_a_rate_that_one_round_suggests_twice_is_tried_once(widenings):
    def diverges(rates, tried, limit):
        return [trial(rate, math.nan, DIVERGED, tried) for rate in rates]

    for seed in range(4):  # each of them suggests an end of the range twice
        rates = [t.learning_rate for t in search(initial=8, widenings=widenings, seed=seed).run(diverges)]
        assert len(rates) == len({*rates})


def test_a_fold_that_does_not_fit_counts_as_guessing_and_half_of_them_spoil_a_trial():
    t = of_folds([0.1] * 4, [FITTED, UNFITTED, FITTED, FITTED])
    assert (t.verdict, t.counts) == (UNFITTED, True)
    assert t.cost == pytest.approx((3 * 0.1 + 0.5) / 4)
    assert t._replace(guess=0.9).cost == pytest.approx((3 * 0.1 + 0.9) / 4)
    t = of_folds([0.1, 0.1, np.nan, 0.1], [FITTED, FITTED, DIVERGED, UNFITTED])
    assert (t.verdict, t.counts) == (DIVERGED, False)
    assert t.cost == 1.0


def test_constant_errors_are_survived_and_ties_go_where_they_are_told():
    def constant(rates, tried, limit):
        return [trial(r, 0.25, tried=tried) for r in rates]

    trials = search().run(constant)
    rates = [t.learning_rate for t in trials if t.complete]
    assert best(trials, "smaller").learning_rate == min(rates)
    assert best(trials, "larger").learning_rate == max(rates)


@pytest.mark.parametrize(("ties", "end"), [("smaller", min), ("larger", max)])
def test_ties_go_where_they_are_told_from_the_first_rung_on(ties, end):
    """Once the largest of equal rates went on to more folds, and the choice among complete trials was among these."""

    def alike(rates, tried, limit):
        return [trial(r, 0.0, tried=tried) for r in rates]

    made = search(ties=ties, rounds=0)
    trials = made.run(alike)
    assert best(trials, ties).learning_rate == end(made.found)


def test_the_rate_at_which_most_folds_fit_is_taken_if_none_counts():
    half = of_folds([0.4] * 2, [FITTED, UNFITTED])
    none = of_folds([0.3] * 2, [UNFITTED, UNFITTED])
    assert best([none, half]) is half


def test_costs_are_softened_for_the_gaussian_process_alone():
    assert softened([0.1, 1.0, 0.3]) == [0.1, 0.3, 0.3]
    assert softened([1.0, 1.0]) == [1.0, 1.0]


def test_a_search_resumes_from_its_trace():
    begun, whole = search(rounds=2), search(rounds=3)
    before = {t.learning_rate for t in begun.run(valley)}
    new = [t.learning_rate for t in whole.run(valley) if t.learning_rate not in before]
    assert sorted({*search(found=begun.found)._suggest(2)} - before) == sorted(new) != []


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
    objective = CrossValidation(recipe, inputs, labels, parts, name=("x",), memory=1e9)
    trials = objective([0.3, 1e7, 0.05], range(3), math.inf)
    (some,) = objective([0.05], [1], math.inf)
    assert some.tried.tolist() == [False, True, False]
    assert some.error[1] == trials[2].error[1]
    (hasty,) = objective([0.05], [0, 2], 7)
    assert hasty.epochs.tolist() == [10, 0, 10]  # the next evaluation
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


def test_patience_waits_for_the_slowest_of_the_first_folds():
    made = search(folds=10, patience=2)  # three folds on the first rung
    epochs = np.array([5, 9, 7, *[50] * 7])
    made.found = {0.1: Trial(0.1, np.zeros(10), np.full(10, FITTED, dtype=object), epochs)}
    assert made.limit == 18


def test_the_range_does_not_widen_where_no_rate_counts():
    trials = search(rounds=0, widenings=1).run(lambda rates, tried, _: [trial(r, 0.3, UNFITTED, tried) for r in rates])
    assert len(trials) == 5
