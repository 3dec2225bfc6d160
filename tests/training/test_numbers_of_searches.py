"""Numbers of searches for a learning rate: where it looks next, on which folds, and whether it found a rate."""

import functools
import math
from functools import partial

import numpy as np
import pytest
import torch
import xarray as xr
from test_learning_rates import of_folds, search, trial, valley

from isobath.analysis import rates
from isobath.analysis.estimates import Undetermined
from isobath.analysis.sweeps import errors_by_rate, require_rate
from isobath.jobs import searches
from isobath.randomness import entropy, stream
from isobath.statuses import FITTED, UNFITTED, UNTRIED
from isobath.training.search import folds
from isobath.training.suggestions import suggested
from isobath.training.trials import WORST


def test_the_process_knows_the_noise_in_units_of_the_spread_of_costs(monkeypatch):
    """Costs that do not count are as bad as the worst that does."""
    told, seen = {}, []
    optimiser = "bayes_opt.BayesianOptimization"
    monkeypatch.setattr(f"{optimiser}.set_gp_params", lambda self, **how: told.update(how))
    monkeypatch.setattr(f"{optimiser}.register", lambda self, place, target: seen.append((place, target)))
    monkeypatch.setattr(f"{optimiser}.suggest", lambda self: {"log_rate": -0.5})
    found = suggested({0.01: 0.3, 0.1: 0.1, 1.0: WORST}, (0.001, 10.0), count=2, noise=0.02, seed=3)
    assert found == pytest.approx([10**-0.5] * 2)
    assert told["alpha"] == pytest.approx((0.02 / np.std([0.3, 0.1, 0.3])) ** 2)
    assert told["normalize_y"]
    kernel = told["kernel"]
    assert (kernel.nu, kernel.length_scale, kernel.length_scale_bounds) == (2.5, 1.0, pytest.approx((0.4, 4.0)))
    assert [place["log_rate"] for place, _ in seen] == pytest.approx([-2, -1, 0])
    assert [target for _, target in seen] == [-0.3, -0.1, -0.3]
    suggested({0.01: 0.3, 0.1: 0.3}, (0.001, 10.0), count=1, noise=0.02, seed=3)
    assert told["alpha"] == pytest.approx(0.02**2)  # of costs that are all alike


def test_of_an_odd_number_of_rates_the_middle_one_goes_on():
    tried = [int(t.tried.sum()) for t in search(initial=5, rounds=0).run(valley)]
    assert sorted(tried) == [1, 1, 2, 4, 4]  # five, three and two rates on a quarter, half and all of the folds


@pytest.mark.parametrize(("optimum", "widenings"), [(50.0, 1), (1e-4, 1), (5000.0, 2), (0.2, 1)])
def test_a_range_that_widens_goes_on_at_the_distance_of_its_rates(optimum, widenings):
    trials = search(rounds=0, widenings=widenings).run(functools.partial(valley, optimum=optimum))
    logs = np.sort([math.log10(t.learning_rate) for t in trials])
    step = 4 / 5  # of four decades in five parts
    np.testing.assert_allclose(np.diff(logs), step)
    assert len(trials) == (5 if optimum == 0.2 else 5 + 2 * widenings)
    first = np.array([10 ** (-3 + step * (i + 0.5)) for i in range(5)])
    assert {float(f"{rate:.9g}") for rate in first} <= {float(f"{t.learning_rate:.9g}") for t in trials}


def test_rounds_of_suggestions_have_seeds_of_their_own(monkeypatch):
    asked = []

    def record(costs, bounds, **how):
        asked.append((len(costs), bounds, how))
        return [0.5 + 0.1 * len(asked)]

    monkeypatch.setattr("isobath.training.search.suggested", record)
    search(rounds=3, suggestions=1, seed=2**32 - 2, noise=0.04).run(valley)
    how = {"count": 1, "noise": 0.04}
    assert asked == [(5 + i, (1e-3, 10.0), how | {"seed": (2**32 - 2 + i) % 2**32}) for i in range(3)]


