"""Compositions of triangles on [0, 1], and how well a classifier of few oscillations follows many (Telgarsky).

A wave of t triangles composed k times is a wave of F = (2 t)^k / 2 triangles, tent(F x mod 1), of (2 t)^k linear
pieces. It crosses 1/2 once in each, so that the classifier 1[wave >= 1/2] has Cr = (2 t)^k + 1 intervals:

    label(x) = 1[1/4 <= (F x mod 1) < 3/4]

which whole numbers give exactly. Networks see z = 2 x - 1, which lies in [-1, 1].
"""

from typing import NamedTuple

import numpy as np

BITS = 24  # of a point; float32 holds them
MOST_PIECES = 2**20  # a piece of fewer points than 16 would not be seen by a sample


def pieces(*, folds: int, triangles: int) -> int:
    """Return (2 t)^k, the linear pieces of t ``triangles`` composed k = ``folds`` times."""
    return int((2 * triangles) ** folds)


def labels(m: np.ndarray, count: int) -> np.ndarray:
    """Return the labels (n,), int64, of the points m / 2^BITS, m odd (n,), of a wave of ``count`` pieces.

    For tents, ``count`` = 2^k, the label is bit k XOR bit k + 1 of m, where bit 1 is the highest.
    """
    phase = (count // 2 * m) % 2**BITS
    inside: np.ndarray = (phase >= 2 ** (BITS - 2)) & (phase < 3 * 2 ** (BITS - 2))
    return inside.astype(np.int64)


def changes(count: int) -> np.ndarray:
    """Return the points (count,) of [0, 1] at which the label of a wave changes; it begins with 0."""
    return np.asarray((2 * np.arange(count) + 1) / (2 * count))


def most_intervals(*, depth: int, width: int) -> int:
    """Return the most intervals of a classifier of ``depth`` hidden layers, (W + 1)^L + 1: one crossing per piece."""
    return int((width + 1) ** depth) + 1


def ceiling(intervals: int | np.ndarray, count: int) -> np.ndarray:
    """Return the highest accuracy of a classifier of s ``intervals`` on a wave: 1 - (count + 1 - s) / (2 count)."""
    return np.asarray(np.minimum(1 - (count + 1 - np.asarray(intervals)) / (2 * count), 1.0))


class Agreement(NamedTuple):
    """Agreement of a classifier with the labels of a wave: the share of [0, 1], and that of intervals all wrong."""

    accuracy: float
    wrong: float


def agreement(crossings: np.ndarray, begins: int, count: int) -> Agreement:
    """Return how a classifier, 0 or 1 as it ``begins`` and changing at ``crossings`` (c,), agrees with a wave.

    It takes no sample: [0, 1] is cut where either changes. An interval of the wave is wrong if no part of it is right.
    """
    truth = changes(count)
    edges = np.unique(np.concatenate([[0.0, 1.0], truth, crossings]))
    middles, lengths = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    interval = np.searchsorted(truth, middles)
    right = (np.searchsorted(np.sort(crossings), middles) + begins) % 2 == interval % 2
    share = np.bincount(interval, right * lengths, minlength=count + 1)
    return Agreement(float(right @ lengths), float((share == 0).mean()))
