"""Steps to a gap: each method at its best rate, censored where it did not arrive, refused without an optimum."""

import expressivity_cubes as made
import numpy as np
import pytest
import xarray as xr

from isobath.analysis.convergence import Method, arrival, compared, gaps, methods, short_labels
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
        assert found.logarithm("it").value == pytest.approx(np.log(steps), abs=0.2)
        assert len(found.logarithm("it").draws) == made.DRAWS


def test_runs_that_did_not_arrive_are_censored_and_bound_the_steps():
    table = networks(last=200)
    found = arrival(table, method(table, "gradient descent, N = 1"), 1e-3)
    assert found.censored == set(range(made.DRAWS))
    assert [*found.steps.values()] == pytest.approx([200] * made.DRAWS)
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
        found.logarithm("it")


@pytest.mark.parametrize("last", [0, 3])
def test_a_method_that_always_diverges_has_no_steps(last):
    table = networks().copy(deep=True)
    place = {"protocol": "adagrad_4", "depth": 0, "width": 0}
    loss, status = table.recorded_loss.loc[place], table.status.loc[place]
    table.recorded_loss.loc[place] = loss.where(loss.step <= last)
    table.status.loc[place] = status.where(status == "missing", "diverged")
    with pytest.raises(Undetermined, match="adagrad, N = 1 diverged at every rate"):
        arrival(table, method(table, "adagrad, N = 1"), 1e-3).logarithm("it")


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
        arrival(table, method(table, "gradient descent, N = 1"), 1e-3).logarithm("it")


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
    for last in (0.1, 0.3):  # 0.2 before it
        moving = table.copy(deep=True)
        moving.recorded_loss.loc[{"protocol": "newton_4", "depth": 0, "width": 0, "step": made.STEPS[-1]}] = last
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


LEAST, LEVEL = [0.5, 0.7, 0.9], 1e-2
PLACES = (3, 3, 2)  # data sets, rates, starts


def planted(scales, *, last=400):
    """Make losses L* + (1 + draw) exp(-step / scale), by data set, rate and start, recorded until ``last``."""
    steps = np.array([0, 5, 20, 60, 150, 250, 400])
    draws = np.arange(3)[:, None, None, None]
    fall = np.array(LEAST)[:, None, None, None] + (1 + draws) * np.exp(-steps / scales[..., None])
    fall[..., steps > last] = np.nan
    rest = np.broadcast_to(np.array(LEAST)[:, None, None, None] + (steps == 0), fall.shape)
    loss = np.stack([fall, rest])[:, None, None]  # protocol, depth, width, draw, rate, seed, step
    dims = ["protocol", "depth", "width", "draw", "learning_rate", "seed"]
    coords = {
        "protocol": ["p", "newton"],
        "depth": [0],
        "width": [0],
        "draw": [0, 1, 2],
        "learning_rate": [0.1, 0.2, 0.4],
    }
    coords |= {"seed": [0, 1], "step": steps, "power": ("protocol", [4.0, 4.0])}
    coords |= {"finds_optimum": ("protocol", [False, True]), "protocol_kind": ("protocol", ["adam", "newton"])}
    status = (dims, np.full(loss.shape[:-1], "unfitted", dtype=object))
    return xr.Dataset({"recorded_loss": ([*dims, "step"], loss), "status": status}, coords)


def test_steps_are_the_geometric_mean_over_starts_at_the_best_rate_of_each_data_set():
    """ln of the gap is linear in the steps, so that a crossing between two records is exact."""
    scales = np.random.default_rng(1).uniform(8, 60, PLACES)
    scales[:, 1] *= np.array([0.4, 0.5, 3.0])[:, None]  # the middle rate is best but for the last data set
    scales[0, 1], scales[0, 2] = (10.0, 12.0), (3.0, 80.0)  # one lucky start makes no rate the best
    crossing = scales * np.log(1 / LEVEL)
    times = np.log(crossing).mean(2)
    found = arrival(planted(scales), Method("p", "adam", 1, 0), LEVEL)
    assert dict(found.steps) == pytest.approx(dict(enumerate(np.exp(times.min(1)))))
    assert [*found.rates.values()] == [[0.1, 0.2, 0.4][place] for place in times.argmin(1)]
    assert found.at_an_end == {draw for draw, place in enumerate(times.argmin(1)) if place != 1} == {2}
    assert not found.censored
    with pytest.raises(Undetermined, match="on 1 of 3 data sets"):
        found.logarithm("it")


