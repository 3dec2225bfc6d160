"""Bounds of Malach & Shalev-Shwartz on depth and fractals, as numbers to be put beside an experiment.

The source counts weight layers; ``depth`` counts hidden layers, hence t = depth + 1. A ``curve`` is the approximation
curve P(0), ..., P(n), (n + 1,), of a fractal of n levels: 1 - P(j) is the error of a classifier that knows K_j alone.
``maps`` is the number r of its maps. Errors are those of the sign. Curves are checked: each function that takes one
raises ValueError where it does not rise from 1/2 to 1.
"""

import math
from collections.abc import Sequence

import numpy as np

Curve = Sequence[float] | np.ndarray


def region_bound(*, depth: int, width: int, n_inputs: int) -> float:
    """Return the (e k / d)^(t d) linear regions that Theorem 2 of Malach & Shalev-Shwartz allows, with t = depth + 1.

    With fewer than r^n of them a network cannot be right on a fractal of r maps and n levels; the theorem's bound on
    the width is this one, solved for k.
    """
    return (math.e * width / n_inputs) ** ((depth + 1) * n_inputs)


def least_width(*, depth: int, levels: int, maps: int, n_inputs: int) -> float:
    """Return the width (d / e) r^(n / (t d)) below which Theorem 2 rules out an error of zero, with t = depth + 1."""
    return n_inputs / math.e * math.pow(maps, levels / ((depth + 1) * n_inputs))


def reachable_error(curve: Curve, *, depth: int, width: int, maps: int, n_inputs: int) -> float:
    """Return the error 1 - P(j) that some network of this size has (Theorem 3), for the best j that it grants.

    It grants j to t = 2 floor(j / s) + 2 and k = 5 d r^s. Here s <= j, as in Corollary 1: otherwise one hidden layer
    would do, which cannot tell separate boxes in two dimensions. A size that grants no j >= 1 has 1 - P(0) = 1/2. The
    theorem assumes a gap between the images (Assumption 1): among the fractals of the paper, the Cantor sets have one.
    """
    values, folds, s = _checked(curve), (depth - 1) // 2, 0
    while 5 * n_inputs * maps ** (s + 1) <= width:
        s += 1
    j = s * (folds + 1) - 1 if s and folds > 0 else 0
    return float(1 - values[min(j, len(values) - 1)])


def unavoidable_error(curve: Curve, *, depth: int, width: int, maps: int) -> float:
    """Return the least error of networks of this size on one input (Theorem 4): max_j (1 - r^(s t - j)) (1 - P(j)).

    Here k < r^s with the least natural s, and s t < j < n; where there is no such j, the bound is 0. The r^j cells of
    each level j must be equally probable, as they are for a Cantor distribution, whose r is 2.
    """
    values, s = _checked(curve), 1
    while maps**s <= width:
        s += 1
    regions = s * (depth + 1)  # the logarithm of their number, to the base r
    bounds = [(1 - float(maps) ** (regions - j)) * (1 - values[j]) for j in range(regions + 1, len(values) - 1)]
    return float(max(bounds, default=0.0))


def needed_levels(delta: float, *, depth: int, width: int) -> int:
    """Return the least n' of Theorem 5: n' > ln(4 t k^2 / delta) / ln(3/2); n has to be larger still.

    There delta = 4 t k^2 (2/3)^n' bounds the probability that some unit has its kink in C_n', of length (2/3)^n'.
    """
    return math.floor(math.log(4 * (depth + 1) * width**2 / delta) / math.log(1.5)) + 1


def start_bounds(accuracy: float) -> tuple[float, float]:
    """Return the bounds of Theorem 5, with P(n') = ``accuracy``: largest norm of the first gradient, least error.

    They are 5 (P - 1/2) and (3/2 - P) (1 - P), with probability 1 - delta. The norm is the largest entry.
    """
    return 5 * (accuracy - 0.5), (1.5 - accuracy) * (1 - accuracy)


def separation_bounds(epsilon: float, levels: int) -> tuple[float, float]:
    """Return the bounds of Corollary 3, if networks of depth t' err by 1/2 - epsilon^(n - t') or more.

    They are 5 epsilon^(n/2) and 1/2 - (3/2) epsilon^(n/2): the source has lost the minus in print.
    """
    gap = epsilon ** (levels / 2)
    return 5 * gap, 0.5 - 1.5 * gap


def _checked(curve: Curve) -> np.ndarray:
    values = np.asarray(curve, dtype=float)
    if len(values) < 2 or not np.allclose(values[[0, -1]], [0.5, 1]) or (np.diff(values) < -1e-12).any():
        raise ValueError(f"P = {values.tolist()}; an approximation curve rises from 1/2 to 1")
    return values
