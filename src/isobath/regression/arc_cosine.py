"""The recursion of the ReLU kernels: covariance and derivative of every depth in one pass.

Mori & Ueda, eqs. 12 to 16, in the variables of Cho & Saul. A layer has the variances q = Sigma(x, x),
p = Sigma(y, y) and the cosine u = Sigma(x, y) / sqrt(q p) of its inputs, at the angle theta:

    Sigma^(0) = c x.y / d + beta^2                                  (12)
    Sigma^(l) = sqrt(q p) kappa_1(u) + beta^2                       (15)
    dSigma^(l) = kappa_0(u) = 1 - theta / pi                        (16)
    kappa_1(u) = (sin theta + (pi - theta) u) / pi

c is 1 as eq. 12 is printed. The initialisation stated in section 2.4 has variance 2/d in the first layer as
well, hence c = 2 and Sigma^(l)(x, x) = 2|x|^2/d + (l+1) beta^2.

What is carried from layer to layer is the deficit e = 1 - u, since u or the determinant q p (1 - u^2) would lose
half of the digits near u = 1, where the kernels have a kink:

    1 - kappa_1 = e - (sin theta - theta u) / pi,   sin theta = sqrt(e f),   f = 1 + u.

Adding b = beta^2 to q, p and Sigma turns the standard deviations r = sqrt q and s = sqrt p into r' and s', and with
R = r + r', S = s + s'

    e' = (r s e + b (R - S)^2 / (2 R S)) / (r' s'),   f' = (r s f + b (R + S)^2 / (2 R S)) / (r' s').
"""

import itertools
from collections.abc import Iterator
from typing import Any, Literal

from isobath.regression.functions import Array, Functions
from isobath.regression.pairs import Pairs


def check(*, beta: float, first_bias: bool, **_: Any) -> None:
    """Refuse a bias of the first layer beside the bias of all layers (ValueError)."""
    if first_bias and beta > 0:
        raise ValueError(f"first_bias is true and beta is {beta}; first_bias needs beta: 0")


def layers(pairs: Pairs, *, beta: float, input_variance: int) -> Iterator[tuple[Array, Array, Array]]:
    """Yield (sqrt(q p), u, dSigma), (n, m) each, of depth 0, 1, 2, ...; Sigma is the product of the first two.

    dSigma belongs to the step from the depth before and means nothing at depth 0. The arrays are overwritten by
    the next depth; the caller may overwrite the first.
    """
    ops, b, scale = pairs.ops, beta**2, input_variance / pairs.dimension
    q, p = scale * pairs.x**2, scale * pairs.y**2
    r, s = ops.sqrt(q), ops.sqrt(p)
    e, f, u, derivative, norms = ops.workspace(pairs.e, 5)
    e[...], f[...] = pairs.e, pairs.f
    for depth in itertools.count():
        if depth > 0:
            _rectify(e, u, ops.root(f), derivative, ops)
        if b > 0:
            q, p = q + b, p + b
            before, (r, s) = (r, s), (ops.sqrt(q), ops.sqrt(p))
            _add_bias(e, before, (r, s), beta, ops, work=norms)
            if depth == 0:
                _add_bias(f, before, (r, s), beta, ops, work=norms, sign=-1)
        ops.affine(1, -1, e, out=u)
        # After the first layer u is not negative, and 1 + u needs no care.
        f = ops.multiply(e, f, out=f) if depth == 0 else ops.add_product(e, e, u, out=f)  # is now sin^2 theta
        yield ops.multiply(r, s, out=norms), u, derivative


def _rectify(e: Array, u: Array, sine: Array, derivative: Array, ops: Functions) -> None:
    """Write 1 - kappa_1(u) in the place of e = 1 - u, and kappa_0(u) into ``derivative``."""
    theta = ops.atan2(sine, u, out=derivative)
    ops.add_product(e, theta, u, scale=1 / ops.pi, out=e)
    ops.add_product(e, sine, 1, scale=-1 / ops.pi, out=e)
    ops.affine(1, -1 / ops.pi, theta, out=derivative)


def _add_bias(
    deficit: Array,
    before: tuple[Array, Array],
    after: tuple[Array, Array],
    beta: float,
    ops: Functions,
    *,
    work: Array,
    sign: Literal[1, -1] = 1,
) -> None:
    """Write 1 - sign u after beta^2 is added to the covariances in its place; ``work`` (n, m) is overwritten.

    The second term is a square whose factors are (n, 1) or (1, m). The standard deviations are (r, s) before it
    and after it.
    """
    (r, s), (r_after, s_after) = before, after
    sum_r, sum_s = r + r_after, s + s_after
    deficit *= r / r_after
    deficit *= s / s_after
    gap = ops.subtract(sum_r, sign * sum_s, out=work)
    gap *= beta / ops.sqrt(2 * r_after * sum_r)
    gap *= 1 / ops.sqrt(s_after * sum_s)
    ops.add_product(deficit, gap, gap, out=deficit)
