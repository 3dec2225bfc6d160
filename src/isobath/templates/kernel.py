"""Polynomial kernels: ((|x| |y| + x.y) / d)^p, and so ((1 + u) |x| |y| / d)^p of the cosine u.

- ``power``: power p
"""

from isobath.regression.functions import Array
from isobath.regression.pairs import Pairs
from isobath.settings import Count


def profile(pairs: Pairs, *, power: Count = 2) -> Array:
    """Return the kernel of all pairs, (n, m)."""
    return (pairs.f * pairs.x * pairs.y / pairs.dimension) ** power
