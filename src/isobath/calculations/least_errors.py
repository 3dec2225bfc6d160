"""The least error of functions of few sign changes on a 1D Cantor set, beside Malach & Shalev-Shwartz, Theorem 4.

A network of m linear regions on the line changes sign at most m times. The best function that does so is found
exactly (``fractals.sign_changes``).

- ``curves``: curves from coarse, 1, to fine, 6
"""

from typing import Literal

import numpy as np
import xarray as xr

from isobath.fractals.approximation_curves import level_weights, probabilities
from isobath.fractals.bounds import unavoidable_error
from isobath.fractals.sign_changes import least_errors
from isobath.settings import Count, Values

MOST = 14  # levels: a second


def calculate(
    *, generator: np.random.Generator, levels: Count, curves: Values[Literal[1, 2, 3, 4, 5, 6]]
) -> xr.Dataset:
    """Return the least error and the bound of Theorem 4 for each curve and m = 2^t regions, t = 1 .. n - 1.

    The bound is that for width 1 and t weight layers, for which the theorem counts r^t regions. Nothing is random.
    """
    check(levels=levels)
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


def check(*, levels: int, **_: object) -> None:
    """Refuse more levels than can be enumerated: the time grows as 4^n (ValueError)."""
    if levels > MOST:
        raise ValueError(f"levels is {levels}; it must be {MOST} or less")
