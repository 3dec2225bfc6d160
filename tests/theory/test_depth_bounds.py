"""Bounds on depth, against enumeration, against networks that reach them and against the best sign patterns."""

import itertools
import math

import numpy as np
import pytest

from isobath.fractals.bounds import (
    needed_levels,
    reachable_error,
    separation_bounds,
    start_bounds,
    unavoidable_error,
)
from isobath.fractals.population_gradients import population_error, start
from isobath.geometry.linear_regions import most_regions, rational

LEVELS = {"coarse": [0.4, 0.3, 0.1, 0.05, 0.05, 0.05, 0.03, 0.02], "even": [0.125] * 8, "fine": [0.0] * 7 + [1.0]}


def curve(p):
    return np.concatenate([[0.5], 0.5 + np.cumsum(p) / 2])


def folding(j):
    """Return 1 - |T^j(2 x - 1)| with T(z) = 3 |z| - 2: positive on C_j alone, with j + 1 hidden layers of width 2.

    T takes each outer third to [-1, 1] and the middle one below -1, from where no iterate returns.
    """
    network = [[[2], [-2]], [-1, 1], *([[3, 3], [-3, -3]], [-2, 2]) * j, [[-1, -1]], [1]]
    return rational([np.array(parameter) for parameter in network])


@pytest.mark.parametrize("p", LEVELS.values(), ids=LEVELS)
def test_a_network_of_the_size_of_theorem_3_reaches_its_error(p):
    for j in range(1, 7):
        error = float(population_error(folding(j), p))
        assert error == pytest.approx(1 - curve(p)[j])
        assert error == pytest.approx(reachable_error(curve(p), depth=2 * j + 1, width=10, maps=2, n_inputs=1))


def test_theorem_3_takes_the_best_level_that_a_size_grants():
    p = curve(LEVELS["even"])
    for maps, n_inputs, depth, width in itertools.product((2, 4), (1, 2), range(1, 12), (9, 10, 39, 40, 160, 10_000)):
        granted = [
            j
            for j in range(1, 9)
            for s in range(1, j + 1)
            if 2 * (j // s) + 2 <= depth + 1 and 5 * n_inputs * maps**s <= width
        ]
        expected = 1 - p[max(granted, default=0)]
        assert reachable_error(p, depth=depth, width=width, maps=maps, n_inputs=n_inputs) == pytest.approx(expected)


def least_error(p, changes):
    """Return the least error of a sign pattern on [0, 1] with at most ``changes`` changes, by dynamic programming.

    The cells of a Cantor distribution lie in order from left to right: E_j in 2^(j-1) pieces, C_n in 2^n.
    """
    cells = [(1, 0.5 / 2 ** len(p))]
    for j in range(len(p), 0, -1):
        cells = [*cells, (-1, p[j - 1] / 2**j), *cells]
    best = {(sign, 0): 0.0 for sign in (1, -1)}
    for label, mass in cells:
        moved = {}
        for (sign, used), error in best.items():
            for to in (1, -1):
                key, cost = (to, used + (to != sign)), error + mass * (to != label)
                if key[1] <= changes and cost < moved.get(key, math.inf):
                    moved[key] = cost
        best = moved
    return min(best.values())


@pytest.mark.parametrize("p", LEVELS.values(), ids=LEVELS)
@pytest.mark.parametrize(("depth", "width"), [(1, 1), (2, 1), (1, 3), (1, 2)])
def test_theorem_4_is_below_the_best_of_all_sign_patterns(p, depth, width):
    """A network of R linear regions changes its sign R times at most: once in each."""
    bound = unavoidable_error(curve(p), depth=depth, width=width, maps=2)
    assert 0 < bound <= least_error(p, most_regions(depth=depth, width=width))


def test_theorem_4_is_tight_where_cells_are_many():
    p = [0.0] * 11 + [1.0]
    bound = unavoidable_error(curve(p), depth=1, width=1, maps=2)
    assert bound == (1 - 2.0**-9) / 2  # j = 11, s t = 2
    assert bound == pytest.approx(least_error(p, 2), rel=0.01)
    assert unavoidable_error(curve(p), depth=5, width=1, maps=2) == (1 - 2.0**-5) / 2
    assert unavoidable_error(curve(p), depth=1, width=100, maps=2) == 0  # s t = 14


@pytest.mark.parametrize("p", LEVELS.values(), ids=LEVELS)
def test_no_network_errs_less_than_theorem_4_says(p):
    bound = unavoidable_error(curve(p), depth=1, width=3, maps=2)
    for seed in range(30):
        network = start(
            np.random.default_rng(seed), depth=1, width=3, initialisation={"kind": "he_normal", "bias": -0.2}
        )
        assert population_error(network, p) >= bound


def failure_probability(levels, *, depth, width):
    """Return the probability of failure of Theorem 5, 4 t k^2 (2/3)^n'."""
    return 4 * (depth + 1) * width**2 * (2 / 3) ** levels


def test_theorem_5_needs_levels_that_float64_does_not_resolve():
    n = needed_levels(0.1, depth=4, width=100)
    assert n == 36
    assert failure_probability(n, depth=4, width=100) < 0.1 <= failure_probability(n - 1, depth=4, width=100)
    assert 1 - 3.0**-n == 1


def test_corollary_3_follows_from_theorem_5():
    """P(n') - 1/2 <= epsilon^(n/2), with the minus: (1 - u) (1/2 - u) = 1/2 - (3/2) u + u^2."""
    for epsilon, levels in [(0.5, 4), (0.9, 30), (0.1, 2)]:
        u = epsilon ** (levels / 2)
        gradient, error = separation_bounds(epsilon, levels)
        assert gradient == pytest.approx(start_bounds(0.5 + u)[0])
        assert error == pytest.approx(start_bounds(0.5 + u)[1] - u**2)
    assert start_bounds(0.5) == (0, 0.5)


@pytest.mark.parametrize("values", [[1.0], [0.4, 1], [0.5, 0.9], [0.5, 0.8, 0.7, 1]])
def test_what_is_no_curve_is_refused(values):
    with pytest.raises(ValueError, match=r"P = .* rises from 1/2 to 1"):
        reachable_error(values, depth=3, width=10, maps=2, n_inputs=1)