CELL = {"task": "t", "protocol": "p", "depth": 2, "width": 6, "n_train": 31, "draw": 4}


def spec_of(**search_settings):
    protocol = {"kind": "sgd", "batch_size": 8, "precision": "float64", "max_epochs": 4, "check_every": 2}
    protocol |= {"network": {"kind": "mlp"}, "loss": {"kind": "cross_entropy"}}
    settings = {"minimum": 0.01, "maximum": 1.0, "folds": 3, "initial": 2, "rounds": 0, "suggestions": 1, "noise": 0.01}
    settings |= {"ties": "larger", "patience": 4, "widenings": 0} | search_settings
    return {"cell": CELL, "protocol": protocol, "learning_rate": settings, "seed": 9}


@pytest.mark.parametrize("partition", [{}, {"partition": 0}, {"partition": 1}, {"partition": 2}])
def test_a_search_cuts_its_data_set_by_its_partition(monkeypatch, partition):
    made = {}

    class Recorded:
        """Record how a search is made, and try nothing."""

        def __init__(self, **settings):
            made["settings"] = settings

        def run(self, objective):
            made["objective"] = objective
            return []

    monkeypatch.setattr(searches, "Search", Recorded)
    x = torch.from_numpy(stream(0, "x").standard_normal((31, 3)))
    searches.trials(spec_of(**partition), (x, torch.arange(31) % 2), memory=1e9)
    part = [partition["partition"]] if partition.get("partition") else []
    expected = folds(31, 3, stream(9, "folds", "t", 31, 4, *part))
    np.testing.assert_array_equal(made["objective"].parts, expected)
    assert (expected != folds(31, 3, stream(9, "folds", "t", 31, 4))).any() == bool(part)
    assert made["objective"].name == ("search", "t", "p", 2, 6, 31, 4)
    assert made["settings"]["seed"] == entropy(9, "search", *CELL.values()) % 2**32
    assert (made["settings"]["ties"], made["settings"]["together"]) == ("larger", False)


def test_the_variables_of_a_search_are_those_of_its_trials():
    first = of_folds([0.2, 0.4], [FITTED, UNFITTED])._replace(learning_rate=0.3)
    second = of_folds([0.1, 0.2], [FITTED, FITTED], epochs=20)
    found = searches.columns([first, second], "smaller")
    assert found["trial_rate"] == [0.3, 0.1]
    np.testing.assert_array_equal(found["validation_error"], [[0.2, 0.4], [0.1, 0.2]])
    np.testing.assert_array_equal(found["epochs"], [[10, 10], [20, 20]])
    assert found["status"].tolist() == [[FITTED, UNFITTED], [FITTED, FITTED]]
    assert found["verdict"].tolist() == [UNFITTED, FITTED]
    assert (found["cost"], found["learning_rate"]) == ([WORST, pytest.approx(0.15)], 0.1)


def searched(errors, *, chosen, lost=(), untried=(), wobble=(0.03, -0.01, 0.01, -0.03)):
    """Make a search of rates by their errors; ``lost`` ones do not count, ``untried`` ones lack a fold.

    Errors of the rates differ by fold by multiples of a wobble, so that differences have a standard error.
    """
    tried, place = np.array([*errors], dtype=float), np.arange(len(errors))
    status = np.full((len(tried), 4), FITTED, dtype=object)
    for rate in tried:
        status[tried == rate] = UNFITTED if rate in lost else FITTED
        if rate in untried:
            status[tried == rate, 3] = UNTRIED
    means = np.array([*errors.values()], dtype=float)
    columns = {
        "learning_rate": ((), chosen),
        "trial_rate": ("trial", tried),
        "cost": ("trial", np.where(np.isin(tried, [*lost]), WORST, means)),
        "validation_error": (("trial", "fold"), means[:, None] + place[:, None] * np.array(wobble)),
        "status": (("trial", "fold"), status),
    }
    return xr.Dataset(columns)


