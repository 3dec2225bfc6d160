"""The digits that kernels keep near coincident and opposite points, against textbook forms in many digits."""

import itertools

import mpmath
import pytest
import torch
from kernel_matrices import DEPTHS, matrices

from isobath.contracts.kernel_profiles import inputs
from isobath.kernels import arc_cosine_step, gamma_exponential, nngp, ntk


def exact(vector):
    return [mpmath.mpf(float(v)) for v in vector]


def textbook(x, y, *, beta, input_variance, first_bias=False):
    """Return (Sigma, Theta) of depth 0 to 10 of two points, with arccosine and determinant, in the digits of mpmath."""
    x, y, b, c = exact(x), exact(y), mpmath.mpf(beta**2), mpmath.mpf(input_variance) / len(x)
    q, p, sigma = (c * mpmath.fdot(u, v) + b for u, v in ((x, x), (y, y), (x, y)))
    theta = sigma + first_bias * mpmath.sqrt(q * p)
    found = [(sigma, theta)]
    for _ in DEPTHS[1:]:
        norm = mpmath.sqrt(q * p)
        u = max(min(sigma / norm, mpmath.mpf(1)), mpmath.mpf(-1)) if norm else mpmath.mpf(0)
        angle = mpmath.acos(u)
        sigma = norm * (mpmath.sin(angle) + (mpmath.pi - angle) * u) / mpmath.pi + b
        theta = theta * (1 - angle / mpmath.pi) + sigma
        q, p = q + b, p + b
        found.append((sigma, theta))
    return found


def near_and_opposite(d):
    """Return pairs of points at relative separations of 1e-16 to 1e-1, their opposites, multiples, zero, and others."""
    x, direction = inputs(1, d, "point")[0], inputs(1, d, "direction")[0]
    direction *= x.norm() / direction.norm()
    near = [x + 10.0**-k * direction for k in range(1, 17)]
    others = [x, -x, 3 * x, -0.7 * x, 0 * x, *inputs(4, d, "others"), 1e-3 * direction]
    y = torch.stack([*near, *(-v for v in near), *others])
    return torch.stack([x, 50 * x]), y, len(near)


def errors(found, expected, diagonals, near):
    """Return the largest error over sqrt(K(x, x) K(y, y)), and the largest over K where points nearly coincide."""
    scale = [[mpmath.sqrt(q * p) or mpmath.mpf(1) for p in diagonals[1]] for q in diagonals[0]]
    pairs = list(itertools.product(range(len(scale)), range(len(scale[0]))))
    gaps = {(i, j): abs(mpmath.mpf(found[i, j].item()) - expected[i][j]) for i, j in pairs}
    whole = max(gaps[i, j] / scale[i][j] for i, j in pairs)
    return float(max(whole, *(gaps[i, j] / abs(expected[i][j]) for i, j in pairs if j < near)))


@pytest.mark.parametrize("d", [1, 2, 3, 20, 500])
@pytest.mark.parametrize("input_variance", [1, 2])
@pytest.mark.parametrize("beta", [0.0, 0.1, 1.0])
def test_the_relu_kernels_keep_fourteen_digits(d, input_variance, beta):
    x, y, near = near_and_opposite(d)
    settings = {"beta": beta, "input_variance": input_variance}
    with mpmath.workdps(90):
        expected = [[textbook(a, b, **settings) for b in y] for a in x]
        own = [[textbook(v, v, **settings) for v in points] for points in (x, y)]
        for which, kernel in enumerate((nngp, ntk)):
            for depth, found in zip(DEPTHS, matrices(kernel, x, y, DEPTHS, **settings), strict=True):
                values = [[pair[depth][which] for pair in row] for row in expected]
                diagonals = [[point[depth][which] for point in points] for points in own]
                assert errors(found, values, diagonals, near) <= 1e-14