@pytest.mark.parametrize(("scale", "steps"), [(0.8, 0.8 * np.log(1 / LEVEL)), (0.1, 1.0)])
def test_a_run_may_arrive_before_its_first_record_and_takes_a_step_at_least(scale, steps):
    scales = np.full(PLACES, 60.0)
    scales[:, 1] = scale
    found = arrival(planted(scales), Method("p", "adam", 1, 0), LEVEL)
    assert [*found.steps.values()] == pytest.approx([steps] * 3)


def test_a_run_that_leaves_the_gap_arrives_to_stay_later():
    """The gap is 1e-3 at the step 20 and 1e-1 at 60: it crosses 1e-2 before the one, and again after the other."""
    table = planted(np.full(PLACES, 50.0))
    least = xr.DataArray(LEAST, dims="draw")
    for step, gap in ((5, 0.1), (20, 1e-3), (60, 0.1), (150, 1e-4), (250, 1e-5), (400, 1e-6)):
        place = {"protocol": "p", "learning_rate": 0.2, "step": step}
        table.recorded_loss.loc[place] = (
            least + gap * (1 + table.draw.drop_vars("draw")) + 0 * table.recorded_loss.sel(place)
        )
    first, lasting = (arrival(table, Method("p", "adam", 1, 0), LEVEL, lasting=lasting) for lasting in (False, True))
    assert [*first.steps.values()] == pytest.approx([5 + 15 / 2] * 3)
    assert [*lasting.steps.values()] == pytest.approx([60 + 90 / 3] * 3)


def test_runs_that_did_not_arrive_count_the_steps_that_they_made_and_rank_by_their_last_gap():
    scales = np.full(PLACES, 200.0) - np.array([0, 30, 20])[:, None]
    scales[0, 1, 0] = 20.0  # one start arrives
    found = arrival(planted(scales, last=150), Method("p", "adam", 1, 0), LEVEL)
    assert dict(found.rates) == dict.fromkeys(range(3), 0.2)
    assert found.censored == {0, 1, 2}
    first = np.sqrt(20 * np.log(1 / LEVEL) * 150)
    assert dict(found.steps) == pytest.approx({0: first, 1: 150, 2: 150})
    logs = found.logarithm("it")
    assert dict(logs.draws) == pytest.approx({0: np.log(first), 1: np.log(150), 2: np.log(150)})
    assert logs.spread == pytest.approx(np.log(150 / first) / 3)


def test_a_gap_is_relative_to_that_at_the_start_above_the_least_loss_of_each_data_set():
    table = planted(np.full(PLACES, 50.0))
    found = gaps(table, Method("p", "adam", 1, 0))
    expected = np.exp(-table.step.values / 50)
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), rtol=1e-9)
    table.recorded_loss.loc[{"protocol": "newton", "learning_rate": 0.2, "seed": 1}] += 0.3  # the least of all counts
    np.testing.assert_allclose(gaps(table, Method("p", "adam", 1, 0)), found)
    table.status.loc[{"protocol": "p", "learning_rate": 0.4, "draw": 1}] = "failed"
    found = gaps(table, Method("p", "adam", 1, 0))
    assert found.isnull().sum(["seed", "step"]).values.tolist() == [[0, 0, 0], [0, 0, 14], [0, 0, 0]]
    table.recorded_loss.loc[{"protocol": "p", "learning_rate": 0.1, "draw": 2}] = np.nan
    assert np.isinf(gaps(table, Method("p", "adam", 1, 0)).sel(learning_rate=0.1, draw=2)).all()


def test_a_training_with_one_record_arrives_nowhere():
    with pytest.raises(Undetermined, match="adam, N = 1 has fewer than two records"):
        arrival(planted(np.full(PLACES, 50.0), last=0), Method("p", "adam", 1, 0), LEVEL)
