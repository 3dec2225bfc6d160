"""Standard errors of means and of error rates."""

import math
from typing import Any

import numpy as np


def standard_error(values: Any) -> float:
    """Return the standard error of the mean of independent values, NaN left out; NaN for fewer than two."""
    finite = finite_values(values)
    return float(finite.std(ddof=1)) / math.sqrt(len(finite)) if len(finite) > 1 else math.nan


def binomial_error(rate: float, n: int | None) -> float:
    """Return the standard error of an error rate on n test samples; 0 for None."""
    return math.sqrt(max(rate * (1 - rate), 0.0) / n) if n else 0.0


def finite_values(values: Any) -> np.ndarray:
    """Return the finite ones of values of any shape, (n,)."""
    flat = np.asarray(values, dtype=float).ravel()
    return np.extract(np.isfinite(flat), flat)
