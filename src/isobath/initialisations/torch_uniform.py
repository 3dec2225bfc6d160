"""Weights and biases uniform within 1 / sqrt(in): the default of torch.nn.Linear and torch.nn.Conv2d."""

import math

import numpy as np


def draw(
    generator: np.random.Generator, shape: tuple[int, ...], *, fan_in: int, fan_out: int, units: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return weights of ``shape`` and biases (units,)."""
    limit = 1 / math.sqrt(fan_in)
    return generator.uniform(-limit, limit, shape), generator.uniform(-limit, limit, units)
