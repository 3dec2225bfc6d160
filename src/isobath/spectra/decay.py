"""Decay of the eigenvalues of zonal kernels: predictions by the singularities at u = 1 and -1, and fits to compare.

Bietti & Bach: if kappa(1 - t) = p(t) + c_1 t^nu + ..., kappa(-1 + t) = p(t) + c_-1 t^nu + ... with polynomials p and
nu not an integer, then mu_k ~ k^(-d - 2 nu + 1). Sharpened, with the constant:

    mu_k ~ (c_1 + (-1)^k c_-1) mu_k[(1 - u)^nu].
"""

from typing import NamedTuple

import mpmath
import numpy as np
from scipy.special import gammaln

SLOW = 0.25  # up to this nu the next orders fall as k^(-1/2) and have terms of their own in a fit
LEAST_POINTS = 12  # of one parity, for an exponent
PARTS = 3  # of the range of a fit that are fitted by themselves, each by more points than terms
SLOW_POWERS = (-0.5, -1.0)  # of k' in a fit, beside 1 and log k'


class Singularities(NamedTuple):
    """The leading singularities of a kernel on the sphere: c_1 (1 - u)^nu at 1 and c_-1 (1 + u)^nu at -1."""

    nu: float
    at_one: float
    at_minus_one: float

    def exponent(self, dimension: int) -> float:
        """Return the exponent of k that the theorem gives."""
        return -dimension - 2 * self.nu + 1

    def eigenvalues(self, dimension: int, degrees: int) -> np.ndarray:
        """Return mu_k, k = 0 .. ``degrees``, as the singularities predict it for large k."""
        signs = (-1.0) ** np.arange(degrees + 1)
        return np.asarray((self.at_one + signs * self.at_minus_one) * of_power(self.nu, dimension, degrees))

    @property
    def slow(self) -> bool:
        """Tell whether the next orders fall so slowly that they need terms of their own in a fit."""
        return self.nu <= SLOW

    @property
    def basis(self) -> str:
        """Name the functions of k' that the logarithm of mu_k is fitted with: see ``fit`` and ``effective_degrees``."""
        return "1, log k', k'^(-1/2), k'^(-1)" if self.slow else "1, log k'"


def of_power(nu: float, dimension: int, degrees: int) -> np.ndarray:
    """Return mu_k of (1 - u)^nu, k = 0 .. ``degrees``, exactly:

    Gamma(d/2) / sqrt(pi) Gamma(k - nu) / Gamma(-nu) 2^(nu + d - 2) Gamma(nu + (d - 1)/2) / Gamma(nu + k + d - 1).
    """
    d, x = mpmath.mpf(dimension), mpmath.mpf(nu)
    first = mpmath.gamma(d / 2) * 2 ** (x + d - 2) * mpmath.gamma(x + (d - 1) / 2)
    values = [first / mpmath.sqrt(mpmath.pi) / mpmath.gamma(x + d - 1)]
    for k in range(degrees):
        values.append(values[-1] * (k - x) / (x + k + d - 1))
    return np.array([float(value) for value in values])


class Exponent(NamedTuple):
    """A fitted exponent: over the whole range of degrees, with an interval over its windows; or the reason for none."""

    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    first_degree: float = np.nan
    last_degree: float = np.nan
    reason: str = ""


def effective_degrees(degrees: np.ndarray, dimension: int, nu: float) -> np.ndarray:
    """Return k' such that the eigenvalues of (1 - u)^nu, of degrees k > nu, are a power of k' exactly:

    k'^(2 nu + d - 1) = Gamma(k + nu + d - 1) / Gamma(k - nu),    k' = k + (d - 2) / 2 + O(1 / k).

    Beyond the shift by (d - 2) / 2 this matters in many dimensions: at d = 20 the next term is a hundredth of mu_k at
    k = 200.
    """
    return np.asarray(
        np.exp((gammaln(degrees + nu + dimension - 1) - gammaln(degrees - nu)) / (2 * nu + dimension - 1))
    )


def fit(degrees: np.ndarray, values: np.ndarray, dimension: int, singular: Singularities) -> Exponent:
    """Fit the exponent of positive values (n,) at increasing degrees of one parity, of a kernel with singularities.

    log |mu_k| is regressed on 1 and log k' (``effective_degrees``); where the next orders fall slowly also on k'^(-1/2)
    and k'^(-1). The exponent is free: nu enters k' alone, whose log is that of k up to terms that vanish. The interval
    is that of the exponents of the thirds of the range, widened on both sides by their largest distance to that of the
    whole.
    """
    powers = SLOW_POWERS if singular.slow else ()
    least = max(LEAST_POINTS, PARTS * (len(powers) + 3))
    if len(degrees) < least:
        return Exponent(reason=f"{len(degrees)} degrees are accurate enough; {least} are needed")
    shifted, logs = effective_degrees(degrees, dimension, singular.nu), np.log(np.abs(values))
    exponent = _slope(shifted, logs, powers)
    pieces = zip(np.array_split(shifted, PARTS), np.array_split(logs, PARTS), strict=True)
    thirds = [_slope(x, y, powers) for x, y in pieces]
    distance = max(abs(third - exponent) for third in thirds)
    low, high = min(*thirds, exponent) - distance, max(*thirds, exponent) + distance
    return Exponent(exponent, low, high, float(degrees[0]), float(degrees[-1]))


def _slope(k: np.ndarray, logs: np.ndarray, powers: tuple[float, ...]) -> float:
    middle = np.exp(np.log(k).mean())  # scaled by it, the columns are of one size
    x = k / middle
    columns = [np.ones_like(x), np.log(x), *(x**power for power in powers)]
    solution, *_ = np.linalg.lstsq(np.stack(columns, 1), logs, rcond=None)
    return float(solution[1])
