"""The least error of functions of few sign changes on a 1D Cantor set, by dynamic programming.

Along the line positive intervals, 2^n of them, and the gaps between them take turns.
"""

import numpy as np


def least_errors(accuracy: np.ndarray) -> np.ndarray:
    """Return the least error of a function with at most c sign changes, c = 0, 1, ..., for P(0) .. P(n), (n + 1,)."""
    mass = _masses(np.diff(accuracy))
    error = np.zeros((2, len(mass) + 1))  # of functions that end as -, +, by the number of changes
    for i, share in enumerate(mass):
        changed = np.c_[np.full(2, np.inf), error[::-1, :-1]]
        error = np.minimum(error, changed)
        error[1 - (i % 2 == 0)] += share  # intervals and gaps take turns, an interval first
    return np.minimum.accumulate(error.min(0))


def _masses(negatives: np.ndarray) -> np.ndarray:
    """Return the probability of each interval and gap of C_n, in order, (2^(n + 1) - 1,)."""
    masses = np.array([0.5])
    for share in negatives[::-1]:  # from fine to coarse: F_1 reverses, but the set is symmetric
        masses = np.concatenate([masses / 2, [share], masses / 2])
    return masses
