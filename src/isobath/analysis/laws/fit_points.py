"""Fit of a law to points with standard errors."""

from dataclasses import dataclass

import numpy as np

from isobath.analysis.laws.intervals import probability
from isobath.analysis.laws.law import Law
from isobath.analysis.laws.least_squares import Data, solve
from isobath.analysis.laws.statistics import EQUAL


@dataclass(frozen=True)
class Fit:
    """A fitted law. Where ``reason`` says why it is not justified, all numbers are NaN."""

    parameters: dict[str, float]
    chi2: float = np.nan
    dof: float = np.nan
    p_value: float = np.nan
    r2: float = np.nan
    reason: str = ""


def needed(law: Law) -> int:
    """Return the number of points that a law needs."""
    return len(law.names) + 2


def fit_points(x: np.ndarray, y: np.ndarray, error: np.ndarray, law: Law, *, freedom: float = np.inf) -> Fit:
    """Fit a law to points x, y with standard errors, each (p,); ``freedom``: degrees of freedom behind an error.

    As many points are needed as parameters + 2. Errors that are all 0 are unknown: every point
    counts the same, and there is no chi2.
    """
    reason = _refusal(x, y, error, needed(law))
    if reason:
        return Fit(dict.fromkeys(law.names, np.nan), reason=reason)
    weight = 1 / np.where(error > 0, error, 1.0)
    values, (chi2,), (reason,) = solve(Data(law, x[None], y[None], weight[None]))
    if reason:
        return Fit(dict.fromkeys(law.names, np.nan), reason=reason)
    total = float(((weight * (y - np.average(y, weights=weight**2))) ** 2).sum())
    dof, known = len(x) - len(law.names), bool(error.any())
    return Fit(
        dict(zip(law.names, values[0].tolist(), strict=True)),
        chi2=float(chi2) if known else np.nan,
        dof=dof,
        p_value=probability(float(chi2), dof, freedom) if known else np.nan,
        r2=1 - float(chi2) / total if total > 0 else np.nan,
    )


def _refusal(x: np.ndarray, y: np.ndarray, error: np.ndarray, needed: int) -> str:
    """Say why points cannot be fitted, "" where they can."""
    if len(np.unique(x)) < needed:
        return f"{len(np.unique(x))} points; {needed} are needed, of several networks or data sets each"
    if not np.isfinite([x, y, error]).all():
        return "a value or its error is not finite"
    if error.any() and not (error > 0).all():
        return f"the error at x = {x[error <= 0][0]:g} is {error[error <= 0][0]:g}; it must be positive"
    if np.ptp(y) <= EQUAL * np.abs(y).max():
        return f"all values are {y[0]:g}; values that differ are needed, since equal ones fit any exponent"
    return ""
