"""The error that kernel ridge regression makes on average, from eigenvalues alone (Bordelon, Canatar & Pehlevan 2020).

In the form of Simon et al. (2023), for n samples and a ridge delta = n lambda, with the effective ridge kappa:

    n = sum_k N_k L_k + (delta + tail) / kappa,   L_k = mu_k / (mu_k + kappa)
    E = n / (n - sum_k N_k L_k^2) (sum_k (1 - L_k)^2 N_k m_k^2 + noise)

``tail`` is the part of the trace beyond the degrees that are known: it acts as a ridge. ``noise`` is the power of the
target that no degree learns, such as that beyond these degrees.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq


class Spectrum(NamedTuple):
    """Eigenvalues (k,) of a kernel, the number of harmonics of each (k,), and the trace: the kernel at u = 1."""

    eigenvalues: np.ndarray
    multiplicities: np.ndarray
    trace: float

    @property
    def tail(self) -> float:
        """Return the part of the trace that is beyond the degrees of ``eigenvalues``."""
        return max(self.trace - float(self.eigenvalues @ self.multiplicities), 0.0)


class Prediction(NamedTuple):
    """A prediction for a regression.

    Its numbers are the mean squared error, the effective ridge kappa, the learnabilities L_k (k,), and the variance of
    the regressed function.
    """

    error: float
    effective_ridge: float
    learnability: np.ndarray
    variance: float


def effective_ridge(spectrum: Spectrum, n: int, ridge: float) -> float:
    """Return kappa for the ridge lambda: n lambda is added to the Gram matrix. Raises ValueError if there is none.

    There is none if the kernel has no more than n directions and neither a tail nor a ridge.
    """
    mu, counts, ridge_and_tail = spectrum.eigenvalues, spectrum.multiplicities, n * ridge + spectrum.tail

    def excess(log_kappa: float) -> float:
        kappa = np.exp(log_kappa)
        return float(counts @ (mu / (mu + kappa)) + ridge_and_tail / kappa - n)

    high = np.log((float(counts @ mu) + ridge_and_tail) / n) + 1e-9  # where even mu / kappa for L_k would not exceed n
    low = high - 200
    if excess(low) < 0:
        raise ValueError(f"{n} samples determine the regression: there is no effective ridge")
    return float(np.exp(brentq(excess, low, high, xtol=1e-13)))


def predict(spectrum: Spectrum, powers: np.ndarray, noise: float, *, n: int, ridge: float) -> Prediction:
    """Predict the regression of a target with ``powers`` N_k m_k^2 (k,) in the degrees, from n samples and lambda."""
    kappa = effective_ridge(spectrum, n, ridge)
    learned = spectrum.eigenvalues / (spectrum.eigenvalues + kappa)
    inflation = n / (n - float(spectrum.multiplicities @ learned**2))
    bias = float((1 - learned) ** 2 @ powers) + noise
    return Prediction(inflation * bias, kappa, learned, (inflation - 1) * bias)
