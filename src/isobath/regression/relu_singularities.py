"""Singularities of the ReLU kernels on the sphere |x|^2 = d, where they are functions of the cosine u alone.

With c the ``input_variance``, b = beta^2 and the variances q_l = c + (l + 1) b, layer l has the cosine v_l with
1 - v_l = (c / q_l) (1 - u) + ..., and the functions of Cho & Saul have at 1 - s and at -1 + s

    kappa_1 = 1 - s + 2 sqrt(2) / (3 pi) s^(3/2),   2 sqrt(2) / (3 pi) s^(3/2)
    kappa_0 = 1 - sqrt(2 s) / pi,   sqrt(2 s) / pi.
"""

import math
from itertools import pairwise

ROOT = math.sqrt(2) / math.pi  # of kappa_0
CUBE = 2 * math.sqrt(2) / (3 * math.pi)  # of kappa_1


def of_covariance(depth: int, *, beta: float, input_variance: int) -> tuple[float, float]:
    """Return the coefficients of (1 - u)^(3/2) and (1 + u)^(3/2) of Sigma^(depth), for a depth of 1 or more."""
    c = input_variance
    variances = [c + (level + 1) * beta**2 for level in range(depth)]
    at_one = CUBE * sum(q * (c / q) ** 1.5 for q in variances)
    return at_one, 0.0 if beta else CUBE * c * _passed_on(depth)


def of_tangent(depth: int, *, beta: float, input_variance: int, first_bias: bool) -> tuple[float, float]:
    """Return the coefficients of (1 - u)^(1/2) and (1 + u)^(1/2) of Theta^(depth), for a depth of 1 or more."""
    c, b = input_variance, beta**2
    values = [(n + first_bias) * c + b * n * (n + 1) / 2 for n in range(1, depth + 1)]  # of Theta at u = 1
    variances = [c + n * b for n in range(1, depth + 1)]
    at_one = -ROOT * sum(theta * math.sqrt(c / q) for theta, q in zip(values, variances, strict=True))
    return at_one, 0.0 if beta or first_bias else -ROOT * c * _passed_on(depth)


def _passed_on(depth: int) -> float:
    """Return the product of kappa_0 over the layers after the first at u = -1, without biases."""
    cosines = [0.0]
    for _ in range(depth - 1):
        cosines.append(_kappa_1(cosines[-1]))
    return math.prod(1 - math.acos(v) / math.pi for v, _ in pairwise(cosines))


def _kappa_1(u: float) -> float:
    return (math.sqrt(1 - u * u) + u * (math.pi - math.acos(u))) / math.pi
