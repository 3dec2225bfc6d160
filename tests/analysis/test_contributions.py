"""Cells that enter a sum more than once: their errors add with their factors, and do not count as independent ones."""

import numpy as np
import pytest
from locality_cubes import block
from test_units_of_cells import cells_of

from isobath.analysis.combinations import average
from isobath.analysis.estimates import Estimate
from isobath.analysis.jamming.threshold import threshold
from isobath.claims.locality.measures import depth_over_width

SHALLOW, DEEP = 1, 7
FIXED = {"task": "2-local", "n_train": 50}


def networks_of(rng, *, draws=1, mean=0.2):
    """Return the cells of two depths and two widths, of ten networks each."""
    return cells_of(
        *(
            block(range(10), mean + 0.02 * rng.standard_normal(10), depth=depth, width=width, draw=draw)
            for draw in range(draws)
            for depth in (SHALLOW, DEEP)
            for width in (10, 40)
        )
    )


@pytest.mark.parametrize("draws", [1, 2, 6])
def test_depth_over_width_has_the_error_of_the_two_cells_that_are_left(draws):
    """Once each of the four cells counted twice, as if it had been measured twice: 87 % of intervals held the truth."""
    cells = networks_of(np.random.default_rng(draws), draws=draws)
    found = depth_over_width(cells, "2-local")
    left = cells.error(depth=SHALLOW, width=40, **FIXED) - cells.error(depth=DEEP, width=10, **FIXED)
    assert found.value == pytest.approx(left.value)
    assert found.spread == pytest.approx(left.spread)
    if draws == 1:
        assert found.interval() == pytest.approx(left.interval(), rel=1e-4)  # but for the test sample's error


@pytest.mark.slow
def test_intervals_of_depth_over_width_hold_the_truth():
    rng = np.random.default_rng(0)
    intervals = np.array([depth_over_width(networks_of(rng), "2-local").interval() for _ in range(300)])
    covered = ((intervals[:, 0] < 0) & (intervals[:, 1] > 0)).mean()
    assert 0.91 < covered < 0.99


def test_a_cell_that_is_read_twice_is_one_measurement():
    cells = networks_of(np.random.default_rng(3))
    first, again = (cells.error(depth=SHALLOW, width=10, **FIXED) for _ in range(2))
    other = cells.error(depth=SHALLOW, width=40, **FIXED)
    assert (first + again).interval() == pytest.approx((first * 2).interval())
    assert (first - again).interval() == pytest.approx((0, 0))
    assert (first - again * 0.5).spread == pytest.approx(0.5 * first.spread)
    assert (first - other).spread == pytest.approx(np.hypot(first.spread, other.spread))


def test_a_cell_in_two_averages_counts_once():
    cells = networks_of(np.random.default_rng(4))
    first, second = (cells.error(depth=SHALLOW, width=width, **FIXED) for width in (10, 40))
    assert (average([first, second]) - first * 0.5).spread == pytest.approx(0.5 * second.spread)


def test_estimates_without_a_name_are_independent():
    first, second = (Estimate.over([0.1, 0.2, 0.3]) for _ in range(2))
    assert (first + second).spread == pytest.approx(np.sqrt(2) * first.spread)


def test_the_range_of_a_transition_over_data_sets_has_their_interval():
    """Once that of pooled networks, half as wide: jumps lay at other sizes on each data set."""
    sizes, rng = np.geomspace(20, 400, 12), np.random.default_rng(0)
    at = [3, 4, 5, 5, 6, 8]
    fitted = np.array([[[place >= jump] * 4 for jump in at] for place in range(len(sizes))], dtype=float)
    found = threshold(fitted.reshape(len(sizes), -1), sizes, generator=rng, draws=len(at))
    ranges = []
    for _ in range(60):
        picks = rng.integers(0, len(at), len(at))
        pooled = threshold(fitted[:, picks].reshape(len(sizes), -1), sizes, generator=rng, bootstraps=1)
        ranges.append(np.log(pooled.range))
    spread = 2 * np.std(ranges)
    assert np.log(found.range_high / found.range) > spread
    assert 1 <= found.range_low < found.range < found.range_high


def test_two_cells_with_equal_numbers_are_two_measurements():
    at = {"task": "2-local", "width": 10, "n_train": 50, "depth": 1}
    cells = cells_of(*(block(range(4), [0.1, 0.2, 0.3, 0.4], width=width) for width in (10, 40)))
    one, other = (cells.error(**{**at, "width": width}) for width in (10, 40))
    assert (one - other).spread == pytest.approx(np.sqrt(2) * one.spread)
    assert (one - other).tally.trained == 8
