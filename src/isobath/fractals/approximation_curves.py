"""Approximation curves (Malach & Shalev-Shwartz, section 3.2): the spread of negatives over the levels of a fractal.

    P(j) = Pr[x not in K_j or y = 1] = 3/2 - 2^(-V_j / V_n),    V_j = v_1 + ... + v_j

is the accuracy of a classifier that knows j of the n levels. The authors' code walks from coarse to fine and
at level j stops with probability s_j = 1 - 2^(-v_j / V_n) at a negative; a point whose walk never stops is positive.
The level at which the walk stops has the distribution P(j) - P(j - 1), and is drawn at once.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def level_weights(curve: int | str, levels: int, weights: Sequence[float] | None = None) -> np.ndarray:
    """Return v_1 .. v_n of the six curves of the authors' code, from coarse (1) to fine (6), or ``weights``."""
    if curve == "given":
        return np.array(weights, dtype=np.float64)
    j = np.arange(1, levels + 1, dtype=np.float64)
    match curve:
        case 1:
            return np.ones(levels)
        case 4 | 5:
            return j ** (5 if curve == 4 else 9)
        case _:
            last = {2: 3, 3: 2, 6: 1}[int(curve)]
            return np.where(j > levels - last, 1.0, 0.0)


def check(weights: Sequence[float], levels: int) -> None:
    """Refuse level weights that make no curve (ValueError)."""
    if len(weights) != levels or sum(weights) <= 0:
        raise ValueError(f"level_weights is {list(weights)}; it must have levels = {levels} numbers, not all of them 0")


def probabilities(weights: np.ndarray) -> np.ndarray:
    """Return P(0) = 1/2 .. P(n) = 1, float64 (n + 1,), for level weights v (n,)."""
    total = np.concatenate([[0.0], np.cumsum(weights)])
    curve: np.ndarray = 1.5 - 2.0 ** (-total / total[-1])
    return curve


def of_task(task: Mapping[str, Any]) -> np.ndarray:
    """Return P(0) .. P(n) of a task of the kind fractal, by its settings."""
    return probabilities(level_weights(task["curve"], task["levels"], task.get("level_weights")))


def random_levels(n: int, weights: np.ndarray, *, generator: np.random.Generator) -> np.ndarray:
    """Draw the levels at which ``n`` walks stop, int64 (n,): 1 .. levels at a negative, levels + 1 at a positive."""
    return 1 + np.searchsorted(probabilities(weights)[1:] - 0.5, generator.random(n), side="right")
