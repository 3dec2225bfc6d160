"""The spread of networks: their standard deviation, with an interval."""

import math
from typing import Any

import numpy as np
from scipy.stats import t as student

from isobath.analysis.estimates import ONE_DATA_SET, Bounded, Undetermined
from isobath.analysis.standard_errors import finite_values


def standard_deviation(values: Any) -> Bounded:
    """Estimate a standard deviation over three networks or more, by a bootstrap of its logarithm, without normality.

    Resamples without any spread, such as one network several times, have no logarithm and are left out. Raises
    Undetermined for fewer networks, and where all are alike: the next one may differ. The interval is widened as
    Student's is for the number of networks.
    """
    finite = finite_values(values)
    if len(finite) < 3:
        raise Undetermined(f"{len(finite)} networks have no standard deviation that could be trusted; 3 do")
    if finite.min() == finite.max():
        raise Undetermined(f"all {len(finite)} networks have the same value")
    sd, n = float(finite.std(ddof=1)), len(finite)
    picks = np.random.default_rng(0).integers(0, n, (2000, n))
    spreads = finite[picks].std(1, ddof=1)
    half = student.ppf(0.975, n - 1) * float(np.log(spreads[spreads > 0]).std())
    return Bounded(sd, count=n, low=sd * math.exp(-half), high=sd * math.exp(half), fixed=ONE_DATA_SET)
