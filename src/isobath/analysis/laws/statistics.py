"""Statistics of samples of networks: arrays end in (draw, seed), and a network that is missing is NaN."""

from typing import Literal

import numpy as np

Statistic = Literal["mean", "median", "root_mean_square"]
EQUAL = 1e-12  # values whose range is this fraction of the largest differ by rounding alone


def degrees(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count networks, and degrees of freedom of their spread within draws, each (...) of values (..., d, s)."""
    present = ~np.isnan(values)
    n = present.sum((-2, -1))
    return n, n - present.any(-1).sum(-1)


def reduce(values: np.ndarray, statistic: Statistic) -> np.ndarray:
    """Return the statistic (...) over all networks of values (..., d, s), NaN where there is none."""
    flat = values.reshape(*values.shape[:-2], values.shape[-2] * values.shape[-1])
    present = ~np.isnan(flat)
    n = present.sum(-1)
    if statistic == "median":
        ordered = np.sort(flat, -1)  # NaN last
        middle = [np.take_along_axis(ordered, i[..., None], -1)[..., 0] for i in (np.maximum(n - 1, 0) // 2, n // 2)]
        return np.where(n > 0, (middle[0] + middle[1]) / 2, np.nan)
    powered = np.where(present, flat**2 if statistic == "root_mean_square" else flat, 0.0)
    mean = np.where(n > 0, powered.sum(-1) / np.maximum(n, 1), np.nan)
    return np.sqrt(mean) if statistic == "root_mean_square" else mean


def standard_error(values: np.ndarray, statistic: Statistic) -> np.ndarray:
    """Return the standard error (...) of the mean or of the root mean square over networks of values (..., d, s).

    The variance is pooled over draws, with n - d degrees of freedom; NaN where that is 0. Values that are equal but for
    rounding have an error of 0. The error of the root mean square follows from that of the mean square.
    """
    if statistic == "root_mean_square":
        size = reduce(values, "root_mean_square")
        return standard_error(values**2, "mean") / np.where(size > 0, 2 * size, np.inf)
    n, freedom = degrees(values)
    present = ~np.isnan(values)
    means = np.where(present, values, 0.0).sum(-1, keepdims=True) / np.maximum(present.sum(-1, keepdims=True), 1)
    squares = (np.where(present, values - means, 0.0) ** 2).sum((-2, -1))
    largest = np.where(present, abs(values), 0.0).max((-2, -1), initial=0.0)
    squares = np.where(squares > n * (EQUAL * largest) ** 2, squares, 0.0)
    return np.where(freedom > 0, np.sqrt(squares / np.maximum(freedom, 1) / np.maximum(n, 1)), np.nan)
