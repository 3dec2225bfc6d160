"""The layer of ReLU kernels in compiled code: equal to the layer on arrays, and its arctangent to that of mpmath."""

from dataclasses import replace

import mpmath
import numba
import numpy as np
import pytest
import torch

from isobath.kernels import nngp, ntk
from isobath.regression import compiled
from isobath.regression.gram import all_pairs


@numba.njit
def arctangents(t):
    return np.array([compiled._arctan(v) for v in t])


def test_the_arctangent_is_that_of_many_digits_to_two_units_in_the_last_place():
    t = np.concatenate([np.linspace(0, 1, 3001), np.geomspace(1e-300, 1, 1000)])
    exact = np.array([float(mpmath.atan(mpmath.mpf(v))) for v in t])
    assert (abs(arctangents(t) - exact) <= 2 * np.spacing(exact)).all()


def inputs(n, *, seed=0):
    """Draw Gaussian inputs, with a zero vector, two equal ones, two opposite ones and one that is nearly another."""
    x = torch.from_numpy(np.random.default_rng(seed).standard_normal((n, 5)))
    x[0], x[2], x[3], x[4] = 0, x[1], -x[1], x[1] * (1 + 1e-9)
    return x


def on_arrays(kernel, x, y, **settings):
    """Return the kernels of depth 0 to 5 by operations on whole arrays."""
    pairs = all_pairs(x, y)
    pairs = replace(pairs, ops=replace(pairs.ops, relu_layer=None))
    return [matrix.clone() for matrix in kernel.profile(pairs, depth=range(6), **settings)]


def in_one_loop(kernel, x, y, **settings):
    """Return the same kernels by compiled code."""
    return [matrix.clone() for matrix in kernel.profile(all_pairs(x, y), depth=range(6), **settings)]


@pytest.mark.parametrize("settings", [{"beta": 0.0}, {"beta": 0.1}, {"beta": 3.0, "input_variance": 2}])
@pytest.mark.parametrize("kernel", [ntk, nngp])
def test_compiled_layers_are_those_on_arrays(kernel, settings):
    x, y = inputs(40), torch.cat([inputs(40)[:7], inputs(30, seed=1)])
    made = [torch.stack(by(kernel, x, y, **settings)) for by in (in_one_loop, on_arrays)]
    torch.testing.assert_close(*made, rtol=1e-14, atol=1e-15)


def test_a_pair_has_the_same_value_wherever_in_a_block_it_lies():
    z, y = torch.rand(2, 1, 41, dtype=torch.float64, generator=torch.Generator().manual_seed(0))

    def layer(columns):
        parts = [part[:, columns].contiguous() for part in (z, y, y - z, y)]
        compiled.relu_layer(*parts, torch.ones(1, 1).double(), torch.ones(1, len(columns)).double(), 0.1)
        return torch.stack(parts)

    everywhere = layer(list(range(41)))
    for alone in range(41):
        assert torch.equal(layer([alone])[..., 0], everywhere[..., alone])


def test_a_number_that_is_not_finite_spreads():
    x = inputs(6)
    x[5, 0] = torch.nan
    for matrix in in_one_loop(ntk, x, inputs(6)):
        assert matrix[5].isnan().all()
        assert matrix[:5].isfinite().all()


def test_rows_are_shared_among_threads_without_a_difference():
    x, before = inputs(40), torch.get_num_threads()
    try:
        found = []
        for threads in (1, 3, 64):  # more threads than rows as well
            torch.set_num_threads(threads)
            found.append(torch.stack(in_one_loop(ntk, x, x)))
    finally:
        torch.set_num_threads(before)
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])
