"""Steps to a gap: each method at its best rate, censored where it did not arrive, refused without an optimum."""

import expressivity_cubes as made
import numpy as np
import pytest
import xarray as xr

from isobath.analysis.convergence import Method, arrival, compared, methods, short_labels
from isobath.analysis.estimates import NotRun, Undetermined

RIVALS = ("adadelta", "adagrad", "adam", "momentum")


def networks(**how):
    table = made.regressions(made.expected_steps, **how)
    return compared(table.isel(task=0, n_train=0), power="protocol_loss_p", optimum="newton")


def method(table, label, power=4):
    return next(m for m in methods(table, power) if m.label == label)


def test_methods_are_listed_by_layers_and_kind():
    labels = [m.label for m in methods(networks(), 4)]
    assert labels == [*(f"gradient descent, N = {n}" for n in (1, 2, 3)), *(f"{kind}, N = 1" for kind in RIVALS)]


def test_steps_to_a_gap_are_those_that_were_planted_at_the_best_rate():
    table = networks()
    for label, steps in (("gradient descent, N = 1", 400), ("gradient descent, N = 2", 100), ("adam, N = 1", 150)):
        found = arrival(table, method(table, label), 1e-3)
        assert set(found.rates.values()) == {0.5}
        assert not found.censored
        assert found.logarithm().value == pytest.approx(np.log(steps), abs=0.2)
        assert len(found.logarithm().draws) == made.DRAWS


def test_runs_that_did_not_arrive_are_censored_and_bound_the_steps():
    table = networks(last=200)
    found = arrival(table, method(table, "gradient descent, N = 1"), 1e-3)
    assert found.censored == set(range(made.DRAWS))
    assert all(steps <= 200 for steps in found.steps.values())
    assert not arrival(table, method(table, "gradient descent, N = 2"), 1e-3).censored


def test_a_bound_by_rates_that_are_too_small_is_none():
    """Runs come nearer to the gap up to the largest rate that was offered, and none arrives."""
    table = networks().copy(deep=True)
    for rate in made.RATES:
        place = {"protocol": "adagrad_4", "depth": 0, "width": 0, "learning_rate": rate}
        falling = np.exp(-np.log(1000) * np.array(made.STEPS) / (6 * made.STEPS[-1] / rate))
        table.recorded_loss.loc[place] = made.LEAST + xr.DataArray(falling, dims="step")
    found = arrival(table, method(table, "adagrad, N = 1"), 1e-3)
    assert found.censored == set(range(made.DRAWS))
    assert set(found.rates.values()) == {made.RATES[-1]}
    with pytest.raises(Undetermined, match="rate not found on 4 of 4 data sets"):
        found.logarithm()


@pytest.mark.parametrize("last", [0, 3])
def test_a_method_that_always_diverges_has_no_steps(last):
    table = networks().copy(deep=True)
    place = {"protocol": "adagrad_4", "depth": 0, "width": 0}
    loss, status = table.recorded_loss.loc[place], table.status.loc[place]
    table.recorded_loss.loc[place] = loss.where(loss.step <= last)
    table.status.loc[place] = status.where(status == "missing", "diverged")
    with pytest.raises(Undetermined, match="adagrad, N = 1 diverged at every rate"):
        arrival(table, method(table, "adagrad, N = 1"), 1e-3).logarithm()


def test_networks_that_were_not_asked_for_are_neither_censored_nor_counted():
    """Other methods of the grid may have more starts."""
    table = networks()
    wider = table.reindex(seed=[0, 1, 2])
    wider["status"] = wider.status.where(wider.status.isin(["unfitted", "missing"]), "missing")
    for label in ("gradient descent, N = 1", "adam, N = 1"):
        assert arrival(wider, method(table, label), 1e-3) == arrival(table, method(table, label), 1e-3)


