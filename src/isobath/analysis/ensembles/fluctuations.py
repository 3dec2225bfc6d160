"""Fluctuations of outputs over networks, and the bias that comes from the mean of few (Fig. 5, eq. 9)."""

import math
from typing import NamedTuple

import numpy as np


class Fluctuation(NamedTuple):
    """||f - fbar||^2, ``biased`` and ``unbiased``; ``networks`` (R,), whose mean is the unbiased one."""

    biased: float
    unbiased: float
    networks: np.ndarray


def fluctuations(outputs: np.ndarray, weights: np.ndarray) -> list[Fluctuation]:
    """Return the variance of the outputs (R, T, K) over networks, averaged over samples and summed over K (Fig. 5).

    The biased variance is (1/R) sum_i ||f_i - fbar||^2; the unbiased one is R / (R - 1) times that, NaN for one
    network, and its root is the ||f - fbar||_mu of eq. 9. They are given by each of the W columns of the weights (T, W)
    of the samples.
    """
    deviations = outputs - outputs.mean(0)
    squares = np.einsum("rtk,rtk->rt", deviations, deviations) @ weights / weights.sum(0)
    factor = finite_ensemble_factor(len(outputs)) ** 2
    return [Fluctuation(float(of.mean()), float(of.mean() * factor), of * factor) for of in squares.T]


def finite_ensemble_factor(networks: int, size: int = 1) -> float:
    """Return the factor that turns f^n - fbar into f^n - <f>: sqrt(1/n) / sqrt(1/n - 1/R), NaN for n = R.

    f^n, the mean of ``size`` n of the R ``networks``, has the variance 1/n about the mean over starts <f>. About
    fbar, which holds the n, it has 1/n - 1/R. For n = 1 the factor is 1 / sqrt(1 - 1/R).
    """
    return math.sqrt(1 / (1 - size / networks)) if size < networks else math.nan
