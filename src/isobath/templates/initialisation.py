"""Weights of the Laplace distribution with the variance 2 / fan_in of He et al."""

import numpy as np

from isobath.settings import NonNegative


def draw(
    generator: np.random.Generator,
    shape: tuple[int, ...],
    *,
    fan_in: int,
    fan_out: int,
    units: int,
    bias: NonNegative = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return weights of ``shape`` and biases (units,)."""
    return generator.laplace(scale=fan_in**-0.5, size=shape), np.full(units, float(bias))
