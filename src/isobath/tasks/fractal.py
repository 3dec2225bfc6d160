"""Fractal distributions (Malach & Shalev-Shwartz): is a point in the n-th level K_n of a fractal?

    cantor-1: {kind: fractal, system: cantor, levels: 5, curve: 1}
    cross: {kind: fractal, system: given, ratio: 3, offsets: [[0, 0], [-2, 0], [2, 0], [0, -2], [0, 2]], levels: 4}

are two such tasks in a study: a fractal of the source, and one of your own.

- ``levels``: number n of levels
- ``system``: iterated functions, by name
- ``curve``: approximation curve, from coarse, 1, to fine, 6
- ``margin``: distance that positive samples keep from the sides of their cell
- ``ratio``: factor by which the maps of a given system shrink
- ``offsets``: centres of the maps of a given system
- ``level_weights``: weights of the levels of a given curve
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from isobath.fractals import approximation_curves
from isobath.fractals.iterated_functions import check_levels, random_cells, random_points
from isobath.fractals.sets import fractal
from isobath.settings import Count, NonNegative
from isobath.tasks import Ends


def sample(
    n: int,
    *,
    generator: np.random.Generator,
    levels: Count,
    system: Literal["cantor", "sierpinsky", "vicsek", "pentaflake", "cantor_1d", "given"] = "cantor",
    curve: Literal[1, 2, 3, 4, 5, 6, "given"] = 1,
    margin: NonNegative = 0.0,
    ratio: Count | None = None,
    offsets: tuple[tuple[int, ...], ...] | None = None,
    level_weights: tuple[NonNegative, ...] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``n`` points (n, d), float32, and their labels (n,), int64: 1 in K_n, 0 outside, with equal probability.

    - A negative of level j is uniform in the part of a random cell of level j - 1 that its images leave (of the
      2D Cantor set: in the central third), a positive in a random cell of level n.
    - A sample is a negative of level j with probability P(j) - P(j - 1), as ``curve`` says: six from coarse (1) to
      fine (6), or ``given`` by ``level_weights`` v_1 .. v_n: P(j) = 3/2 - 2^(-(v_1 + .. + v_j) / (v_1 + .. + v_n)).
    - Positives keep ``margin`` from the sides of their cell (Assumption 3), so that classes are as far apart. The
      authors' experiments have none.
    - The system ``given`` has the maps (x + c) / ratio of [-1, 1]^d, with c in ``offsets``: whole numbers from
      1 - ratio to ratio - 1. Their images may touch, not overlap.

    The digits of a point are drawn before the point, so that its label is known; points lie on a grid on which
    membership has no rounding (iterated_functions.py).
    """
    maps, negatives = fractal(system, ratio, offsets)
    weights = approximation_curves.level_weights(curve, levels, level_weights)
    level = approximation_curves.random_levels(n, weights, generator=generator)
    positive = level > levels
    cell, signs = random_cells(maps, level - 1, generator=generator)
    volume = (negatives[:, 1] - negatives[:, 0]).astype(float).prod(axis=1)
    box = negatives[generator.choice(len(negatives), size=n, p=volume / volume.sum())]
    box[positive] = maps.ratio * np.array([maps.low, 1])[:, None]
    corners = np.sort(signs[:, None] * box + maps.ratio * cell[:, None], axis=1)
    inset = np.where(positive, margin, 0.0)
    return random_points(corners, maps.ratio**level, inset=inset, generator=generator), positive.astype(np.int64)


def ends(*, system: str, ratio: int | None, offsets: Sequence[Sequence[int]] | None, **_: object) -> Ends:
    """Return the coordinates of a point and two classes."""
    return Ends(fractal(system, ratio, offsets).maps.offsets.shape[1], 2)


def check(
    *,
    levels: int,
    system: str,
    curve: int | str,
    margin: float,
    ratio: int | None,
    offsets: Sequence[Sequence[int]] | None,
    level_weights: Sequence[float] | None,
) -> None:
    """Refuse settings that contradict each other."""
    check_levels(fractal(system, ratio, offsets).maps, levels, margin)
    if (level_weights is not None) != (curve == "given"):
        raise ValueError(
            f"curve is {curve!r} and level_weights is {level_weights}; "
            "level_weights must be there for the curve 'given', and only then"
        )
    if level_weights is not None:
        approximation_curves.check(level_weights, levels)
