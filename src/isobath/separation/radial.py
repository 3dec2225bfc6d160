"""The radial density of Eldan & Shamir, points that are drawn from it, and the shells of a label of the radius.

phi^2 is the squared Fourier transform of the indicator of a ball in R^d. With volume one it is a density: its ball has
the radius R_d = Gamma(d/2 + 1)^(1/d) / sqrt(pi), and the radius of a point the density p(r) = d J_{d/2}(2 pi R_d r)^2 /
r. The source says unit ball, of radius one: its mass is then the volume of that ball.
"""

import math

import numpy as np
from scipy.special import betainc, jv

WIDEST = 2.0  # the radius of the ball in which profiles are learned and approximated


def ball_radius(dimension: int) -> float:
    """Return R_d, the radius of the ball of volume one."""
    return math.exp(math.lgamma(dimension / 2 + 1) / dimension) / math.sqrt(math.pi)


def ball_volume(dimension: int) -> float:
    """Return the volume of the ball of radius one; 0 from some thousand dimensions on, where it is less than 1e-308."""
    return math.exp(dimension / 2 * math.log(math.pi) - math.lgamma(dimension / 2 + 1))


def density(r: np.ndarray, dimension: int, *, radius: float) -> np.ndarray:
    """Return the density at radii r > 0 that a ball of some ``radius`` gives.

    |FT|^2 = (radius / |x|)^d J_{d/2}(2 pi radius |x|)^2, times the area d V_d r^(d - 1) of the sphere.
    """
    j = jv(dimension / 2, 2 * math.pi * radius * r)
    volume = (radius / ball_radius(dimension)) ** dimension
    return np.asarray(dimension * volume * j**2 / r)


def mass_beyond(r: np.ndarray, dimension: int) -> np.ndarray:
    """Return P(radius > r) of the density of R_d for even d, exactly.

    J_0^2 + 2 sum_{k = 1}^{d/2 - 1} J_k^2 + J_{d/2}^2 at 2 pi R_d r. Raises ValueError for an odd ``dimension``.
    """
    if dimension % 2:
        raise ValueError(f"the dimension is {dimension}; the closed form is known for even ones")
    x, half = 2 * math.pi * ball_radius(dimension) * np.asarray(r, dtype=float), dimension // 2
    weights = [1.0, *[2.0] * (half - 1), 1.0]
    return np.asarray(sum(weight * jv(k, x) ** 2 for k, weight in enumerate(weights)))


def mass_within(r: float, dimension: int, *, radius: float, panels: int = 400) -> float:
    """Return P(radius <= r) by Gauss-Legendre quadrature on ``panels`` equal panels."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    edges = np.linspace(0, r, panels + 1)
    half = np.diff(edges)[:, None] / 2
    points = edges[:-1, None] + half * (1 + nodes)
    return float((density(points, dimension, radius=radius) * half * weights).sum())


def tail(r: float, dimension: int) -> float:
    """Return the mass of the density of R_d beyond r, d / (2 pi^2 R_d r) to first order: the radius has no mean."""
    return dimension / (2 * math.pi**2 * ball_radius(dimension) * r)


def tube_share(dimension: int, *, distance: float) -> float:
    """Return the share of the sphere of radius ``distance`` within R_d of a line through 0.

    For a direction at the angle a to the line, sin(a)^2 is Beta((d - 1) / 2, 1/2), and sin(a) <= R_d / distance.
    """
    ratio = min(1.0, (ball_radius(dimension) / distance) ** 2)
    return float(betainc((dimension - 1) / 2, 0.5, ratio))


def points(n: int, dimension: int, *, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return points (n, d) whose directions are uniform and whose radii (n,), given too, are uniform in [0, 2]."""
    x = generator.standard_normal((n, dimension))
    radius = WIDEST * generator.uniform(size=n)
    return x * (radius / np.linalg.norm(x, axis=1))[:, None], radius


def shell(radius: np.ndarray, shells: int) -> np.ndarray:
    """Return floor(radius shells / 2) mod 2, int64: the label of a radius among ``shells`` shells of [0, 2]."""
    return np.minimum(np.floor(radius * shells / WIDEST), shells - 1).astype(np.int64) % 2
