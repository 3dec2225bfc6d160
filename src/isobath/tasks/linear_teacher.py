"""A linear teacher with noise: real targets y = v . x + noise, with a unit vector v.

teacher: {kind: linear_teacher, dimension: 20, noise: 0.1}
"""

import numpy as np

from isobath.randomness import stream
from isobath.settings import Count, NonNegative
from isobath.tasks import Ends


def sample(
    n: int, *, generator: np.random.Generator, dimension: Count, noise: NonNegative = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``n`` standard normal inputs (n, d), float32, and targets (n, 1), float64, of variance 1 + noise^2.

    The teacher v is a function of the dimension alone: training and test samples share it.
    """
    v = stream(0, "linear_teacher", dimension).standard_normal(dimension)
    x = generator.standard_normal((n, dimension), dtype=np.float32)
    signal = x @ (v / np.linalg.norm(v))
    return x, (signal + noise * generator.standard_normal(n))[:, None]


def ends(*, dimension: int, **_: object) -> Ends:
    """Return the components of an input and a single real target."""
    return Ends(dimension, 1, real=True)
