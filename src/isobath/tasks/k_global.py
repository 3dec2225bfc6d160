"""k-global labels (Mori & Ueda, eqs. 2 and 3): the sign of a cyclic sum of products."""

import numpy as np

from isobath.settings import Count
from isobath.tasks import k_local

TITLE = "{k:g}-global label"
ROWS = 4096  # samples at a time, whose terms take six times the memory of these inputs


def sample(
    n: int, *, generator: np.random.Generator, k: Count, dimension: Count, offsets: tuple[Count, ...] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``n`` standard normal inputs (n, d), float32, and labels (n,): 0 for the paper's class 1, 1 for its 2.

        M = sum_{j=1..d} x^(j+i1) ... x^(j+ik)  with  x^(d+i) = x^(i),   y = 1 if M >= 0 else 2

    Only differences of ``offsets`` matter; the paper does not give them, and the default is
    1..k. For k = 2 a difference of d / 2 counts each pair twice.
    """
    x = generator.standard_normal((n, dimension), dtype=np.float32)
    return x, (feature(x, offsets or tuple(range(1, k + 1))) < 0).astype(np.int64)


def feature(x: np.ndarray, offsets: tuple[int, ...], terms: int | None = None) -> np.ndarray:
    """Return M of eq. 2 in float64, shape (n,): the sum of all d terms, or of the first ``terms``."""
    blocks = (x[first : first + ROWS] for first in range(0, len(x), ROWS))
    return np.concatenate([products(rows, offsets)[:, :terms].sum(axis=1) for rows in blocks])


def products(x: np.ndarray, offsets: tuple[int, ...]) -> np.ndarray:
    """Return the d terms of M in float64, (n, d), by one cyclic shift of x (n, d) per offset."""
    product = np.ones(x.shape)
    for i in offsets:
        product *= np.roll(x, -i, axis=1)
    return product


check = k_local.check
ends = k_local.ends
