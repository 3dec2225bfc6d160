"""Parts of a standard error by the measurement that they come from, so that what enters a sum twice is known to.

A measurement has a key. Its part of each of two standard errors, over units and of the test sample, has the sign of the
factor with which it enters. Measurements with different keys are independent.
"""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

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
    """Return the (spread, sample) of the sum of two numbers with these; covariances are those of what both measure."""
    covariances = [np.multiply(first[key], second[key]) for key in first.keys() & second.keys()]
    variances = np.square(errors).sum(axis=0) + 2 * sum(covariances, np.zeros(2))
    spread, sample = np.sqrt(np.maximum(variances, 0.0))  # rounding can leave less than 0 where all cancels
    return float(spread), float(sample)
