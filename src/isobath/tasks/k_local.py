"""k-local labels (Mori & Ueda, eq. 1): the sign of the product of k components."""

import itertools

import numpy as np

from isobath.settings import Count
from isobath.tasks import Ends

TITLE = "{k:g}-local label"


def sample(
    n: int, *, generator: np.random.Generator, k: Count, dimension: Count, offsets: tuple[Count, ...] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``n`` standard normal inputs (n, d), float32, and labels (n,): 0 for the paper's class 1, 1 for its 2.

        y = 1 if x^(i1) ... x^(ik) >= 0 else 2

    ``offsets`` are i1 < ... < ik, counted from 1; by the symmetry of the inputs the choice
    does not matter, and the default is 1..k.
    """
    x = generator.standard_normal((n, dimension), dtype=np.float32)
    components = [i - 1 for i in offsets or range(1, k + 1)]
    relevant = np.prod(x[:, components], axis=1, dtype=np.float64)
    return x, (relevant < 0).astype(np.int64)


def ends(*, dimension: int, **_: object) -> Ends:
    """Return the components of an input and two classes."""
    return Ends(dimension, 2)


def check(*, k: int, dimension: int, offsets: tuple[int, ...] | None = None) -> None:
    """Refuse settings that contradict each other."""
    if k > dimension:
        raise ValueError(f"k is {k}, and must not exceed dimension, which is {dimension}")
    if offsets is None:
        return
    if len(offsets) != k or any(i >= j for i, j in itertools.pairwise(offsets)):
        raise ValueError(f"offsets is {list(offsets)}, and must be k = {k} increasing integers")
    if offsets[-1] > dimension:
        raise ValueError(f"offsets is {list(offsets)}, and must not exceed dimension, which is {dimension}")
