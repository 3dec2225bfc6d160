"""Sawtooth labels on the line: is a wave of triangles, composed k times, at least 1/2 (Telgarsky)?

sawtooth-4: {kind: sawtooth, folds: 4}

- ``folds``: times k that the wave is composed
- ``triangles``: triangles t of the wave
"""

import numpy as np

from isobath.separation.sawtooth import BITS, MOST_PIECES, labels, pieces
from isobath.settings import Count
from isobath.tasks import Ends

TITLE = "{folds:g} folds"


def sample(
    n: int, *, generator: np.random.Generator, folds: Count, triangles: Count = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``n`` points z of [-1, 1], (n, 1), float32, and labels (n,), 1 where the wave is at least 1/2.

    z = 2 x - 1, where x is an odd multiple of 2^-24, uniform. Labels have no rounding: see separation/sawtooth.py.
    Iterating the tent map in float64 would lose a bit of x in each step.
    """
    m = 2 * generator.integers(0, 2 ** (BITS - 1), n) + 1
    z = (m - 2 ** (BITS - 1)) / 2 ** (BITS - 1)
    return z.astype(np.float32)[:, None], labels(m, pieces(folds=folds, triangles=triangles))


def ends(**_: object) -> Ends:
    """Return the one coordinate of a point, and two classes."""
    return Ends(1, 2)


def check(*, folds: int, triangles: int) -> None:
    """Refuse more pieces than a sample could tell apart (ValueError)."""
    if pieces(folds=folds, triangles=triangles) > MOST_PIECES:
        allowed = f"(2 triangles)^folds may be at most {MOST_PIECES}"
        raise ValueError(f"folds is {folds} and triangles is {triangles}; {allowed}")
