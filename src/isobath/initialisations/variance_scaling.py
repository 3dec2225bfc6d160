"""Uniform weights of the variance scale / fan, with the number of inputs or the mean of inputs and outputs as fan.

The average fan is Glorot's start but for the rounding of the last bit, inputs and a scale of 2 He's.

- ``fan``: inputs, or the mean of inputs and outputs, as fan
- ``scale``: variance times fan
"""

import math
from typing import Literal

import numpy as np

from isobath.settings import NonNegative, Positive


def draw(
    generator: np.random.Generator,
    shape: tuple[int, ...],
    *,
    fan_in: int,
    fan_out: int,
    units: int,
    fan: Literal["in", "average"] = "average",
    scale: Positive = 1.0,
    bias: NonNegative = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return weights of ``shape`` within sqrt(3 scale / fan) and biases (units,) that are all ``bias``."""
    inputs = fan_in if fan == "in" else (fan_in + fan_out) / 2
    return generator.uniform(-1, 1, shape) * math.sqrt(3 * scale / inputs), np.full(units, bias)
