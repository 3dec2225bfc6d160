"""Weights and biases N(0, 1): the start of the NTK parametrisation, which scales them when they are applied."""

import numpy as np


def draw(
    generator: np.random.Generator, shape: tuple[int, ...], *, fan_in: int, fan_out: int, units: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return weights of ``shape`` and biases (units,)."""
    return generator.standard_normal(shape), generator.standard_normal(units)
