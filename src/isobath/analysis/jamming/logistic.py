"""Place at which half of the networks fit: a logistic in ln N of greatest likelihood, or the bracket of a jump.

The range of the transition, over which the fraction that fits rises from 10 % to 90 %, is that of the same logistic.
"""

import numpy as np
from scipy.special import expit

ROUNDS = 100  # of Newton's method
TENTHS = 2 * np.log(9)  # range of a logistic of slope 1 from 10 % to 90 %


def locate(k: np.ndarray, n: np.ndarray, ln: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return ln N*, the ends of its bracket and its range, (b,), where k (b, w) of n (w,) networks fit at ln N (w,).

    The likelihood has a maximum only if a network that does not fit is larger than one that does; the bracket then has
    no width. Otherwise the slope is infinite and N* lies between the largest size with unfitted networks and the
    smallest with fitted ones; if that is one size, N* is on that side of it on which half of them fit. It is infinite
    if all fit or none does, and NaN if the fraction does not rise. A range is in ln N; where the slope is infinite
    it is 0, and its bracket is given.
    """
    ends = np.concatenate([[-np.inf], ln, [np.inf]])  # of size i: ends[i + 1]
    unfitted = np.where(k < n, np.arange(len(n)), -1).max(1) + 1  # the largest, 0 for none
    fits = np.where(k > 0, np.arange(len(n)), len(n)).min(1) + 1  # the smallest
    overlap = unfitted > fits
    single = fits == unfitted  # one size has both
    index = np.minimum(fits, len(n)) - 1
    share = k[np.arange(len(k)), index] / n[index]
    lower = np.where(single, np.where(share < 0.5, fits, fits - 1), unfitted)
    upper = np.where(single, np.where(share > 0.5, fits, fits + 1), fits)
    with np.errstate(invalid="ignore"):  # one size alone lies between minus and plus infinity
        middle = np.where(single & (share == 0.5), ends[np.minimum(fits, len(n) + 1)], (ends[lower] + ends[upper]) / 2)
    low, high = ends[np.where(single, fits - 1, unfitted)], ends[np.where(single, fits + 1, fits)]
    spread = high - low
    if overlap.any():
        middle[overlap], spread[overlap] = _half(k[overlap], n, ln)
    return middle, np.where(overlap, middle, low), np.where(overlap, middle, high), spread


def _half(k: np.ndarray, n: np.ndarray, ln: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find where the logistic of greatest likelihood is one half and its range, (b,), by Newton's method.

    Both are NaN if the logistic does not rise.
    """
    centre = np.average(ln, weights=n)
    scale = np.sqrt(np.average((ln - centre) ** 2, weights=n))
    design = np.stack([np.ones_like(ln), (ln - centre) / scale], -1)
    share = k.sum(1) / n.sum()
    rises = (k - n * share[:, None]) @ design[:, 1] > 1e-12 * n.sum()  # the likelihood is concave: its slope at 0 tells
    beta = np.stack([np.log(share / (1 - share)), np.zeros(len(k))], -1)
    pace, best = np.ones(len(k)), _likelihood(beta, design, k, n)
    for _ in range(ROUNDS):
        p = expit(beta @ design.T)
        gradient = (k - n * p) @ design
        curvature = np.einsum("bw,wi,wj->bij", n * p * (1 - p), design, design) + 1e-9 * np.eye(2)
        step = pace[:, None] * np.linalg.solve(curvature, gradient[..., None])[..., 0]
        likelihood = _likelihood(beta + step, design, k, n)
        better = rises & (likelihood > best)
        beta, best = np.where(better[:, None], beta + step, beta), np.where(better, likelihood, best)
        pace = np.where(better, np.minimum(2 * pace, 1), pace / 4)
        if not (better & (np.abs(step).max(1) > 1e-10)).any() and (pace < 1e-6)[rises].all():
            break
    slope = np.where(rises, beta[:, 1], np.nan)
    return centre - scale * beta[:, 0] / slope, scale * TENTHS / slope


def _likelihood(beta: np.ndarray, design: np.ndarray, k: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the log likelihood (b,) of k (b, w) of n (w,) networks at coefficients beta (b, 2)."""
    eta = beta @ design.T
    return np.asarray((k * eta - n * np.logaddexp(0, eta)).sum(1))
