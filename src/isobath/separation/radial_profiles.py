"""Functions g of the radius on [0, 2], and pieces of q = r^2 that approximate them (Eldan & Shamir).

A second layer that is given q makes any piecewise function of it: with ReLUs an affine interpolant, with steps a
piecewise constant one. The places of its units are the squares of equal steps of the radius, so that a g of Lipschitz
constant L is met everywhere: g(sqrt(q)) itself need not be Lipschitz in q, at 0.
"""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from isobath.separation.radial import WIDEST

Activation = Literal["relu", "step"]
BETWEEN = 20  # points of each piece at which its error is measured


class Profile(NamedTuple):
    """A function g of radii (n,), its Lipschitz constant L on [0, 2], and its formula."""

    values: Callable[[np.ndarray], np.ndarray]
    lipschitz: float
    formula: str


class Pieces(NamedTuple):
    """A piecewise function of q: the places (n,) of its units, increasing.

    ReLUs: values (n,) there, affine between and constant beyond. Steps: values (n + 1,) before, between and after.
    """

    at: np.ndarray
    values: np.ndarray


PROFILES: dict[str, Profile] = {
    "cosine": Profile(lambda r: np.cos(2 * math.pi * r), 2 * math.pi, "cos(2πr)"),
    "gaussian": Profile(lambda r: np.exp(-(r**2)), math.sqrt(2 / math.e), "exp(-r²)"),
    "triangle_wave": Profile(lambda r: 1 - 4 * np.abs(r - np.round(r)), 4.0, "triangle wave"),
}


def pieces(profile: Profile, units: int, activation: Activation) -> Pieces:
    """Return the pieces of g(sqrt(q)) that ``units`` units make."""
    if activation == "relu":
        radii = np.linspace(0, WIDEST, units)
        return Pieces(radii**2, profile.values(radii))
    edges = np.linspace(0, WIDEST, units + 2)
    return Pieces(edges[1:-1] ** 2, profile.values((edges[1:] + edges[:-1]) / 2))


def evaluated(curve: Pieces, q: np.ndarray, activation: Activation) -> np.ndarray:
    """Return the values of pieces at ``q``, of any shape."""
    if activation == "relu":
        return np.asarray(np.interp(q, *curve))
    return curve.values[np.searchsorted(curve.at, q, side="right")]


def deviation(profile: Profile, units: int, activation: Activation) -> float:
    """Return the largest |pieces(r^2) - g(r)| of radii in [0, 2], 20 for each unit."""
    r = np.linspace(0, WIDEST, BETWEEN * (units + 1) + 1)
    approximation = pieces(profile, units, activation)
    return float(np.abs(evaluated(approximation, r**2, activation) - profile.values(r)).max())


def sure_units(profile: Profile, error: float, activation: Activation) -> int:
    """Return units that are enough for ``error`` at every radius.

    An affine piece lies between the values at its ends, off by at most L 2 / (units - 1); a constant one has that of
    its middle, off by at most L / (units + 1).
    """
    if activation == "relu":
        return 1 + math.ceil(profile.lipschitz * WIDEST / error)
    return max(1, math.ceil(profile.lipschitz * WIDEST / (2 * error)) - 1)
