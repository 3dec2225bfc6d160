"""A logarithm with a constant: y = a + b ln x."""

import numpy as np

from isobath.forms import Bounds


def basis(x: np.ndarray, theta: np.ndarray, *, free: bool) -> np.ndarray:
    """Return the columns 1 and ln x, (..., n, 2), for x (..., n)."""
    return np.stack([np.ones_like(x), np.log(x)], -1)


def parameters(x: np.ndarray, *, free: bool) -> dict[str, Bounds]:
    """Return no nonlinear parameters: there is no exponent to be fitted."""
    return {}


def coefficients() -> list[str]:
    """Return the names of a and b."""
    return ["constant", "slope"]


def check() -> None:
    """Refuse nothing: there are no settings."""
