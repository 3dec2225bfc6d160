"""Eigenvalues of zonal kernels to any degree, by tanh-sinh quadrature in the angle with many digits.

    mu_k = w int_0^pi kappa(cos theta) P_k(cos theta) sin^(d-2) theta d theta
    w = Gamma(d/2) / (sqrt pi Gamma((d-1)/2))

Gauss rules in u fail at high degrees, since kappa has singularities at both ends, which determine these mu_k. In the
angle the ReLU kernels are analytic up to the ends, the others have powers of theta there, and theta = pi a with
a = 1 / (1 + exp(-pi sinh t)) sends both ends to infinity, where the trapezoidal rule in t converges exponentially. The
kernel gets theta and pi - theta, so neither end loses digits. Its values have many digits (mpmath); the sums over
nodes, which take most of the time, are in integers of a fixed point. Degrees of one parity need half of the angles.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import mpmath
import numpy as np

from isobath.regression.functions import multiprecision
from isobath.regression.pairs import Pairs
from isobath.spectra.harmonics import check_dimension

GUARD_BITS = 54  # of the integers, beyond the digits
LOG2_10 = math.log2(10)


@dataclass(frozen=True)
class Rule:
    """Nodes of angles theta up to pi / 2, whose mirror images are nodes as well.

    theta, pi - theta, and weights with the Jacobian, (n,) each, of mpmath numbers; ``bits`` are the binary digits after
    the point of the integers.
    """

    theta: np.ndarray
    supplement: np.ndarray
    weight: np.ndarray
    bits: int

    def integers(self, values: np.ndarray) -> np.ndarray:
        """Return values as integers of the fixed point."""
        return np.asarray(np.frompyfunc(lambda x: int(mpmath.ldexp(x, self.bits)), 1, 1)(values))

    def pairs(self) -> Pairs:
        """Return unit vectors at all nodes and then at their mirror images, (2 n,)."""
        theta, supplement = np.r_[self.theta, self.supplement], np.r_[self.supplement, self.theta]
        return Pairs.on_sphere(theta, ops=multiprecision(mpmath.mp), supplement=supplement)


def rule(degrees: int, dimension: int, digits: int, *, finer: float = 1.0) -> Rule:
    """Return the rule for degrees up to K and dimensions up to d: the integrand has the factor sin^(d - 2) theta.

    The step is h = 2 pi / (2.5 (K + d) + 400) over ``finer``: 2 / K is too coarse, and nothing in the result shows it.
    Call it with mpmath at ``digits`` decimal digits.
    """
    h = 2 * mpmath.pi / (2.5 * (degrees + dimension) + 400) / finer
    end = math.asinh((digits / 2 + 5) * math.log(10) / math.pi)  # where a^2 vanishes, the factor of d = 3
    t = [(j + mpmath.mpf(0.5)) * h for j in range(math.ceil(end / float(h)))]
    growth = [mpmath.exp(mpmath.pi * mpmath.sinh(x)) for x in t]
    a = np.array([1 / (1 + g) for g in growth], dtype=object)
    weight = np.array([mpmath.pi**2 * mpmath.cosh(x) * h for x in t], dtype=object) * a * (1 - a)
    return Rule(mpmath.pi * a, mpmath.pi * (1 - a), weight, GUARD_BITS + int(digits * LOG2_10))


def folded(rule: Rule, values: np.ndarray) -> np.ndarray:
    """Return sums and differences of kernels (kernel, 2 n) at nodes and mirror images, (2, kernel, n) integers."""
    direct, mirrored = np.split(values, 2, axis=1)
    return np.stack([rule.integers(direct + mirrored), rule.integers(direct - mirrored)])


def eigenvalues(rule: Rule, parts: np.ndarray, dimension: int, degrees: Sequence[int]) -> np.ndarray:
    """Return mu_k of kernels, (kernel, degree) mpmath numbers, for increasing degrees k and ``folded`` parts.

    Raises ValueError for a dimension below 3.
    """
    check_dimension(dimension)
    d, bits = dimension, rule.bits
    u = rule.integers(np.frompyfunc(mpmath.cos, 1, 1)(rule.theta))
    sine = np.frompyfunc(mpmath.sin, 1, 1)(rule.theta)
    w = mpmath.gamma(mpmath.mpf(d) / 2) / (mpmath.sqrt(mpmath.pi) * mpmath.gamma(mpmath.mpf(d - 1) / 2))
    weighted = (parts * rule.integers(w * rule.weight * sine ** (d - 2))) >> bits
    previous, current = 0 * u, 0 * u + (1 << bits)
    rows, requested = [], set(degrees)
    for k in range(max(degrees) + 1):
        if k in requested:
            rows.append([mpmath.ldexp(int(total), -2 * bits) for total in weighted[k % 2] @ current])
        previous, current = current, (((2 * k + d - 2) * u * current >> bits) - k * previous) // (k + d - 2)
    return np.array(rows, dtype=object).T
