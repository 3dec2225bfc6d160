"""The network that folds [0, 1] k times into t triangles (Telgarsky): width 2 t, k hidden layers.

    f(z) = wave(wave(..)) - 1/2,    wave(x) = sum_j s_j relu(x - j / (2 t)),  s = (2 t, -4 t, +4 t, ...)

for j = 0 .. 2 t - 1 and x = (z + 1) / 2. For tents, t = 1, it has 6 k + 1 parameters.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from isobath.constructions import Built
from isobath.fractals.affine import Affine, after, network


def build(task: Mapping[str, Any]) -> Built:
    """Return the network, float64, that is positive exactly where the label of the task is 1.

    ``task`` holds the settings of such a task. Slopes are whole numbers, so that for t a power of 2 nothing is
    rounded. Raises ValueError as ``accept`` does.
    """
    accept(task)
    hinges, slopes = _wave(task.get("triangles", 1))
    state: Affine = np.array([[0.5]]), np.array([0.5])  # x of z
    layers = []
    for _ in range(task["folds"]):
        layers.append(after(hinges, state))
        state = slopes, np.zeros(1)
    return Built(network([*layers, (slopes, np.array([-0.5]))]))


def accept(task: Mapping[str, Any]) -> None:
    """Refuse a task that is no sawtooth (ValueError)."""
    if task["kind"] != "sawtooth":
        raise ValueError(f"the task is of kind {task['kind']}; sawtooth_folding knows sawtooth alone")


def _wave(triangles: int) -> tuple[Affine, np.ndarray]:
    """Return the hinges of a wave, and their slopes (1, 2 t)."""
    j = np.arange(2 * triangles)
    slopes = 4.0 * triangles * np.where(j % 2, -1, 1)
    slopes[0] /= 2
    return (np.ones((len(j), 1)), -j / len(j)), slopes[None]