@pytest.mark.parametrize("d", [1, 2, 3, 20, 500])
def test_the_kernels_with_a_first_bias_keep_fourteen_digits(d):
    x, y, near = near_and_opposite(d)
    settings = {"beta": 0.0, "input_variance": 2}
    with mpmath.workdps(90):
        expected = [[textbook(a, b, **settings, first_bias=True) for b in y] for a in x]
        own = [[textbook(v, v, **settings, first_bias=True) for v in points] for points in (x, y)]
        for depth, found in zip(DEPTHS, matrices(ntk, x, y, DEPTHS, **settings, first_bias=True), strict=True):
            values = [[pair[depth][1] for pair in row] for row in expected]
            diagonals = [[point[depth][1] for point in points] for points in own]
            assert errors(found, values, diagonals, near) <= 1e-14
        (found,) = matrices(nngp, x, y, [1], **settings, first_bias=True)
        values = [[(p[0][1] / (p[0][1] - p[0][0]) * p[1][0] if p[0][1] != p[0][0] else 0) for p in r] for r in expected]
        diagonals = [[2 * point[0][0] for point in points] for points in own]
        assert errors(found, values, diagonals, near) <= 1e-14


def gamma_exponential_textbook(a, b, c, gamma):
    a, b = exact(a), exact(b)
    norm = mpmath.sqrt(mpmath.fdot(a, a) * mpmath.fdot(b, b))
    u = max(min(mpmath.fdot(a, b) / norm, mpmath.mpf(1)), mpmath.mpf(-1)) if norm else mpmath.mpf(0)
    return norm * mpmath.exp(-mpmath.mpf(c) * (1 - u) ** mpmath.mpf(gamma))


@pytest.mark.parametrize("d", [1, 2, 3, 20, 500])
@pytest.mark.parametrize(("c", "gamma"), [(1.0, 0.5), (0.1, 0.5), (1.0, 0.75)])
def test_the_gamma_exponential_kernel_keeps_fourteen_digits(d, c, gamma):
    x, y, near = near_and_opposite(d)
    with mpmath.workdps(90):
        (found,) = matrices(gamma_exponential, x, y, None, c=c, gamma=gamma)
        values = [[gamma_exponential_textbook(a, b, c, gamma) for b in y] for a in x]
        diagonals = [[gamma_exponential_textbook(v, v, c, gamma) for v in points] for points in (x, y)]
        assert errors(found, values, diagonals, near) <= 1e-14


def step_textbook(a, b, depth):
    a, b = exact(a), exact(b)
    norm = mpmath.sqrt(mpmath.fdot(a, a) * mpmath.fdot(b, b))
    u = max(min(mpmath.fdot(a, b) / norm, mpmath.mpf(1)), mpmath.mpf(-1)) if norm else mpmath.mpf(0)
    for _ in range(depth):
        u = 1 - mpmath.acos(u) / mpmath.pi
    return norm * u


@pytest.mark.parametrize("d", [2, 3, 20, 500])
def test_the_step_kernel_keeps_fourteen_digits_at_points_nearby(d):
    """Depth L makes (1 - u)^(1 / 2^L) of 1 - u, which distant points in one direction do not have."""
    x, y, near = near_and_opposite(d)
    y = y[:near]
    with mpmath.workdps(90):
        for depth, found in enumerate(matrices(arc_cosine_step, x[:1], y, DEPTHS)):
            for j in range(near):
                expected = step_textbook(x[0], y[j], depth)
                assert abs(found[0, j].item() - expected) <= 1e-14 * expected


@pytest.mark.parametrize("d", [2, 3, 20, 500])
@pytest.mark.parametrize("gamma", [0.01, 0.1, 0.25])
def test_small_exponents_need_the_relative_accuracy_of_the_deficit(d, gamma):
    """Points nearby keep the digits of (1 - u)^gamma with 1 - u of 1e-32, distant points in one direction do not."""
    x, y, near = near_and_opposite(d)
    y = y[:near]
    with mpmath.workdps(90):
        (found,) = matrices(gamma_exponential, x[:1], y, None, c=1.0, gamma=gamma)
        for j in range(near):
            expected = gamma_exponential_textbook(x[0], y[j], 1.0, gamma)
            assert abs(found[0, j].item() - expected) <= 1e-14 * expected
