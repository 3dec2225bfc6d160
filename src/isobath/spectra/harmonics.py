"""Spherical harmonics of the sphere S^(d-1) in R^d under the uniform probability measure: how many, and their powers.

A zonal function kappa(u) of the cosine is sum_k mu_k N(d, k) P_k(u), with the Legendre polynomials P_k of dimension d,
P_k(1) = 1. mu_k is the eigenvalue of the kernel kappa on each of the N(d, k) harmonics of degree k.
"""

import math
from collections.abc import Iterator

import numpy as np


def multiplicities(dimension: int, degrees: int) -> np.ndarray:
    """Return N(d, k), the number of harmonics of degree k = 0 .. ``degrees``, as floats.

    N(d, k) = (2 k + d - 2) / k binom(k + d - 3, k - 1). Raises ValueError for d below 3, and for numbers beyond 1e308.
    """
    check_dimension(dimension)
    d = dimension
    counts = [(2 * k + d - 2) * math.comb(k + d - 3, k - 1) // k for k in range(1, degrees + 1)]
    try:
        return np.array([1.0, *map(float, counts)])
    except OverflowError:
        words = f"dimension is {d} and degrees is {degrees}, with more than 1e308 harmonics of a degree"
        raise ValueError(f"{words}; fewer dimensions or degrees are allowed") from None


def legendre(u: np.ndarray, dimension: int, degrees: int) -> Iterator[np.ndarray]:
    """Yield P_k(u), of the shape of u, for k = 0 .. ``degrees``: (k + d - 2) P_(k+1) = (2 k + d - 2) u P_k - k P_(k-1).

    A yielded array must not be written into.
    """
    previous, current = np.zeros_like(u), np.ones_like(u)
    for k in range(degrees + 1):
        yield current
        step = (2 * k + dimension - 2) * u * current - k * previous
        previous, current = current, step / (k + dimension - 2)


def zonal(coefficients: np.ndarray, u: np.ndarray, dimension: int) -> np.ndarray:
    """Return sum_k a_k N(d, k) P_k(u), of the shape of u, for coefficients a (degrees + 1,)."""
    degrees = len(coefficients) - 1
    weights = coefficients * multiplicities(dimension, degrees)
    total = np.zeros_like(u)
    for weight, p in zip(weights, legendre(u, dimension, degrees), strict=True):
        total += weight * p
    return total


def cap(edge: float, degrees: int, dimension: int) -> np.ndarray:
    """Return the coefficients m_k, (degrees + 1,), of the indicator of the cap u >= ``edge``; m_0 is its share.

    The primitive of the weighted P_k is a P_(k-1) of dimension d + 2:
    m_k = w (1 - edge^2)^((d - 1) / 2) P_(k-1)^(d+2)(edge) / (d - 1), with the density w (1 - u^2)^((d - 3) / 2) of u.
    """
    check_dimension(dimension)
    d = dimension
    w = math.exp(math.lgamma(d / 2) - math.lgamma((d - 1) / 2)) / math.sqrt(math.pi)
    higher = [p.item() for p in legendre(np.array([edge]), d + 2, degrees - 1)]
    coefficients = w * (1 - edge**2) ** ((d - 1) / 2) / (d - 1) * np.array(higher)
    return np.array([_share_of_cap(edge, d), *coefficients])


def _share_of_cap(edge: float, dimension: int) -> float:
    from scipy.special import betainc  # noqa: PLC0415 (half a second, which the check of a study does without)

    half = 0.5 * float(betainc((dimension - 1) / 2, 0.5, 1 - edge**2))
    return half if edge >= 0 else 1 - half


def check_dimension(dimension: int) -> None:
    """Raise ValueError for a dimension below 3, where the weight of the angle is no positive power of its sine."""
    if dimension < 3:
        raise ValueError(f"dimension is {dimension}; spectra on the sphere need 3 or more")
