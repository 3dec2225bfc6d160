"""Parts of standard errors, each of one measurement: a measurement that enters a sum twice is not taken for two.

A measurement has a key. Its part of each of two standard errors, over units and of the test sample, has the sign of the
factor with which it enters. Measurements with different keys are independent.
"""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import xarray as xr

Contributions = Mapping[Hashable, tuple[float, float]]  # the parts of (spread, sample) by measurement


def scaled(parts: Contributions, factor: float) -> Contributions:
    """Return the parts of a number that is ``factor`` times another."""
    return {key: (spread * factor, sample * factor) for key, (spread, sample) in parts.items()}


def summed(first: Contributions, second: Contributions) -> Contributions:
    """Return the parts of a sum: a measurement that is in both enters with the sum of its factors."""
    sums = dict(first)
    for key, (spread, sample) in second.items():
        before = sums.get(key, (0.0, 0.0))
        sums[key] = (before[0] + spread, before[1] + sample)
    return sums


def errors_of_sum(
    errors: Sequence[tuple[float, float]], first: Contributions, second: Contributions
) -> tuple[float, float]:
    """Return the (spread, sample) of a sum from the ``errors`` of its two terms, and the parts of each.

    The covariance of the terms comes from the measurements that are in both.
    """
    covariances = [np.multiply(first[key], second[key]) for key in first if key in second]
    variances = np.square(errors).sum(axis=0) + 2 * sum(covariances, np.zeros(2))
    spread, sample = np.sqrt(np.maximum(variances, 0.0))  # rounding can leave less than 0 where all cancels
    return float(spread), float(sample)


def source_of(values: xr.DataArray) -> Hashable:
    """Return what tells a measurement from others: the place of its cell, and its numbers."""
    variables = values.coords.variables.items()
    place = sorted((str(name), repr(coord.values.item())) for name, coord in variables if not coord.dims)
    return (*place, values.values.tobytes())