def test_a_run_that_rises_again_has_not_arrived_to_stay():
    """This happens at a rate near the edge of stability."""
    table = networks().copy(deep=True)
    place = {"protocol": "descent_4", "depth": 0, "width": 0, "learning_rate": 0.5, "step": made.STEPS[-5]}
    table.recorded_loss.loc[place] = 0.3
    known = method(table, "gradient descent, N = 1")
    first, lasting = (arrival(table, known, 1e-3, lasting=lasting) for lasting in (False, True))
    assert set(first.rates.values()) == {0.5}
    assert 0.5 not in lasting.rates.values()


def test_a_rate_at_which_a_network_diverged_is_not_the_best():
    table = networks().copy(deep=True)
    place = {"protocol": "descent_4", "depth": 0, "width": 0, "learning_rate": 0.5}
    table.recorded_loss.loc[place] = np.nan
    table.status.loc[place] = "diverged"
    assert 0.5 not in arrival(table, method(table, "gradient descent, N = 1"), 1e-3).rates.values()


@pytest.mark.parametrize("best", [0, 4])
def test_a_best_rate_at_an_end_is_not_a_best_rate(best):
    table = networks(best=best)
    with pytest.raises(Undetermined, match="rate not found on 4 of 4 data sets"):
        arrival(table, method(table, "gradient descent, N = 1"), 1e-3).logarithm()


def test_of_every_second_rate_the_best_is_taken():
    table = networks(best=1)
    known = method(table, "gradient descent, N = 1")
    fine, coarse = (arrival(table, known, 1e-3, stride=stride) for stride in (1, 2))
    assert set(fine.rates.values()) == {0.25}
    assert set(coarse.rates.values()) <= {0.125, 0.5, 2.0}
    assert all(coarse.steps[draw] == pytest.approx(3 * fine.steps[draw], rel=0.1) for draw in fine.steps)


def test_without_an_optimum_there_is_no_gap():
    table = networks()
    alone = table.sel(protocol=[p for p in table.protocol.values if not p.startswith("newton")])
    with pytest.raises(NotRun, match=r"finds L\*"):
        arrival(alone, method(table, "gradient descent, N = 1"), 1e-3)
    moving = table.copy(deep=True)
    moving.recorded_loss.loc[{"protocol": "newton_4", "depth": 0, "width": 0, "step": made.STEPS[-1]}] = 0.1
    with pytest.raises(Undetermined, match="has not come to rest"):
        arrival(moving, Method("descent_4", "gradient_descent", 1, 0), 1e-3)


def test_short_labels_name_layers_of_the_kind_that_has_several():
    found = methods(networks(), 4)
    labels, deep = short_labels(found)
    assert (labels, deep) == (["N = 1", "N = 2", "N = 3", *RIVALS], ["gradient descent"])
    both = [*found, Method("adam_4", "adam", 2, 1)]
    assert short_labels(both)[0][0] == "gradient descent, N = 1"
    assert short_labels(both)[1] == ["adam", "gradient descent"]


def test_a_rate_whose_jobs_failed_for_one_data_set_is_not_its_best():
    """Once it was: the smallest of numbers of which one is none is none."""
    table = networks().copy(deep=True)
    label = "gradient descent, N = 2"
    known = method(table, label)
    best = arrival(table, known, 1e-3)
    gone = {"protocol": "descent_4", "depth": 1, "learning_rate": float(table.learning_rate[0]), "draw": 0}
    table.recorded_loss.loc[gone] = np.nan
    table.status.loc[gone] = "failed"
    found = arrival(table, known, 1e-3)
    assert found.rates == best.rates
    assert found.steps == best.steps


def test_data_sets_without_an_optimum_are_named():
    table = networks().copy(deep=True)
    table.recorded_loss.loc[{"protocol": table.protocol[table.finds_optimum.values].values, "draw": 2}] = np.nan
    with pytest.raises(Undetermined, match=r"no loss for the data sets \[2\]"):
        arrival(table, method(table, "adam, N = 1"), 1e-3)
