"""The error of a few units together with that of a test sample: each has its own quantiles, added in quadrature."""

import math

from scipy.optimize import brentq
from scipy.stats import norm
from scipy.stats import t as student

RARE = -300.0  # ln of the least probability that is told from 0


def reach(tail: float, *, spread: float, sample: float, count: int) -> float:
    """Return the distance that the error of ``count`` units and of a sample exceed to one side with probability tail.

    Quantiles are Student's, times the standard error ``spread`` of the units, and normal ones, times ``sample``.
    """
    return math.hypot(student.isf(tail, count - 1) * spread, norm.isf(tail) * sample)


def tail_beyond(distance: float, *, spread: float, sample: float, count: int) -> float:
    """Return the probability that the errors of ``reach`` exceed a distance to one side."""

    def excess(ln: float) -> float:
        return reach(math.exp(ln), spread=spread, sample=sample, count=count) - distance

    return math.exp(float(brentq(excess, RARE, math.log(0.5))) if excess(RARE) > 0 else RARE)
