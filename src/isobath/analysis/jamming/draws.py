"""Intervals of N* over draws of the data, which are resampled: of one threshold, and of how far two lie apart.

They are as wide as the standard deviation over resamples says, widened as Student's interval is for d draws.
"""

import math
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from isobath.analysis.jamming.logistic import locate
from isobath.analysis.standard_errors import TOO_MANY

LISTED = 2000  # resamples up to which all are taken: those of seven draws are 1716
ALIKE = 1e-9  # the largest standard error of ln N* of resamples that differ by rounding alone


class Resamples(NamedTuple):
    """Resamples (b, d) of d draws, and the probability of each (b,)."""

    picks: np.ndarray
    shares: np.ndarray

    def lost(self, values: np.ndarray) -> str:
        """Return the sentence that says that too many resamples have no value (b,), "" where they have."""
        lost = float(self.shares[~np.isfinite(values)].sum())
        return f"{lost:.0%} of the resamples of the draws have no threshold" if lost > TOO_MANY else ""

    def spread(self, values: np.ndarray) -> float:
        """Return the standard deviation of values (b,) over resamples; infinite ones are left out."""
        finite = np.isfinite(values)
        shares = self.shares[finite] / self.shares[finite].sum()
        mean = float(shares @ values[finite])
        return math.sqrt(float(shares @ (values[finite] - mean) ** 2))

    def alike(self, values: np.ndarray) -> bool:
        """Tell whether values (b,) are the same on all resamples, which then say nothing of their error."""
        return self.spread(values) <= ALIKE

    def half_width(self, values: np.ndarray) -> float:
        """Return half of the 95 % interval of a number with values (b,) on resamples."""
        draws = self.picks.shape[1]
        return float(student.ppf(0.975, draws - 1)) * math.sqrt(draws / (draws - 1)) * self.spread(values)


def resamples(draws: int, generator: np.random.Generator, count: int) -> Resamples:
    """Return all resamples of a few draws, which leaves nothing to chance, and ``count`` random ones of more."""
    if math.comb(2 * draws - 1, draws) > LISTED:
        return Resamples(generator.integers(0, draws, (count, draws)), np.full(count, 1 / count))
    picks = np.array([*combinations_with_replacement(range(draws), draws)])
    repeats = (picks[:, :, None] == np.arange(draws)).sum(1)
    orders = [math.factorial(draws) / math.prod(map(math.factorial, row)) for row in repeats.tolist()]
    return Resamples(picks, np.array(orders) / draws**draws)


def of_resamples(fitted: np.ndarray, sizes: np.ndarray, taken: Resamples) -> tuple[np.ndarray, np.ndarray]:
    """Return ln N* and the logarithm of the range (b,) on resamples of the draws of fitted (w, d, s), none missing."""
    n = np.full(len(sizes), fitted[0].size)
    middles, _, _, spreads = locate(fitted.sum(2)[:, taken.picks].sum(2).T, n, np.log(sizes))
    return middles, spreads
