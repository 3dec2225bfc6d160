"""The Cantor set by folding the line: a smaller exact network than Theorem 1's (our own).

    T(z) = 3 |z| - 2,    z in K_n of the Cantor set in [-1, 1]^d  iff  |T^n(z_k)| <= 1 in every coordinate k

since T folds both images of the cell onto it, and takes what lies between them or outside
to |T(z)| > 1, where all iterates stay. A layer can fold s times at once: T^s is piecewise linear in |z|, of slopes
+- 3^s in turn, + beyond its last kink. The kinks are the zeros a / 3^i of T^i, i < s, and so the hinges have whole
numbers in

    T^s(z) = T^s(0) +- 3^s |z| + sum_(i, a) +- 2 3^(s - i) (3^i |z| - a)_+
"""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from isobath.constructions import Built
from isobath.fractals.affine import Affine, after, network
from isobath.fractals.iterated_functions import GRID
from isobath.fractals.sets import of_task
from isobath.settings import Count


def build(task: Mapping[str, Any], *, shortcut: Count = 1) -> Built:
    """Return a network of width 2^s d and ceil(n / s) + 1 hidden layers that is positive exactly on K_n.

    ``shortcut`` is s. The output is half a grid step minus sum_k (|T^n(z_k)| - 1)_+. In float64 every step is exact on
    the multiples of 2^-24 that tasks/fractal.py draws, and a point outside is so by a grid step. ``task`` holds the
    settings of such a task. Raises ValueError as ``accept`` does.
    """
    accept(task, shortcut=shortcut)
    maps, levels = of_task(task).maps, task["levels"]
    identity, side = np.eye(maps.offsets.shape[1]), 1 - maps.low
    state: Affine = 2 / side * identity, np.full(len(identity), -(1 + maps.low) / side)  # z in [-1, 1]^d
    layers = []
    for first in range(0, levels, shortcut):
        hinges, folded = _fold(min(shortcut, levels - first), identity)
        layers.append(after(hinges, state))
        state = folded
    excess = (
        np.concatenate([identity, -identity]),
        np.full(2 * len(identity), -1.0),
    )  # how far T^n lies above 1 and below -1
    return Built(network([*layers, after(excess, state), (-np.ones((1, 2 * len(identity))), np.array([0.5 / GRID]))]))


def accept(task: Mapping[str, Any], *, shortcut: int) -> None:
    """Refuse a task whose maps are not those of the Cantor set in its cell, and a longer shortcut (ValueError)."""
    maps = of_task(task).maps
    ends = (maps.ratio * maps.low, maps.ratio - (1 - maps.low))  # where the images begin in each coordinate
    corners = {tuple(corner) for corner in maps.images()[:, 0].tolist()}
    if maps.ratio != 3 or corners != set(itertools.product(ends, repeat=maps.offsets.shape[1])):
        raise ValueError(f"the task is {dict(task)}; cantor_certificate knows Cantor sets alone, with ratio 3")
    if shortcut > task["levels"]:
        raise ValueError(f"shortcut is {shortcut}; it must not exceed levels, which is {task['levels']}")


def _fold(times: int, identity: np.ndarray) -> tuple[Affine, Affine]:
    """Return T^s in every coordinate: the hinges of z, and z' of the hinges; ``identity`` is the unit matrix (d, d)."""
    kinks = [(0, 0)]  # (i, a): at a / 3^i. T^i(z) = 0 where 3 |z| - 2 is +- a zero of T^(i - 1)
    for i in range(1, times):
        above = [a for j, a in kinks if j == i - 1]
        kinks += [(i, a) for a in {2 * 3 ** (i - 1) + sign * a for a in above for sign in (1, -1)}]
    powers, zeros = np.array(sorted(kinks, key=lambda kink: kink[1] / 3 ** kink[0])).T
    slopes = 3.0**times * (-1.0) ** np.arange(len(zeros))[::-1]
    value = 0.0
    for _ in range(times):
        value = 3 * abs(value) - 2
    input_weights = np.concatenate([3.0**powers, -(3.0**powers)])[:, None]  # |z| = z_+ + (-z)_+
    weights = np.tile(np.diff(slopes, prepend=0) / 3.0**powers, 2)[None]
    hinges = np.kron(input_weights, identity), np.repeat(np.tile(-1.0 * zeros, 2), len(identity))
    return hinges, (np.kron(weights, identity), np.full(len(identity), value))
