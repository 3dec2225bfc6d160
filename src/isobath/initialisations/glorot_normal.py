"""Glorot (Xavier) normal weights, of variance 2 / (in + out)."""

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
    return generator.standard_normal(shape) * math.sqrt(2 / (fan_in + fan_out)), np.full(units, bias)
