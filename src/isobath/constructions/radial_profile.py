"""A network of two hidden layers for shells: squares summed in the first, a profile in the second (Eldan & Shamir).

The first layer takes x_i^2 as affine between m + 1 equal nodes of [-2, 2], so that q(x) = sum_i (x_i^2 + e_i) is
|x|^2 up to d times h^2 / 6 of error, h = 4 / m. Its mean over a cell, h^2 / 6 for each coordinate, is taken off. The
second layer is a zigzag of q, which changes its sign at the radii where the label changes.

- ``kinks``: number m of affine pieces that stand for the square of a coordinate
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from isobath.constructions import Built
from isobath.fractals.affine import Affine, network
from isobath.separation.radial import WIDEST
from isobath.separation.radial_networks import layers, placed
from isobath.settings import Count


def build(task: Mapping[str, Any], *, kinks: Count = 16) -> Built:
    """Return a network of widths d m and 2 (shells - 1), float64, positive where its q has a radius of label 1.

    ``task`` holds the settings of such a task, ``kinks`` is m. Raises ValueError as ``accept`` does.
    """
    accept(task, kinks=kinks)
    return Built(network(layers(task["dimension"], kinks, _zigzag(task["shells"]), "relu")))


def accept(task: Mapping[str, Any], *, kinks: int) -> None:
    """Refuse a task that has no shells (ValueError)."""
    if task["kind"] != "radial_shells":
        raise ValueError(f"the task is of kind {task['kind']}; radial_profile knows radial_shells alone")


def _zigzag(shells: int) -> tuple[Affine, Affine]:
    """Return the hinges of q, and a function of them that is -1 on label 0, 1 on label 1, but near a change of it.

    It is affine within a tenth of the narrower neighbour, in units of q, and zero at the change.
    """
    changes = (WIDEST * np.arange(1, shells) / shells) ** 2
    gaps = np.diff(np.concatenate([[0.0], changes, [WIDEST**2]]))
    half = np.minimum(gaps[:-1], gaps[1:]) / 10
    knots = np.stack([changes - half, changes + half], axis=1).ravel()
    slope = np.where(np.arange(shells - 1) % 2, -1, 1) / half
    return placed(knots, np.stack([slope, -slope], axis=1).ravel(), -1.0)
