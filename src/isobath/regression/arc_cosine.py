"""The recursion of the ReLU kernels: covariance and derivative of every depth in one pass.

Mori & Ueda, eqs. 12 to 16, in the variables of Cho & Saul. A layer has the variances q = Sigma(x, x),
p = Sigma(y, y) and the cosine u = Sigma(x, y) / sqrt(q p) of its inputs, at the angle theta:

    Sigma^(0) = c x.y / d + beta^2                                  (12)
    Sigma^(l) = sqrt(q p) kappa_1(u) + beta^2                       (15)
    dSigma^(l) = kappa_0(u) = 1 - theta / pi                        (16)
    kappa_1(u) = (sin theta + (pi - theta) u) / pi

c is 1 as eq. 12 is printed. The initialisation stated in section 2.4 has variance 2/d in the first layer as
well, hence c = 2 and Sigma^(l)(x, x) = 2|x|^2/d + (l+1) beta^2.

What is carried from layer to layer is z = (N - Sigma) / 2 with N = sqrt(q p), since the cosine or the determinant
q p - Sigma^2 would lose half of the digits near u = 1, where the kernels have a kink. With y = (N + Sigma) / 2

    t = tan(theta / 2) = sqrt(z / y),   N sin theta = 2 t y,   z of N kappa_1 = z - (t y - Sigma theta / 2) / pi.

Adding b = beta^2 to q, p and Sigma turns the standard deviations r = sqrt q and s = sqrt p into r' and s', and with
R = r + r', S = s + s'

    z' = z + b (R - S)^2 / (4 R S),   y' = y + b (R + S)^2 / (4 R S).

Inputs have any angle. After the first layer theta is at most pi / 2, and y = N - z has all digits. A layer of pairs in
the memory of a CPU is one loop of compiled code (``regression.compiled``), the same formulas on all other arrays.
"""

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

from isobath.regression.functions import Array, Functions
from isobath.regression.pairs import Pairs


def check(*, beta: float, first_bias: bool, **_: Any) -> None:
    """Refuse a bias of the first layer beside the bias of all layers (ValueError)."""
    if first_bias and beta > 0:
        raise ValueError(f"first_bias is true and beta is {beta}; first_bias needs beta: 0")


def layers(pairs: Pairs, *, beta: float, input_variance: int) -> Iterator[tuple[Array, Array]]:
    """Yield Sigma and theta / 2, (n, m) each, of depth 0, 1, 2, ...; the next depth overwrites both.

    theta is the angle between the inputs of the layer, of the depth before: dSigma is 1 - theta / pi. It means nothing
    at depth 0. The caller must not write into the arrays.
    """
    ops, b, scale = pairs.ops, beta**2, input_variance / pairs.dimension
    q, p = scale * pairs.x**2, scale * pairs.y**2
    z, y, sigma, half_angle, work = ops.workspace(pairs.e, 5)
    layer = ops.relu_layer or partial(_layer, ops=ops, work=work)
    ops.multiply(ops.sqrt(q) / 2, ops.sqrt(p), out=work)
    ops.multiply(work, pairs.e, out=z)
    ops.multiply(work, pairs.f, out=y)
    for depth in itertools.count():
        if depth > 0:
            layer(z, y, sigma, half_angle, q, p, beta)
        else:
            _add_bias(z, q, p, beta, ops, work=work)
            _add_bias(y, q, p, beta, ops, work=work, sign=-1)
            ops.subtract(y, z, out=sigma)
        q, p = q + b, p + b
        yield sigma, half_angle


def _layer(
    z: Array, y: Array, sigma: Array, half_angle: Array, q: Array, p: Array, beta: float, *, ops: Functions, work: Array
) -> None:
    """Write z, y and Sigma of the next layer in the place of those of the last one, and theta / 2 of the last one.

    q (n, 1) and p (1, m) are the variances of the last layer; ``work`` is overwritten.
    """
    tangent = ops.root_of_ratio(z, y, out=work)
    ops.arctan(tangent, out=half_angle)
    ops.add_product(z, half_angle, sigma, scale=1 / ops.pi, out=z)
    ops.add_product(z, tangent, y, scale=-1 / ops.pi, out=z)
    _add_bias(z, q, p, beta, ops, work=work)
    ops.multiply(ops.sqrt(q + beta**2), ops.sqrt(p + beta**2), out=y)
    ops.add_product(y, z, 1, scale=-2, out=sigma)
    ops.subtract(y, z, out=y)


def _add_bias(
    z: Array, q: Array, p: Array, beta: float, ops: Functions, *, work: Array, sign: Literal[1, -1] = 1
) -> None:
    """Write (N - sign Sigma) / 2 after beta^2 is added to the covariances in its place; ``work`` is overwritten.

    What is added is a square whose factors are (n, 1) or (1, m).
    """
    if beta == 0:
        return
    sum_r, sum_s = (ops.sqrt(variance) + ops.sqrt(variance + beta**2) for variance in (q, p))
    gap = ops.subtract(sum_r, sign * sum_s, out=work)
    gap *= beta / ops.sqrt(4 * sum_r)
    gap *= 1 / ops.sqrt(sum_s)
    ops.add_product(z, gap, gap, out=z)
