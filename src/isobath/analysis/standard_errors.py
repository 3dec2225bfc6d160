"""Standard errors of means and of error rates."""

import math
from typing import Any

import numpy as np
from scipy.stats import norm

Z = float(norm.ppf(0.975))
RESAMPLES = (
    2000  # of which quantiles are the ends of intervals: these scatter by 3 % of half, more where they are skewed
)
TOO_MANY = 0.1  # share of resamples without an estimate from which there is no interval


def standard_error(values: Any) -> float:
    """Return the standard error of the mean of independent values, NaN left out; NaN for fewer than two."""
    finite = finite_values(values)
    return float(finite.std(ddof=1)) / math.sqrt(len(finite)) if len(finite) > 1 else math.nan


def binomial_error(rate: float, n: int | None) -> float:
    """Return the standard error of an error rate on n test samples; 0 for None.

    That of a rate of 0 or 1 would be 0, though n samples show no such thing: its 95 % interval ends where that of
    Wilson does (J. Am. Stat. Assoc. 22, 209, 1927), at Z^2 / (n + Z^2). No other rate has a smaller error.
    """
    return max(Z / (n + Z**2), math.sqrt(max(rate * (1 - rate), 0.0) / n)) if n else 0.0


def is_positive(differences: Any) -> bool:
    """Tell whether the mean of independent differences exceeds its standard error.

    A single one, whose error is not known, has to be positive.
    """
    finite = finite_values(differences)
    error = standard_error(finite)
    return bool(len(finite)) and float(finite.mean()) > (0.0 if math.isnan(error) else error)


def finite_values(values: Any) -> np.ndarray:
    """Return the finite ones of values of any shape, (n,)."""
    flat = np.asarray(values, dtype=float).ravel()
    return np.extract(np.isfinite(flat), flat)
