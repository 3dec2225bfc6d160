"""Semi-orthogonal weights of gain 1, uniformly distributed (Saxe et al., 2014)."""

import math

import numpy as np

from isobath.randomness import orthonormal
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
    """Return weights of ``shape`` and biases (units,) that are all ``bias``.

    As a matrix of ``shape[0]`` rows they have orthonormal columns or rows, whichever are fewer, drawn from the Haar
    measure.
    """
    rows, columns = shape[0], math.prod(shape[1:])
    tall = orthonormal(generator, max(rows, columns), min(rows, columns))
    return (tall if rows >= columns else tall.T).reshape(shape), np.full(units, bias)
