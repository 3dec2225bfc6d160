"""Best rates that are the last before runs no longer arrive: between them and the next a better one could lie."""

import expressivity_cubes as made
import numpy as np
import pytest
import xarray as xr
from test_convergence import PLACES, planted
from test_expressivity_doubts import FIRST, of_grid, parts

from isobath.analysis.convergence import FINER, Method, arrival

ONE, DEEP = "gradient descent, N = 1", "two or three layers"


def test_the_edge_is_at_the_best_rate_if_no_run_arrives_at_the_next():
    """The three data sets have their best rate in the middle; on the second some run arrives at the next one."""
    scales = np.full(PLACES, 40.0)
    scales[:, 1] = 20.0
    scales[[0, 2], 2, 0] = 500.0
    found = arrival(planted(scales), Method("p", "adam", 1, 0), 1e-2)
    assert dict(found.at_the_edge) == {0: 2.0, 2: 2.0}
    steps = found.logarithm("it")
    assert dict(steps.otherwise) == {FINER.format("it"): pytest.approx(steps.value - 2 * np.log(2) / 3)}


def test_a_run_that_did_not_arrive_could_have_at_a_rate_below_the_next():
    """The steps that it made, by that ratio, are what it takes at least."""
    found = arrival(planted(np.full(PLACES, 500.0) - np.array([0, 50, 0])[:, None]), Method("p", "adam", 1, 0), 1e-2)
    assert found.censored == {0, 1, 2}
    assert dict(found.at_the_edge) == dict.fromkeys(range(3), 2.0)
    assert not arrival(planted(np.full(PLACES, 20.0)), Method("p", "adam", 1, 0), 1e-2).at_the_edge


def regressions(steps, *, unstable):
    """Make regressions whose best rate is the third, and where some numbers of layers diverge at the fourth."""
    networks = made.regressions(steps)
    gone = networks.depth.isin([n - 1 for n in unstable]) & (networks.learning_rate > made.RATES[2])
    gone = gone & (networks.protocol_kind == "gradient_descent")
    there = networks.status == "unfitted"
    status = networks.status.where(~(gone & there), "diverged")
    networks = networks.assign(status=status, recorded_loss=networks.recorded_loss.where(~gone))
    return of_grid("diabetes", {"d": {"kind": "diabetes"}}, networks=networks)


def squares(kind, layers, p):
    return {1: 135, 2: 100, 3: 110}[layers]


@pytest.mark.parametrize(
    ("unstable", "verdict"), [((), "not reproduced"), ((1,), "inconclusive"), ((2, 3), "not reproduced")]
)
def test_a_factor_that_the_list_could_have_made_refutes_nothing(unstable, verdict):
    """One layer alone that ends at the edge makes depth look fast; two and three layers there make it look slow."""
    part = parts("no_acceleration_for_squares", regressions(squares, unstable=unstable))[FIRST]
    assert part["verdict"] == verdict
    words = FINER.format(ONE)
    assert part["reason"] == (
        f"{words} it is {part['estimate'] - np.log(2):.3g}, on the other side of a bound" if 1 in unstable else ""
    )


def test_the_alternative_is_of_the_data_sets_that_are_compared():
    """Once it was over all data sets of one layer, also where two and three layers lacked some of these."""
    tree = regressions(squares, unstable=(1,))
    networks = tree["diabetes/networks"].to_dataset()
    gone = (networks.depth > 0) & networks.draw.isin([0, 1]) & (networks.status != "missing")
    status = networks.status.where(~gone, "failed")
    lost = networks.assign(status=status, recorded_loss=networks.recorded_loss.where(~gone))
    tree["diabetes/networks"] = xr.DataTree(lost)
    part = parts("no_acceleration_for_squares", tree)[FIRST]
    assert part["count"] == 2
    assert f"it is {part['estimate'] - np.log(2):.3g}, on the other side" in part["reason"]


def test_depth_may_be_faster_than_the_list_shows():
    def slight(kind, layers, p):
        return {1: 125, 2: 100, 3: 110}[layers]

    part = parts("depth_accelerates_quartic", regressions(slight, unstable=(2, 3)))[FIRST]
    assert (part["verdict"], part["reason"].startswith(FINER.format(DEEP))) == ("inconclusive", True)
    alone = parts("depth_accelerates_quartic", regressions(slight, unstable=()))[FIRST]
    assert alone["verdict"] == "not reproduced"


def test_the_density_of_the_list_is_judged_by_what_it_shows():
    for part in parts("rates_are_dense_enough", regressions(made.expected_steps, unstable=(1, 2))).values():
        assert "lay just below" not in part["reason"]
