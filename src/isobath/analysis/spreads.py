"""The spread of networks: their standard deviation, with an interval."""

import math
from typing import Any

import numpy as np
from scipy.stats import t as student

from isobath.analysis.estimates import ONE_DATA_SET, Bounded, Undetermined
from isobath.analysis.standard_errors import finite_values

ROUNDING = 1e-9  # of a number: smaller differences are none


def standard_deviation(values: Any) -> Bounded:
    """Estimate a standard deviation over three networks or more, by a bootstrap of its logarithm, without normality.

    The standard error of the logarithm is at least that of normal numbers, (2 (n - 1))^-1/2: few networks are not
    enough for a bootstrap. Resamples without spread, such as one network several times, have no logarithm and are left
    out. Raises Undetermined for fewer networks, and where all are alike: the next one may differ. The interval is
    widened as Student's is for the number of networks.
    """
    finite = finite_values(values)
    n, sd = len(finite), float(finite.std(ddof=1)) if len(finite) > 1 else 0.0
    if n < 3:
        raise Undetermined(f"{n} networks have no standard deviation that could be trusted; 3 do")
    if sd <= ROUNDING * abs(finite).max():
        raise Undetermined(f"all {n} networks have the same value")
    picks = np.random.default_rng(0).integers(0, n, (2000, n))
    spreads = finite[picks].std(1, ddof=1)
    error = max(float(np.log(spreads[spreads > ROUNDING * sd]).std()), (2 * (n - 1)) ** -0.5)
    half = student.ppf(0.975, n - 1) * error
    return Bounded(sd, count=n, low=sd * math.exp(-half), high=sd * math.exp(half), fixed=ONE_DATA_SET)