@pytest.mark.parametrize(
    ("search_made", "end"),
    [
        (searched({1.0: 0.3, 0.1: 0.1, 0.01: 0.9}, chosen=0.1, lost={0.01}), "smallest that fits in time"),
        (searched({1.0: 0.3, 0.1: 0.1, 0.01: 0.9}, chosen=0.1), ""),  # the smallest counts
        (searched({10.0: 0.9, 1.0: 0.1, 0.1: 0.3}, chosen=1.0, lost={10.0}), ""),  # a larger one was tried
        (searched({10.0: 0.1, 1.0: 0.3, 0.1: 0.4}, chosen=10.0), "largest that was tried"),
        (searched({10.0: 0.1, 1.0: 0.09, 0.1: 0.4}, chosen=10.0), ""),  # it does not fall towards the end
        (searched({10.0: 0.1, 1.0: 0.05, 0.1: 0.4}, chosen=10.0, untried={1.0}), "largest that was tried"),
        (searched({10.0: 0.1}, chosen=10.0), "largest that was tried"),  # none is beside it
        (searched({10.0: 0.1, 1.0: 0.9}, chosen=10.0, lost={1.0}), "largest that was tried"),
    ],
)
def test_a_search_found_no_rate_at_an_end_towards_which_the_error_falls(search_made, end):
    rate = float(search_made.learning_rate)
    expected = f"the rate {rate:.3g} is the {end}, and the error still falls towards it" if end else ""
    assert rates.fault(search_made) == expected


@pytest.mark.parametrize(("gap", "falls"), [(0.0139, True), (0.0119, False)])
def test_an_error_falls_if_it_does_by_more_than_a_standard_error_over_folds(gap, falls):
    """The differences by fold are the gap and a wobble, whose standard error is 0.0129."""
    made = searched({1.0: 0.2, 0.1: 0.2 + gap}, chosen=1.0)
    assert np.std([0.03, -0.01, 0.01, -0.03], ddof=1) / 2 == pytest.approx(0.0129, abs=1e-4)
    assert bool(rates.fault(made)) == falls


def test_searches_of_which_too_few_found_a_rate_are_counted_by_their_reasons():
    good = searched({10.0: 0.4, 1.0: 0.1, 0.1: 0.3}, chosen=1.0)
    ends = [searched({10.0: 0.1, 1.0: 0.3, 0.1: 0.4 + i}, chosen=10.0) for i in range(2)]
    nothing = searched({10.0: 0.4, 1.0: 0.1, 0.1: 0.3}, chosen=1.0, lost={0.1, 1.0, 10.0})
    made = xr.concat([*ends, nothing, *[good] * 5], xr.Variable("draw", [5, 7, 1, 0, 3, 4, 8, 9]))
    words = r"2 of 8 searches: the rate 10 is .*; 1 of 8 searches: no trial of the search"
    rates.require_found(made, least=5 / 8)
    with pytest.raises(Undetermined, match=f"rate not found: {words}"):
        rates.require_found(made, least=0.63)
    assert rates.draws_of(made) == [0, 1, 3, 4, 5, 7, 8, 9]
    assert (rates.draws_by_search([0, 3, 6]), rates.draws_by_search([4]), rates.draws_by_search([0, 4, 6])) == (3, 1, 2)


def swept(means, gaps, *, status=None):
    """Make a cell (rate, seed, step) of these mean errors; networks differ by the gaps of each rate."""
    errors = np.array(means)[:, None] + np.array(gaps)
    halves = errors[..., None] + np.array([0.3, 0.1, 0.0])  # at three steps
    names = ("first_half", "second_half", "test")
    recorded = {f"recorded_{name}_error": (("learning_rate", "seed", "step"), halves) for name in names}
    status = np.full(errors.shape, "fitted", dtype=object) if status is None else status
    return xr.Dataset(
        {**recorded, "status": (("learning_rate", "seed"), status)},
        {"learning_rate": 0.1 * 2.0 ** np.arange(len(means)), "step": [1, 2, 4], "seed": range(4)},
    )


