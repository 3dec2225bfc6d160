"""LeCun's normal weights cut at two standard deviations, the start of Malach & Shalev-Shwartz's code.

The variance is 1 / in before the cut, which leaves 0.77 of it.
"""

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
    return truncated_normal(generator, shape) / math.sqrt(fan_in), np.full(units, bias)


def truncated_normal(generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Return standard normal numbers that are drawn again until they lie within two standard deviations."""
    draws = generator.standard_normal(shape)
    while (far := np.abs(draws) > 2).any():
        draws[far] = generator.standard_normal(far.sum())
    return draws
