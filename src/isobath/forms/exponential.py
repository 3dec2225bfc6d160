"""An exponential decay, y = c exp(-(x / tau)^beta), with or without a constant; beta is 1 unless it is free.

- ``constant``: whether a constant is added
"""

import numpy as np

from isobath.forms import Bounds

STRETCH = Bounds(0.1, 5.0, 0.0)


def basis(x: np.ndarray, theta: np.ndarray, *, free: bool, constant: bool = False) -> np.ndarray:
    """Return exp(-(x / tau)^beta), and 1 if ``constant``: (..., n, k) for x (..., n) >= 0; theta: tau, then beta."""
    ratio = x / theta[..., :1]
    decay = np.exp(-(ratio ** theta[..., 1:])) if free else np.exp(-ratio)
    return np.stack([decay, np.ones_like(decay)] if constant else [decay], -1)


def parameters(x: np.ndarray, *, free: bool, constant: bool = False) -> dict[str, Bounds]:
    """Bound tau by a tenth of the smallest spacing of x (..., n) and ten times its range; beta if ``free``."""
    ordered = np.sort(x, -1)
    steps, spread = np.diff(ordered, axis=-1), np.ptp(ordered, -1)
    spread = np.where(spread > 0, spread, 1.0)
    spacing = np.minimum(np.min(np.where(steps > 0, steps, np.inf), -1, initial=np.inf), spread)
    return {"scale": Bounds(spacing / 10, spread * 10, 0.0)} | ({"exponent": STRETCH} if free else {})


def coefficients(*, constant: bool = False) -> list[str]:
    """Name the amplitude c, and the constant if there is one."""
    return ["amplitude", "constant"] if constant else ["amplitude"]


def formula(x: str, *, constant: bool = False) -> str:
    """Return c exp(-x / tau), and a constant if there is one."""
    return rf"c_0 e^{{-{x} / \tau}}" + (" + c" if constant else "")


def check(*, constant: bool = False) -> None:
    """Accept both settings: each makes a law."""
