"""Kernel ridge regression of a zonal target on the sphere, whose error over the whole sphere has a closed form.

For a target f* = sum_k N m_k P_k(w.x) and f = sum_i a_i kappa(x_i . x) on the unit sphere

    |f - f*|^2 = a' M a - 2 a' c + |f*|^2,   M_ij = sum_k mu_k^2 N P_k(x_i.x_j),   c_i = sum_k mu_k m_k N P_k(w.x_i).

So the error is free of that of a test sample. Both sums are functions of an angle, which are tabulated once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from isobath.spectra.harmonics import cap, zonal

if TYPE_CHECKING:
    from torch import Tensor

KNOTS = 6000  # of the tables


@dataclass(frozen=True)
class Cap:
    """The indicator of a cap, 1[w.x >= edge], and its coefficients m_k, (degrees + 1,)."""

    edge: float
    dimension: int
    coefficients: np.ndarray

    @classmethod
    def of(cls, edge: float, dimension: int, degrees: int) -> "Cap":
        """Return a cap with its coefficients up to a degree."""
        return cls(edge, dimension, cap(edge, degrees, dimension))

    @property
    def power(self) -> float:
        """Return |f*|^2, which is the share of the cap."""
        return float(self.coefficients[0])


class Samples(NamedTuple):
    """Inputs (n, d) with |x|^2 = d, their angles (n,) to the axis w of the target, and the target (n,)."""

    x: "Tensor"
    angle: np.ndarray
    y: np.ndarray

    def first(self, n: int) -> "Samples":
        """Return the first n samples."""
        return Samples(self.x[:n], self.angle[:n], self.y[:n])


class Regression(NamedTuple):
    """Mean squared errors for each ridge, (ridges,): over the sphere, and on samples for validation and for testing."""

    error: np.ndarray
    validation_error: np.ndarray
    test_error: np.ndarray


def draw(n: int, axis: np.ndarray, target: Cap, generator: np.random.Generator) -> Samples:
    """Draw n uniform points, and their labels by the cap around ``axis`` (d,), a unit vector."""
    import torch  # noqa: PLC0415 (the check of a study does without torch)

    z = generator.standard_normal((n, target.dimension))
    unit = z / np.linalg.norm(z, axis=1, keepdims=True)
    cosine = np.clip(unit @ axis, -1, 1)
    x = torch.from_numpy(unit * np.sqrt(target.dimension))
    return Samples(x, np.arccos(cosine), (cosine >= target.edge).astype(float))


def angles(x: "Tensor") -> np.ndarray:
    """Return the angles between inputs (n, d), (n, n)."""
    from isobath.regression.gram import all_pairs  # noqa: PLC0415 (the check of a study does without torch)

    pairs = all_pairs(x, x)
    return np.asarray(2 * np.arctan2(np.sqrt(pairs.e.numpy()), np.sqrt(pairs.f.numpy())))


def table(coefficients: np.ndarray, dimension: int) -> CubicSpline:
    """Return sum_k a_k N P_k(cos theta) as a function of theta, from a table."""
    theta = np.linspace(0, np.pi, KNOTS)
    return CubicSpline(theta, zonal(coefficients, np.cos(theta), dimension))


@dataclass(frozen=True)
class Population:
    """The error over the sphere of functions of a kernel with eigenvalues mu (k,): the tables of M and of c."""

    target: Cap
    product: CubicSpline
    overlap: CubicSpline

    @classmethod
    def of(cls, eigenvalues: np.ndarray, target: Cap) -> "Population":
        """Tabulate the sums of a kernel and a target."""
        m, d = target.coefficients, target.dimension
        return cls(target, table(eigenvalues**2, d), table(eigenvalues * m, d))

    def error(self, coefficients: np.ndarray, samples: Samples, pair_angles: np.ndarray) -> np.ndarray:
        """Return the mean squared errors (r,) of coefficients a (n, r), for the ``angles`` (n, n) between samples."""
        squares = (coefficients * (self.product(pair_angles) @ coefficients)).sum(0)
        return np.asarray(squares - 2 * self.overlap(samples.angle) @ coefficients + self.target.power)


def solve(gram: np.ndarray, y: np.ndarray, ridges: Sequence[float]) -> np.ndarray:
    """Return (K + n lambda)^-1 y, (n, ridges), by one eigendecomposition of K (n, n); negative eigenvalues are 0."""
    values, vectors = np.linalg.eigh(gram)
    shifted = np.maximum(values, 0)[:, None] + len(y) * np.array(ridges)
    return np.asarray(vectors @ ((vectors.T @ y)[:, None] / shifted))


def regress(
    gram: np.ndarray,
    train: Samples,
    pair_angles: np.ndarray,
    population: Population,
    held_out: Sequence[tuple[np.ndarray, np.ndarray]],
    ridges: Sequence[float],
) -> Regression:
    """Regress samples with a kernel matrix (n, n) for each ridge.

    ``held_out`` are the kernel (m, n) and the target (m,) of the samples for validation and of those for testing.
    """
    a = solve(gram, train.y, ridges)
    sampled = [np.square(across @ a - y[:, None]).mean(0) for across, y in held_out]
    return Regression(population.error(a, train, pair_angles), *sampled)
