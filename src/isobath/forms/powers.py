"""Sums of powers, y = sum_k c_k x^p_k: N^-1/4, C0 + C1 N^-1/4, B0 N^-1/2 + B1 N^-3/4 (Jacot, Geiger et al., eq. 8-13).

The exponent 0 is a constant. A free fit finds the first exponent that is not 0, and keeps the others.

- ``exponents``: exponents p_k of the theory, the leading one first
"""

import itertools
from fractions import Fraction

import numpy as np

from isobath.forms import Bounds

REACH = 4.0  # largest distance of a free exponent from its predicted value
LARGEST = 20  # denominator of an exponent that a legend writes as a fraction
GAP = 1e-2  # its least distance from another exponent: nearer, the two columns are one


def basis(x: np.ndarray, theta: np.ndarray, *, free: bool, exponents: tuple[float, ...]) -> np.ndarray:
    """Return x^p_k, (..., n, k), for x (..., n); theta (..., 1) replaces the leading exponent if ``free``."""
    lead = _leading(exponents)
    columns = [x ** (theta[..., :1] if free and i == lead else float(p)) for i, p in enumerate(exponents)]
    return np.stack(columns, -1)


def parameters(x: np.ndarray, *, free: bool, exponents: tuple[float, ...]) -> dict[str, Bounds]:
    """Bound the leading exponent, if ``free``, by its neighbours among the others; at most REACH away."""
    if not free:
        return {}
    lead = _leading(exponents)
    p, neighbours = exponents[lead], [q for i, q in enumerate(exponents) if i != lead]
    low = max([p - REACH, *(q + GAP for q in neighbours if q < p)])
    high = min([p + REACH, *(q - GAP for q in neighbours if q > p)])
    return {"exponent": Bounds(low, high)}


def coefficients(*, exponents: tuple[float, ...]) -> list[str]:
    """Name the coefficients c0, c1, ... in the order of ``exponents``; that of the exponent 0 is the constant."""
    powers = [i for i, p in enumerate(exponents) if p != 0]
    return ["constant" if p == 0 else f"c{powers.index(i)}" for i, p in enumerate(exponents)]


def formula(x: str, *, exponents: tuple[float, ...]) -> str:
    """Return c0 x^p0 + c1 x^p1, with exponents as fractions where they are some."""
    names = ["c" if name == "constant" else f"c_{name[1:]}" for name in coefficients(exponents=exponents)]
    return " + ".join(f"{name} {_power(x, p)}".strip() for name, p in zip(names, exponents, strict=True))


def check(*, exponents: tuple[float, ...]) -> None:
    """Refuse exponents that make no law (ValueError)."""
    distinct = sorted(exponents)
    if not any(distinct) or not all(np.isfinite(distinct)):
        raise ValueError(f"exponents is {list(exponents)}; one at least must be other than 0, and all finite")
    if any(b - a <= 2 * GAP for a, b in itertools.pairwise(distinct)):
        raise ValueError(f"exponents is {list(exponents)}; they must be more than {2 * GAP:g} apart")


def _power(x: str, p: float) -> str:
    """Return x^p as TeX, nothing for p = 0."""
    fraction = Fraction(p).limit_denominator(LARGEST)
    exponent = str(fraction) if abs(fraction - p) < 1e-9 else f"{p:g}"
    return "" if p == 0 else x if p == 1 else f"{x}^{{{exponent}}}"


def _leading(exponents: tuple[float, ...]) -> int:
    """Find the place of the first exponent that is not 0."""
    return next(i for i, p in enumerate(exponents) if p != 0)
