"""Weights uniform within 1 / (2 in), the start that Malach & Shalev-Shwartz print (Theorem 5)."""

import numpy as np

from isobath.settings import NonNegative


def draw(
    generator: np.random.Generator,
    shape: tuple[int, ...],
    *,
    fan_in: int,
    fan_out: int,
    units: int,
    bias: NonNegative = 0.5,
) -> tuple[np.ndarray, np.ndarray]:
    """Return weights of ``shape`` and biases (units,) that are all ``bias``; the theorem has 1/2."""
    return generator.uniform(-1, 1, shape) / (2 * fan_in), np.full(units, bias)
