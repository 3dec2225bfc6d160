"""Glorot (Xavier) uniform weights: uniform within the root of 6 / (in + out), of variance 2 / (in + out)."""

import math

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
    """Return weights of ``shape`` and biases (units,) that are all ``bias``."""
    limit = math.sqrt(6 / (fan_in + fan_out))
    return generator.uniform(-limit, limit, shape), np.full(units, bias)
