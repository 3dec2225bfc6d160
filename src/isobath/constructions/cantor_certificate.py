"""The Cantor set by folding the line: the smallest exact network (our own, beside Theorem 1).

    T(z) = 3 |z| - 2,    x in K_n of the Cantor set in [-1, 1]^d  iff  |T^n(x_k)| <= 1 in every coordinate k

since T folds both images of the cell onto it, and takes what lies between them or outside
to |T(z)| > 1, where all iterates stay.
"""

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from isobath.fractals import of_task
from isobath.iterated_functions import GRID

if TYPE_CHECKING:
    from isobath.networks.mlp import Weights


def build(task: Mapping[str, Any]) -> "Weights":
    """One network (R = 1) of n + 1 hidden layers of width 2 d whose only output is positive exactly on K_n.

    The output is half a grid step minus sum_k (|T^n(x_k)| - 1)_+. In float64 every step is exact on the multiples of
    2^-24 that tasks/fractal.py draws, and whoever is outside is so by a grid step. ``task`` holds the settings of such
    a task. Raises ValueError as ``accept`` does.
    """
    import torch  # noqa: PLC0415 (accept does without)

    accept(task)
    levels, dimension = task["levels"], of_task(task).maps.offsets.shape[1]
    both = np.kron([[1.0], [-1.0]], np.eye(dimension))  # z -> (z, -z), whose relu sums to |z|
    fold = np.kron([[3.0, 3.0], [-3.0, -3.0]], np.eye(dimension))
    sides = np.repeat([1.0, -1.0], dimension)
    layers = [
        (both, np.zeros(2 * dimension)),
        *[(fold, -2 * sides)] * (levels - 1),
        (fold, -2 * sides - 1),  # how far T^n lies above 1 and below -1
        (-np.ones((1, 2 * dimension)), np.array([0.5 / GRID])),
    ]
    return [torch.from_numpy(a) for w, b in layers for a in (w[None].copy(), b[None, None].copy())]


def accept(task: Mapping[str, Any]) -> None:
    """Refuse a task whose maps are not those of the Cantor set in [-1, 1]^d (ValueError)."""
    maps = of_task(task).maps
    corners = {tuple(corner) for corner in maps.offsets.tolist()}
    if maps.ratio != 3 or maps.low != -1 or corners != set(itertools.product((-2, 2), repeat=maps.offsets.shape[1])):
        raise ValueError(f"the task is {dict(task)}; cantor_certificate knows the Cantor set in [-1, 1]^d alone")
