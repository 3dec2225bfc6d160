"""Networks that know a fractal (Malach & Shalev-Shwartz, Theorem 1, Corollary 1, Theorem 3).

A block of two hidden layers folds the r images of the cell onto one cell: it carries the point u to
u' = F_i^-1(u) where u is in the image i, and adds 1 to a count of misses o where u is in none. With
z_i = F_i^-1(u), the excess e_i = sum_k (z_ik - 1)_+ + (low - z_ik)_+, and e_i(delta) that over a cell less delta,

    u' - low = sum_i (z_i - low - C e_i)_+,    o' = o + 1 - sum_i (1 - 2 e_i(delta) / delta)_+

and after n blocks f = 1/2 - o. A positive is at least a margin gamma inside its cell of level n (Assumption 3), and so
delta_j = gamma q^j inside that of level j: it is never missed, o = 0. A negative is outside of all cells at some
level, where o grows by 1. A point less than delta / 2 inside an image is missed as well; so no other image is within
delta / 2 of a point that is not missed, and C = 1 + 2 (1 - low) / delta turns the others off. Images may touch,
therefore, and Assumption 1 is not needed. Where positives have no margin, those nearer than gamma to a side can be
missed.

- ``levels``: levels j that the network knows; by default all
- ``margin``: margin of the positive samples; by default that of the task
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from isobath.constructions import Built
from isobath.fractals.affine import Affine, after, network
from isobath.fractals.iterated_functions import GRID, System, check_levels, iterate
from isobath.fractals.sets import of_task
from isobath.settings import Count, Positive

LARGEST = 10**8  # weights of a layer: 0.8 GB


def build(
    task: Mapping[str, Any], *, levels: Count | None = None, margin: Positive | None = None, shortcut: Count = 1
) -> Built:
    """Return a network whose only output is positive on K_j inside the margin and negative outside of K_j.

    ``task`` holds the settings of a task of the kind ``fractal``. ``levels`` j are those of the task, or fewer: the
    error is then 1 - P(j) at most (Theorem 3). The ``margin`` is that of the task; points of a task without one keep
    1 / (GRID q^n) by themselves, being on the grid of iterated_functions.py.

    Its width is 4 d r^s + d + 1 (<= 5 d r^s if r > 1); ``shortcut`` s levels fold at once. It has 2 ceil(j / s) + 1
    weight layers: 2 n + 1 for s = 1 and j = n, as Theorem 1 has; for s > 1 Corollary 1 has 2 floor(n / s) + 2, which
    is one more where s divides n and one fewer where it does not: the n mod s levels left over need a block of their
    own here. Raises ValueError as ``accept`` does.
    """
    accept(task, levels=levels, margin=margin, shortcut=shortcut)
    maps, n_levels, gap = _settled(task, levels, margin)
    return Built(network(_blocks(maps, n_levels, gap, shortcut)))


def accept(task: Mapping[str, Any], *, levels: int | None, margin: float | None, shortcut: int) -> None:
    """Refuse more levels than the task has, a longer shortcut, a margin that a cell lacks, a network that is too large.

    Raises ValueError, and for a task that is no fractal.
    """
    maps, n_levels, gap = _settled(task, levels, margin)
    if n_levels > task["levels"]:
        raise ValueError(f"levels is {n_levels}; it must be at most those of the task, {task['levels']}")
    if shortcut > n_levels:
        raise ValueError(f"shortcut is {shortcut}; it must not exceed levels, which is {n_levels}")
    check_levels(maps, n_levels, gap)
    r, d = maps.offsets.shape
    largest = (4 * d * r**shortcut + d + 1) * ((d + 1) * r**shortcut + 1)
    if largest > LARGEST:
        raise ValueError(f"shortcut is {shortcut}: a layer has {largest:.1e} weights; allowed: {LARGEST:.0e}")


def _settled(task: Mapping[str, Any], levels: int | None, margin: float | None) -> tuple[System, int, float]:
    """Return maps, levels and margin."""
    maps = of_task(task).maps
    return maps, levels or task["levels"], margin or task["margin"] or 1 / (GRID * maps.ratio ** task["levels"])


def _blocks(maps: System, levels: int, margin: float, shortcut: int) -> list[Affine]:
    dimension = maps.offsets.shape[1]
    state: Affine = np.eye(dimension + 1, dimension), np.zeros(dimension + 1)  # (u, o) = (x, 0)
    layers, delta = [], margin
    for first in range(0, levels, shortcut):
        folded = iterate(maps, min(shortcut, levels - first))
        delta *= folded.ratio
        layers += [after(_excesses(folded, delta), state), _gates(folded, delta)]
        state = _state(folded)
    miss = np.eye(1, dimension + 1, dimension)
    return [*layers, after((-miss, np.array([0.5])), state)]


def _back(maps: System) -> Affine:
    """Return z_i = sigma_i (q u - c_i) of all images, (r d, d)."""
    diagonal = np.concatenate([np.diag(signs) for signs in maps.signs])
    return maps.ratio * diagonal.astype(np.float64), -(maps.signs * maps.offsets).ravel().astype(np.float64)


def _excesses(maps: System, delta: float) -> Affine:
    """Return the first layer of a block, of (u, o): z - 1, low - z, both with delta, u - low, o."""
    (z, z0), low, d = _back(maps), maps.low, maps.offsets.shape[1]
    w = np.concatenate([z, -z, z, -z, np.eye(d)])
    b = np.concatenate([z0 - 1, low - z0, z0 - 1 + delta, low + delta - z0, np.full(d, -low)])
    return np.block([[w, np.zeros((len(w), 1))], [np.zeros((1, d)), 1.0]]), np.append(b, 0.0)


def _gates(maps: System, delta: float) -> Affine:
    """Return the second layer: z_i - low - C e_i of all images, 1 - 2 e_i(delta) / delta of all images, o."""
    (z, z0), low, (r, d) = _back(maps), maps.low, maps.offsets.shape
    total = np.kron(np.eye(r), np.ones(d))  # (r, r d): the excess of an image is a sum over coordinates
    steep = -(1 + 2 * (1 - low) / delta) * np.repeat(total, d, axis=0)
    marks = -2 / delta * total
    w = np.block(
        [
            [steep, steep, np.zeros((r * d, 2 * r * d)), z, np.zeros((r * d, 1))],
            [np.zeros((r, 2 * r * d)), marks, marks, np.zeros((r, d + 1))],
            [np.zeros((1, 4 * r * d + d)), 1.0],
        ]
    )
    return w, np.concatenate([z.sum(1) * low + z0 - low, np.ones(r), [0.0]])


def _state(maps: System) -> Affine:
    """Return the output of a block: u' = sum_i (...)_+ + low, o' = o + 1 - sum_i (...)_+."""
    r, d = maps.offsets.shape
    w = np.block(
        [
            [np.tile(np.eye(d), r), np.zeros((d, r + 1))],
            [np.zeros((1, r * d)), np.full((1, r), -1.0), 1.0],
        ]
    )
    return w, np.append(np.full(d, float(maps.low)), 1.0)