FLAT, WOBBLE = [0.0] * 4, [0.03, -0.01, 0.01, -0.03]


@pytest.mark.parametrize(
    ("means", "why"),
    [
        ([0.21, 0.3, 0.2], "0.4, the largest"),  # the next one is the middle, though the other end is as good
        ([0.3, 0.2139, 0.2], "0.4, the largest"),
        ([0.3, 0.2119, 0.2], ""),
        ([0.2, 0.2139, 0.3], "0.1, the smallest"),
        ([0.2, 0.2119, 0.3], ""),
        ([0.3, 0.2, 0.2139], ""),
    ],
)
def test_a_best_rate_at_an_end_is_compared_with_the_one_beside_it(means, why):
    gaps = [[2 * gap for gap in WOBBLE], WOBBLE, FLAT]  # neighbours differ with a standard error of 0.0129
    for order in (slice(None), slice(None, None, -1)):  # rates may be listed in any order
        cell = swept(means, gaps).isel(learning_rate=order)
        np.testing.assert_allclose(errors_by_rate(cell).mean("network"), np.array(means)[order])
        if why:
            with pytest.raises(Undetermined, match=f"rate not found: {why}"):
                require_rate(cell)
        else:
            require_rate(cell)


def test_a_largest_rate_below_one_at_which_all_diverged_is_no_end():
    status = np.full((3, 4), "fitted", dtype=object)
    status[2] = "diverged"
    cell = swept([0.4, 0.2, np.nan], [FLAT, WOBBLE, FLAT], status=status)
    require_rate(cell, diverged_ends=True)
    with pytest.raises(Undetermined, match=r"0\.2, the largest"):
        require_rate(cell)
    turned = cell.assign_coords(learning_rate=[0.4, 0.2, 0.1])  # all diverged at a smaller rate: 0.2 is the smallest
    with pytest.raises(Undetermined, match=r"0\.2, the smallest"):
        require_rate(turned, diverged_ends=True)


def test_a_smallest_rate_is_an_end_though_the_largest_diverged():
    status = np.full((3, 4), "fitted", dtype=object)
    status[2] = "diverged"
    cell = swept([0.2, 0.4, np.nan], [FLAT, WOBBLE, FLAT], status=status)
    with pytest.raises(Undetermined, match=r"0\.1, the smallest"):
        require_rate(cell, diverged_ends=True)


def test_rates_are_suggested_within_the_range_as_it_has_widened(monkeypatch):
    asked = []

    def suggested(costs, bounds, **_):
        asked.append((sorted(costs), bounds))
        return [0.5]

    monkeypatch.setattr("isobath.training.search.suggested", suggested)
    search(rounds=1, widenings=1).run(partial(valley, optimum=50.0))
    ((rates, bounds),) = asked
    assert bounds == (1e-3, rates[-1])
    assert rates[-1] > 10


def test_rates_that_were_given_up_count_as_worst_in_suggestions(monkeypatch):
    asked = []
    monkeypatch.setattr("isobath.training.search.suggested", lambda costs, *_, **__: asked.append(costs) or [])
    made = search(rounds=1, patience=4, maximum=1.0, initial=8)
    made.run(lambda rates, tried, _: [trial(rate, 0.2, FITTED, tried, int(8 / rate)) for rate in rates])
    assert asked == [{each.learning_rate: each.cost for each in made.trials}]
    assert {*asked[0].values()} == {0.2, 1.0}


def test_rates_are_compared_on_the_folds_that_all_have_tried():
    lucky, good = (trial(rate, 0.2) for rate in (0.1, 0.2))
    made = search(found={0.1: lucky._replace(error=np.array([0.1, 0.9, 0.9, 0.9])), 0.2: good})
    made._try(lambda rates, tried, _: [trial(rate, 0.3, tried=tried) for rate in rates], [0.3])
    assert made.found[0.3].tried.tolist() == [True, False, False, False]
