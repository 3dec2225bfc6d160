"""The Fourier transform of a function times phi in the plane: where it lies (Eldan & Shamir, for d = 2).

The transform of phi is the indicator of the ball of volume one. That of f(v.x) lies on the line of v, and so that of
their product in the tube of radius R_d about it; a network of one hidden layer of k units has k tubes.
"""

import math

import numpy as np
from scipy.special import j1

from isobath.separation.radial import ball_radius

SIDE, SIZE = 1024, 64.0  # points along a side of the plane, and its length
TAPER = 0.1  # of the Gaussian exp(-pi TAPER^2 |x|^2), without which the integral does not converge
MARGIN = 3 * TAPER  # by which the taper widens the ball of radius R_d: 7.5 of its standard deviations


def plane() -> tuple[np.ndarray, np.ndarray]:
    """Return the coordinates (side, side) of the plane, off 0."""
    x = (np.arange(SIDE) - SIDE / 2 + 0.5) * SIZE / SIDE
    return tuple(np.meshgrid(x, x, indexing="ij"))  # type: ignore[return-value]


def energies(values: np.ndarray, directions: np.ndarray) -> tuple[float, float]:
    """Return the shares of the energy of f phi outside of the ball, and outside of all tubes, for f (side, side).

    ``directions`` (k, 2) are the unit vectors of the lines.
    """
    x, y = plane()
    r, radius = np.hypot(x, y), ball_radius(2)
    phi = radius * j1(2 * math.pi * radius * r) / r * np.exp(-math.pi * (TAPER * r) ** 2)
    energy = np.abs(np.fft.fft2(values * phi)) ** 2
    k = np.fft.fftfreq(SIDE, SIZE / SIDE)
    a, b = np.meshgrid(k, k, indexing="ij")
    outside = np.hypot(a, b) > radius + MARGIN
    off_lines = [np.abs(a * v[1] - b * v[0]) > radius + MARGIN for v in directions]
    off = outside & np.all(off_lines, axis=0)
    return float(energy[outside].sum() / energy.sum()), float(energy[off].sum() / energy.sum())
