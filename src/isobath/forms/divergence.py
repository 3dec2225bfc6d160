"""A power law that diverges, y = c (x - x0)^p: ||f_N|| ~ (N - N*)^-1 (Jacot, Geiger et al., section 6).

- ``exponent``: exponent p of the theory
- ``pole``: place x0 of the divergence; by default it is fitted
"""

import numpy as np

from isobath.forms import Bounds

NEAREST = 1e-4  # least distance of the pole from the smallest x, in units of the smallest spacing of x
FARTHEST = 10.0  # its largest distance, in units of the range of x
EXPONENTS = Bounds(-5.0, -0.05)


def basis(
    x: np.ndarray, theta: np.ndarray, *, free: bool, exponent: float = -1.0, pole: float | None = None
) -> np.ndarray:
    """Return (x - x0)^p, (..., n, 1) for x (..., n); NaN where x <= x0.

    Theta (..., q) holds x0 unless ``pole`` gives it, then p if ``free``.
    """
    above = x - (theta[..., :1] if pole is None else pole)
    power = theta[..., -1:] if free else exponent
    return np.where(above > 0, np.where(above > 0, above, 1.0) ** power, np.nan)[..., None]


def parameters(x: np.ndarray, *, free: bool, exponent: float = -1.0, pole: float | None = None) -> dict[str, Bounds]:
    """Bound the pole x0 to below the smallest x (..., n), searched in the log of its distance; the exponent if free."""
    bounds = {}
    if pole is None:
        ordered = np.sort(x, -1)
        first, spread = ordered[..., 0], np.ptp(ordered, -1)
        steps = np.diff(ordered, axis=-1)
        spacing = np.min(np.where(steps > 0, steps, np.inf), -1, initial=np.inf)
        nearest = NEAREST * np.where(np.isfinite(spacing), spacing, 1.0)
        farthest = first - FARTHEST * np.maximum(spread, nearest)
        farthest = np.where(first > nearest, np.maximum(farthest, 0.0), farthest)  # sizes have no pole below zero
        bounds["pole"] = Bounds(farthest, first - nearest, first)
    return bounds | ({"exponent": EXPONENTS} if free else {})


def coefficients(*, exponent: float = -1.0, pole: float | None = None) -> list[str]:
    """Name the amplitude c."""
    return ["amplitude"]


def formula(x: str, *, exponent: float = -1.0, pole: float | None = None) -> str:
    """Return c (x - x0)^p."""
    return f"c ({x} - {x}_0)^{{{exponent:g}}}"


def check(*, exponent: float = -1.0, pole: float | None = None) -> None:
    """Refuse an exponent with which nothing diverges (ValueError)."""
    if not EXPONENTS.low < exponent < EXPONENTS.high:
        raise ValueError(f"exponent is {exponent}; it must lie between {EXPONENTS.low} and {EXPONENTS.high}")
