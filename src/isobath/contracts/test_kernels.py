"""The contract of kernels, over every kind: shapes, arithmetic in three libraries, positive definite matrices."""

import inspect
import math

import mpmath
import numpy as np
import pytest
import torch

from isobath import binding
from isobath.contracts.common import check_documented, kinds
from isobath.contracts.kernel_profiles import inputs, on_sphere, profile_of
from isobath.regression.functions import NUMPY, multiprecision
from isobath.regression.gram import TORCH, all_pairs, gram

KINDS = {
    "ntk": [{}, {"beta": 0.0, "input_variance": 2}, {"beta": 0.0, "first_bias": True}],
    "nngp": [{}, {"beta": 0.0, "input_variance": 2}, {"beta": 0.0, "first_bias": True}],
    "gamma_exponential": [{}, {"gamma": 0.25}, {"c": 0.1, "gamma": 0.9}],
}
CASES = [(kind, s) for kind in kinds("kernel") for s in KINDS.get(kind, [{}])]


@pytest.mark.parametrize(("kind", "settings"), CASES)
def test_every_profile_serves_torch_numpy_and_mpmath_on_the_sphere(kind, settings):
    angles = np.concatenate([10.0 ** -np.arange(1, 17), np.linspace(0, 3.14, 20)])
    by_numpy = on_sphere(kind, settings, angles, NUMPY)
    by_torch = on_sphere(kind, settings, torch.from_numpy(angles), TORCH)
    with mpmath.workdps(60):
        ops = multiprecision(mpmath.mp)
        angle = np.array([mpmath.mpf(a) for a in angles], dtype=object)
        by_mpmath = on_sphere(kind, settings, angle, ops, supplement=ops.pi - angle)
        for a, b, c in zip(by_numpy, by_torch, by_mpmath, strict=True):
            assert isinstance(c[0], mpmath.mpf)
            np.testing.assert_allclose(a, c.astype(float), rtol=3e-15, atol=3e-15)
            np.testing.assert_allclose(b.numpy(), c.astype(float), rtol=3e-15, atol=3e-15)


@pytest.mark.parametrize(("kind", "settings"), CASES)
def test_a_matrix_of_unit_vectors_has_the_values_of_the_profile(kind, settings):
    angles = torch.linspace(0, math.pi, 9, dtype=torch.float64)
    circle = torch.stack([angles.cos(), angles.sin()], 1)
    profile, depth = profile_of(kind, settings, [0, 3])
    matrices = gram(profile, circle[:1], circle, depth=depth)
    expected = on_sphere(kind, settings, angles.numpy(), NUMPY, depth or [], dimension=2)
    for k, values in zip(matrices, expected, strict=True):
        np.testing.assert_allclose(k[0].numpy(), values, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize(("kind", "settings"), CASES)
def test_every_kernel_is_positive_definite(kind, settings):
    """It is tested on random inputs, on tight clusters, and in finite differences: sum_ij a_i a_j K(x_i, x_j) >= 0."""
    profile, depth = profile_of(kind, settings, [1, 3])
    x = inputs(12, 4)
    stencil = torch.tensor([[1.0], [-2.0], [1.0]], dtype=torch.float64)
    for points in (x, torch.cat([x[:3] + 1e-6 * s * x[3] for s in (-1, 0, 1)])):
        for k in gram(profile, points, points, depth=depth):
            symmetric = (k + k.T) / 2
            assert torch.linalg.eigvalsh(symmetric).min() > -1e-14 * len(points) * k.diagonal().mean()
    for step in (1e-1, 1e-3, 1e-5):
        line = torch.stack([x[0] + i * step * x[1] for i in (-1, 0, 1)])
        for k in gram(profile, line, line, depth=depth):
            assert (stencil.T @ k @ stencil).item() > -1e-14 * k.diagonal().mean()


@pytest.mark.parametrize("kind", kinds("kernel"))
def test_every_kernel_keeps_the_contract(kind):
    check_documented("kernel", kind)
    profile, depth = profile_of(kind, {}, [1, 3])
    x, y = inputs(9, 4), inputs(5, 4, "y")
    matrices = [k.clone() for k in gram(profile, x, y, depth=depth)]
    assert [k.shape for k in matrices] == [(9, 5)] * (1 if depth is None else 2)
    assert all(k.dtype == torch.float64 and torch.isfinite(k).all() for k in matrices)
    pairs = all_pairs(x, y)
    before = [a.clone() for a in (pairs.x, pairs.y, pairs.e, pairs.f)]
    list(gram(profile, x, y, depth=depth) if depth is None else profile(pairs, depth=depth))
    assert all(torch.equal(a, b) for a, b in zip(before, (pairs.x, pairs.y, pairs.e, pairs.f), strict=True))
    square = [k.clone() for k in gram(profile, x.float(), x.float(), depth=depth and [1])]
    assert square[0].dtype == torch.float64
    assert torch.linalg.eigvalsh(square[0]).min() > 0
    zero = torch.cat([0 * x[:1], x[:1]])
    assert all(torch.isfinite(k).all() for k in gram(profile, zero, zero, depth=depth))
    assert ("depth" in inspect.signature(binding.load("kernel", kind).profile).parameters) == (depth is not None)
