"""A linear regression on correlated inputs, as badly conditioned as one wishes; a stand-in for the Ethanol data.

x = Q diag(j^(-decay / 2)) z over its standard deviations, z normal, Q a random rotation; y = w . x, where w is normal
in the eigenbasis of the covariance of x, scaled to variance one, plus noise.

correlated: {kind: correlated, dimension: 128, decay: 1, noise: 0.1}

- ``decay``: exponent by which the variances of the principal components fall
"""

from collections.abc import Mapping

import numpy as np

from isobath.data.columns import Pair
from isobath.randomness import orthonormal
from isobath.settings import Count, NonNegative
from isobath.tasks import Ends


def split(
    n_train: int,
    n_test: int,
    *,
    generator: np.random.Generator,
    files: Mapping[str, bytes],
    dimension: Count,
    decay: NonNegative = 1.0,
    noise: NonNegative = 0.1,
) -> tuple[Pair, Pair]:
    """Return training and test part: inputs float64 (n, d), targets (n, 1), both of variance one in the population.

    Rotation and w are drawn anew for each data set, and are the same in both parts. ``files`` is not looked at. Raises
    ValueError for no samples, and for more than 100,000.
    """
    n = n_train + n_test
    if not 1 <= n_train <= n <= 10**5:
        raise ValueError(f"n_train is {n_train} and n_test is {n_test}; together they may be 1 to 100000")
    of_problem, of_samples, of_noise = generator.spawn(3)
    mixing, w = problem(dimension, decay, generator=of_problem)
    x = of_samples.standard_normal((n, dimension)) @ mixing.T
    y = (x @ w + noise * of_noise.standard_normal(n)) / np.sqrt(1 + noise**2)
    return (x[:n_train], y[:n_train, None]), (x[n_train:], y[n_train:, None])


def problem(dimension: int, decay: float, *, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the map (d, d) of normal z to x, whose components have variance one, and w (d,), with w . x of one."""
    mixing = orthonormal(generator, dimension, dimension) * np.arange(1, dimension + 1) ** (-decay / 2)
    mixing /= np.linalg.norm(mixing, axis=1)[:, None]
    # Without a decay all directions are alike, and rounding would choose a basis.
    basis = np.linalg.eigh(mixing @ mixing.T)[1] if decay else np.eye(dimension)
    largest = np.abs(basis).argmax(axis=0)
    basis *= np.sign(basis[largest, range(dimension)])  # or each LAPACK would choose signs, and other data, of its own
    w = basis @ generator.standard_normal(dimension)
    return mixing, w / np.linalg.norm(w @ mixing)


def ends(*, dimension: int, **_: object) -> Ends:
    """Return the components of an input and a real target."""
    return Ends(dimension, 1, real=True)
