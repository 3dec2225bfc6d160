"""Iterated function systems (Malach & Shalev-Shwartz, section 2) in integers, so that membership is exact.

    F_i(x) = (sigma_i x + c_i) / q,    K_0 = [low, 1]^d,    K_n = F_1(K_(n-1)) u ... u F_r(K_(n-1))

with a whole ratio q >= 2, whole offsets c_i and signs sigma_i per coordinate. The images of the cell K_0 are
boxes in it that may touch and do not overlap, which all fractals of the source have. F_i^-1 maps multiples
of 2^-24 to multiples of 2^-24, and float32 has all of them in the cell: points are drawn on that grid, inside
the cell that their label says, and walk back through the inverse maps without any rounding, at any level.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

GRID = 2**24  # points lie on multiples of 1 / GRID
LARGEST = 2**63  # of the integers that count multiples
FINEST = 2**20  # q^n may not exceed this: a cell of level n has 16 grid points a side, at least


@dataclass(frozen=True)
class System:
    """System of r maps in d dimensions: ``offsets`` c, ``signs`` sigma, int64 (r, d), ``ratio`` q, cell [low, 1]^d."""

    ratio: int
    offsets: np.ndarray
    signs: np.ndarray
    low: int = -1

    def images(self) -> np.ndarray:
        """Return the boxes F_i(K_0), lowest and highest corner in units of 1 / q: int64 (r, 2, d)."""
        ends = np.array([self.low, 1])[:, None]
        return np.sort(self.signs[:, None] * ends + self.offsets[:, None], axis=1)


def system(
    ratio: int, offsets: Sequence[Sequence[int]], *, signs: Sequence[Sequence[int]] | None = None, low: int = -1
) -> System:
    """Return the system of these maps; ``signs`` are +1 if left out.

    Raises ValueError for a ratio below 2, a single map, images that overlap, leave the cell or leave nothing of it.
    """
    if ratio < 2:
        raise ValueError(f"ratio is {ratio}; it must be at least 2, for the maps to contract")
    if not offsets or not offsets[0] or len({len(c) for c in offsets}) > 1:
        raise ValueError(f"offsets is {offsets}; it must be a list of points, each with the same number of coordinates")
    c = np.array(offsets, dtype=np.int64)
    maps = System(ratio, c, np.ones_like(c) if signs is None else np.array(signs, dtype=np.int64), low)
    images = maps.images()
    for point, (lowest, highest) in zip(offsets, images, strict=True):
        if (lowest < ratio * low).any() or (highest > ratio).any():
            raise ValueError(f"offsets has {list(point)}, whose image leaves the cell; it must lie in it")
    for i, j in itertools.combinations(range(len(c)), 2):
        if (np.maximum(images[i, 0], images[j, 0]) < np.minimum(images[i, 1], images[j, 1])).all():
            raise ValueError(f"offsets has {list(offsets[i])} and {list(offsets[j])}; their images must not overlap")
    if len(c) == ratio ** c.shape[1]:
        raise ValueError(f"offsets has {len(c)} maps, whose images fill the cell; they must leave a part of it")
    if len(c) < 2:
        raise ValueError(f"offsets is {offsets}; it must have two maps or more, for one leaves a single point")
    return maps


def check_levels(maps: System, levels: int, margin: float) -> None:
    """Refuse cells of level n too small for the grid, or for a margin on every side (ValueError)."""
    most = next(n for n in itertools.count() if maps.ratio ** (n + 1) > FINEST)
    if levels > most:
        raise ValueError(f"levels is {levels}; it must be at most {most}: float32 has too few points in smaller cells")
    if maps.ratio ** (levels + 1) * GRID >= LARGEST:
        raise ValueError(f"the ratio is {maps.ratio}; with {levels} levels the corners of cells exceed 64-bit integers")
    half = (1 - maps.low) / (2 * maps.ratio**levels)
    if margin >= half - 2 / GRID:
        raise ValueError(
            f"margin is {margin}; it must be less than {half:.6g}, half the side of a cell of the last level"
        )


def iterate(maps: System, times: int) -> System:
    """Return the r^s maps of ``times`` s levels as one system, of ratio q^s; its images are the cells of level s."""
    offsets, signs = np.zeros_like(maps.offsets[:1]), np.ones_like(maps.signs[:1])
    for _ in range(times):
        offsets, signs = _inside(maps, offsets[:, None], signs[:, None], slice(None))
        offsets, signs = (a.reshape(-1, maps.offsets.shape[1]) for a in (offsets, signs))
    return replace(maps, ratio=maps.ratio**times, offsets=offsets, signs=signs)


def _inside(
    maps: System, offsets: np.ndarray, signs: np.ndarray, digits: np.ndarray | slice
) -> tuple[np.ndarray, np.ndarray]:
    """Map cells (sigma x + b) / q^j to (sigma F_i(x) + b) / q^j = (sigma sigma_i x + sigma c_i + q b) / q^(j + 1)."""
    return maps.ratio * offsets + signs * maps.offsets[digits], signs * maps.signs[digits]


def complement(maps: System) -> np.ndarray:
    """Cut the cell minus its images into boxes along all their sides: corners in units of 1 / q, int64 (k, 2, d)."""
    images = maps.images()
    cell = maps.ratio * np.array([maps.low, 1])
    sides = [np.unique([*cell, *images[:, :, axis].ravel()]) for axis in range(images.shape[2])]
    lowest, highest = (
        np.stack(np.meshgrid(*ends, indexing="ij"), axis=-1).reshape(-1, len(sides))
        for ends in ([s[:-1] for s in sides], [s[1:] for s in sides])
    )
    covered = (images[:, 0] <= lowest[:, None]) & (highest[:, None] <= images[:, 1])
    return np.stack([lowest, highest], axis=1)[~covered.all(-1).any(-1)]


def level(maps: System, x: np.ndarray, most: int) -> np.ndarray:
    """Return the largest j <= ``most`` with x in K_j, int64 (n,), -1 outside of the cell, for points (n, d).

    It walks back, F_i^-1(x) = sigma (q x - c), into every image that has the point (touching images share points).
    There is no tolerance: the result is exact for multiples of 2^-24, and for other points rounding grows by q a level.
    """
    points = np.asarray(x, dtype=np.float64)
    reached = np.where(_in_cell(maps, points), 0, -1)
    rows = np.flatnonzero(reached == 0)
    points = points[rows]
    for j in range(1, most + 1):
        back = maps.signs * (maps.ratio * points[:, None] - maps.offsets)
        inside, image = _in_cell(maps, back).nonzero()
        points, rows = back[inside, image], rows[inside]
        reached[rows] = j
    return reached


def _in_cell(maps: System, points: np.ndarray) -> np.ndarray:
    return np.asarray(((maps.low <= points) & (points <= 1)).all(-1))


def random_cells(maps: System, depth: np.ndarray, *, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw a cell (sigma x + b) / q^j of level j = ``depth`` (n,) for each row: b and sigma, int64 (n, d)."""
    offsets = np.zeros((len(depth), maps.offsets.shape[1]), dtype=np.int64)
    signs = np.ones_like(offsets)
    for j in range(depth.max()):
        rows = np.flatnonzero(depth > j)
        digits = generator.integers(len(maps.offsets), size=len(rows))
        offsets[rows], signs[rows] = _inside(maps, offsets[rows], signs[rows], digits)
    return offsets, signs


def random_points(
    corners: np.ndarray, denominators: np.ndarray, *, inset: np.ndarray, generator: np.random.Generator
) -> np.ndarray:
    """Draw a grid point strictly inside each box, float32 (n, d), at least ``inset`` (n,) from its sides.

    Boxes are ``corners`` (n, 2, d) over ``denominators`` (n,), all int64.
    """
    q, steps = denominators[:, None], np.ceil(inset * GRID).astype(np.int64)[:, None]
    first = corners[:, 0] * GRID // q + 1 + steps
    last = -(-corners[:, 1] * GRID // q) - 1 - steps
    return np.asarray(generator.integers(first, last + 1) / GRID, dtype=np.float32)
