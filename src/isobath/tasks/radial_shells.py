"""Shells around 0: the label of a point depends on its radius alone (in the spirit of Eldan & Shamir).

ball: {kind: radial_shells, dimension: 10, shells: 2}

- ``shells``: number of shells
"""

import numpy as np

from isobath.separation.radial import points, shell
from isobath.settings import Count
from isobath.tasks import Ends

TITLE = "{shells:g} shells"


def sample(n: int, *, generator: np.random.Generator, dimension: Count, shells: Count) -> tuple[np.ndarray, np.ndarray]:
    """Return ``n`` points (n, d), float32, and labels (n,), floor(radius shells / 2) mod 2.

    Directions are uniform, and so are radii in [0, 2], so that every shell holds as many points in any dimension. With
    two shells label 0 is the ball of radius one. An even number is balanced; an odd one has one shell more of label 0.
    """
    x, radius = points(n, dimension, generator=generator)
    return x.astype(np.float32), shell(radius, shells)


def ends(*, dimension: int, **_: object) -> Ends:
    """Return the coordinates of a point and two classes."""
    return Ends(dimension, 2)


def check(*, shells: int, **_: object) -> None:
    """Refuse a single shell, of one class (ValueError)."""
    if shells < 2:
        raise ValueError(f"shells is {shells}; there must be 2 or more")
