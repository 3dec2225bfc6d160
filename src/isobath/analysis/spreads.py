"""The spread of networks: their standard deviation, with an interval."""

import math
from typing import Any

import numpy as np
from scipy.stats import t as student

from isobath.analysis.estimates import ONE_CHOICE, ONE_DATA_SET, Bounded, Undetermined
from isobath.analysis.standard_errors import RESAMPLES, finite_values

ROUNDING = 1e-9  # of a number: smaller differences are none


def standard_deviation(*samples: Any) -> Bounded:
    """Estimate the standard deviation of networks within each of some samples, such as those of a data set.

    Variances are pooled, by the f = sum of n - 1 degrees of freedom of the samples. The interval is that of a bootstrap
    of the logarithm within each sample, without normality, widened as Student's is for f. The standard error of the
    logarithm is at least that of normal numbers, (2 f)^-1/2: few networks are not enough for a bootstrap. Resamples
    without spread, such as one network several times, have no logarithm and are left out. Raises Undetermined for f
    below 2, and where all networks of each sample are alike: the next one may differ.
    """
    groups = [group for group in map(finite_values, samples) if len(group)]
    n = sum(map(len, groups))
    freedom = n - len(groups)
    if freedom < 2:
        of = f" of {len(groups)} data sets" if len(groups) > 1 else ""
        raise Undetermined(f"{n} networks{of} have no standard deviation that could be trusted; 3 of one data set do")
    sd = math.sqrt(sum(group.var() * len(group) for group in groups) / freedom)
    if sd <= ROUNDING * max(abs(group).max() for group in groups):
        raise Undetermined(f"all {n} networks{' of a data set' if len(groups) > 1 else ''} have the same value")
    generator = np.random.default_rng(0)
    picked = (group[generator.integers(0, len(group), (RESAMPLES, len(group)))] for group in groups)
    spreads = np.sqrt(sum(values.var(1) * values.shape[1] for values in picked) / freedom)
    error = max(float(np.log(spreads[spreads > ROUNDING * sd]).std()), (2 * freedom) ** -0.5)
    half = student.ppf(0.975, freedom) * error
    fixed = ONE_CHOICE if len(groups) > 1 else ONE_DATA_SET
    return Bounded(sd, count=n, low=sd * math.exp(-half), high=sd * math.exp(half), fixed=fixed)
