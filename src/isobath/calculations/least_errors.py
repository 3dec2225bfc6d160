"""The least error of functions of few sign changes on a 1D Cantor set, beside Malach & Shalev-Shwartz, Theorem 4.

A network of m linear regions on the line changes sign at most m times. The best function that does so is found
exactly, by dynamic programming over the 2^n positive intervals and the gaps between them.

- ``curves``: curves from coarse, 1, to fine, 6
"""

from typing import Literal

import numpy as np
import xarray as xr

from isobath.fractals.approximation_curves import level_weights, probabilities
from isobath.fractals.bounds import unavoidable_error
from isobath.settings import Count, Values


def calculate(
    *, generator: np.random.Generator, levels: Count, curves: Values[Literal[1, 2, 3, 4, 5, 6]]
) -> xr.Dataset:
    """Return the least error and the bound of Theorem 4 for each curve and m = 2^t regions, t = 1 .. n - 1.

    The bound is that for width 1 and t weight layers, for which the theorem counts r^t regions. Nothing is random.
    """
    regions = 2 ** np.arange(1, levels)
    accuracies = [probabilities(level_weights(curve, levels)) for curve in curves]
    bound = [[unavoidable_error(p, depth=t - 1, width=1, maps=2) for t in range(1, levels)] for p in accuracies]
    columns = {
        "least_error": ([least_errors(p)[regions] for p in accuracies], "least error of functions of m sign changes"),
        "error_bound": (bound, "(1 - m / r^j) (1 - P(j)) for the best j, the bound of Theorem 4"),
    }
    variables = {
        name: (["curve", "regions"], np.array(values), {"long_name": long_name, "units": "1"})
        for name, (values, long_name) in columns.items()
    }
    return xr.Dataset(variables, coords={"curve": list(curves), "regions": regions, "levels": levels})


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
