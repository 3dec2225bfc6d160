"""Linear regions of networks of one input: known functions, dense grids of exact numbers, bounds."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import torch

from isobath.fractals.bounds import least_width, region_bound
from isobath.geometry.linear_regions import count_regions, kinks, most_regions, rational
from isobath.networks import mlp


def network(*parameters):
    return [np.array(parameter, dtype=float) for parameter in parameters]


def tents(k):
    """Make the tent map on [0, 1], composed k times: T(x) = 2 relu(x) - 4 relu(x - 1/2)."""
    first, again = ([[1], [1]], [0, -0.5]), ([[2, -4], [2, -4]], [0, -0.5])
    return network(*first, *(parameter for _ in range(k - 1) for parameter in again), [[2, -4]], [0])


@pytest.mark.parametrize("k", [1, 2, 5, 10])
def test_composed_tents_have_two_to_the_k_pieces(k):
    assert count_regions(tents(k)) == 2**k
    assert kinks(tents(k)).tolist() == [i / 2**k for i in range(2**k + 1)]


def test_composed_tents_are_exact_in_rationals_on_any_interval():
    tent = rational(tents(4))
    assert kinks(tent).tolist() == [Fraction(i, 16) for i in range(17)]
    assert count_regions(tent, low=Fraction(1, 3), high=Fraction(2, 3)) == 6  # kinks at 6/16 .. 10/16


def test_the_most_regions_are_reached_by_a_zigzag_of_a_zigzag():
    """The zigzag has slopes 2, -1, 1, -1 and extrema -12, -15, -12; the second layer's levels cross it 12 times."""
    zigzag = [-3, 2, -2]
    first, second = ([[1], [1], [-1]], [0, -3, 6]), ([zigzag, zigzag, [3, -2, 2]], [12.5, 13.5, -14.5])
    wide = {"low": -50, "high": 50}
    assert count_regions(network(*first, [zigzag], [0]), **wide) == most_regions(depth=1, width=3) == 4
    assert count_regions(network(*first, *second, [[1, 2, 4]], [0]), **wide) == most_regions(depth=2, width=3) == 16


@pytest.mark.parametrize("number", [network, lambda *parameters: rational(network(*parameters))])
def test_a_kink_that_does_not_reach_the_output_divides_nothing(number):
    units = ([[1], [-1], [1], [1]], [-0.5, 0.5, -0.25, 0.5])  # kinks at 1/2 twice and 1/4; the last is always active
    assert count_regions(number(*units, [[1, 1, 0, 1]], [0])) == 2
    assert count_regions(number(*units, [[1, -1, 0, 1]], [0])) == 1  # relu(z) - relu(-z) = z
    assert count_regions(number(*units, [[1, 1, 1e-3, 1]], [0])) == 3
    assert len(kinks(number(*units, [[1, -1, 0, 1]], [0]))) == 4


def test_float64_takes_kinks_that_rounding_has_parted_as_one():
    """Fifty units of the second layer bend at 0.7 but for 1e-14, which is what w (x + 100) - 100.7 w loses."""
    w = np.random.default_rng(0).uniform(1, 2, 50)
    units = network(w[:, None], 100 * w, np.eye(50), -100.7 * w, np.ones((1, 50)), [0])
    assert count_regions(units) == 2
    assert count_regions(rational(units)) > 10


def test_float64_takes_slopes_that_rounding_has_parted_as_one():
    """The sum of a (relu(z) - relu(-z)) over twenty z is affine, but rounded differently between kinks."""
    generator = np.random.default_rng(0)
    w, a = generator.uniform(1, 2, (20, 1)), generator.uniform(1, 2, (1, 20))
    b = -w[:, 0] * generator.uniform(0, 1, 20)
    units = network(np.concatenate([w, -w]), np.concatenate([b, -b]), np.concatenate([a, -a], axis=1), [0])
    assert len(kinks(units)) == 22
    assert count_regions(units) == count_regions(rational(units)) == 1


def seen(weights, spacing):
    """Return the kinks of f that second differences show, in numbers that float64 represents exactly."""
    x = torch.arange(0, 1 + spacing, spacing, dtype=torch.float64)[:, None]
    f = mlp.apply(weights, x)[0, :, 0].numpy()
    bent = np.flatnonzero(np.diff(f, 2))
    return int((np.diff(bent, prepend=-9) > 1).sum())


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_counts_are_those_of_a_dense_grid(depth):
    """Weights are quarters and the grid dyadic. Where two kinks are closer than the grid can tell, it cannot judge."""
    generator, judged, spacing = np.random.default_rng(depth), 0, 2.0**-15
    sizes = [1, *[4] * depth, 1]
    for _ in range(40):
        shapes = [shape for i, o in itertools.pairwise(sizes) for shape in ((1, o, i), (1, 1, o))]
        stack = [torch.from_numpy(generator.integers(-8, 9, shape) / 4) for shape in shapes]
        one = [parameter[0].numpy() for parameter in stack]
        count = count_regions(rational(one))
        assert count == count_regions(one) <= most_regions(depth=depth, width=4)
        if np.diff(kinks(one)).min() > 3 * spacing:
            judged += 1
            assert count == 1 + seen(stack, spacing)
    assert judged >= 20


def test_the_bound_of_theorem_2_is_met_at_the_least_width():
    for depth, levels, maps, n_inputs in [(1, 5, 4, 2), (3, 8, 2, 1), (5, 6, 5, 2)]:
        width = least_width(depth=depth, levels=levels, maps=maps, n_inputs=n_inputs)
        assert region_bound(depth=depth, width=width, n_inputs=n_inputs) == pytest.approx(maps**levels)
    assert least_width(depth=1, levels=4, maps=4, n_inputs=2) == pytest.approx(2 / np.e * 4)


def test_the_bound_of_theorem_2_is_above_the_most_regions():
    for depth in range(1, 6):
        for width in (1, 2, 10, 100):
            assert most_regions(depth=depth, width=width) <= region_bound(depth=depth, width=width, n_inputs=1)


@pytest.mark.parametrize(("shape", "dtype"), [((3, 1), np.float32), ((3, 2), np.float64)])
def test_other_networks_are_refused(shape, dtype):
    other = [np.ones(shape, dtype), np.ones(3, dtype), np.ones((1, 3), dtype), np.ones(1, dtype)]
    with pytest.raises(ValueError, match=rf"{shape[1]} inputs in {np.dtype(dtype)}"):
        kinks(other)


def test_slopes_and_kinks_that_differ_by_more_than_rounding_are_told_apart():
    assert count_regions(network([[1], [1]], [0, -0.5], [[1, 1e-8]], [0])) == 2
    near = network([[1], [1]], [-0.5, -0.5 - 1e-10], [[1, 1]], [0])
    assert (len(kinks(near)), count_regions(near)) == (4, 3)
