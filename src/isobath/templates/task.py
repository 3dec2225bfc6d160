"""Majority labels: the sign of most components."""

import numpy as np

from isobath.settings import Count
from isobath.tasks import Ends


def sample(n: int, *, generator: np.random.Generator, dimension: Count) -> tuple[np.ndarray, np.ndarray]:
    """Sample ``n`` standard normal inputs (n, d), float32, and labels (n,), 0 if most components are positive."""
    x = generator.standard_normal((n, dimension), dtype=np.float32)
    return x, (np.sign(x).sum(axis=1) < 0).astype(np.int64)


def ends(*, dimension: int) -> Ends:
    """Return the components of an input and two classes."""
    return Ends(dimension, 2)
