"""Estimates with their standard errors, and how they combine.

An estimate has two standard errors. ``networks`` is the spread over trained networks, divided by
the root of their number; it averages out over cells. ``sample`` is the binomial error of
the test set, which cells of one task share; it does not. The training set is held
fixed, as in the sources, unless a grid has several draws. Intervals are 95 %, with the Student
quantile of the smallest number of networks that took part.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from scipy.stats import beta
from scipy.stats import t as student


class NotRun(LookupError):
    """The cells that a claim needs are not in the cube, or none of their networks fitted."""


@dataclass(frozen=True)
class Estimate:
    """A number with its standard errors; ``count`` is the smallest number of networks behind it, 0 for none."""

    value: float
    networks: float = 0.0
    sample: float = 0.0
    count: int = 0

    @classmethod
    def over(cls, values: Any, *, n_test: int | None = None) -> "Estimate":
        """Estimate a mean from independent values of any shape, NaN left out; raises NotRun where none is left.

        If they are error rates on ``n_test`` samples that all share, these add their binomial error.
        """
        kept = _finite(values)
        if not len(kept):
            raise NotRun
        mean = float(kept.mean())
        sample = math.sqrt(max(mean * (1 - mean), 0) / n_test) if n_test else 0.0
        return cls(mean, standard_error(kept), sample, len(kept))

    def __mul__(self, factor: float) -> "Estimate":
        return Estimate(self.value * factor, self.networks * abs(factor), self.sample * abs(factor), self.count)

    def __add__(self, other: "Estimate") -> "Estimate":
        count = min((n for n in (self.count, other.count) if n), default=0)
        networks, sample = math.hypot(self.networks, other.networks), math.hypot(self.sample, other.sample)
        return Estimate(self.value + other.value, networks, sample, count)

    def __sub__(self, other: "Estimate") -> "Estimate":
        return self + other * -1

    def interval(self) -> tuple[float, float]:
        """Return the ends of the 95 % interval."""
        quantile = student.ppf(0.975, self.count - 1) if self.count > 1 else 1.96
        half = quantile * math.hypot(self.networks, self.sample)
        return self.value - half, self.value + half


@dataclass(frozen=True)
class Bounded(Estimate):
    """A number that comes with its interval, such as a fitted one."""

    low: float = -math.inf
    high: float = math.inf

    def interval(self) -> tuple[float, float]:
        """Return the ends that the number came with."""
        return self.low, self.high


def exactly(value: float) -> Bounded:
    """Return a number that was computed, without an error."""
    return Bounded(float(value), low=float(value), high=float(value))


def proportion(hits: int, n: int) -> Bounded:
    """Return the fraction ``hits`` of ``n``, with the interval of Clopper and Pearson. Raises NotRun for n = 0."""
    if not n:
        raise NotRun
    low = beta.ppf(0.025, hits, n - hits + 1) if hits else 0.0
    high = beta.ppf(0.975, hits + 1, n - hits) if hits < n else 1.0
    return Bounded(hits / n, low=float(low), high=float(high), count=n)


def average(estimates: Iterable[Estimate]) -> Estimate:
    """Average over cells: errors over networks average out, the test set is shared and does not. NotRun for none."""
    parts = list(estimates)
    if not parts:
        raise NotRun
    total = reduce(Estimate.__add__, parts) * (1 / len(parts))
    return Estimate(total.value, total.networks, max(p.sample for p in parts), total.count)


def paired(differences: Any, *, networks: float, count: int) -> Estimate:
    """Estimate a difference of two errors from its value at each test sample (T,) that both were tested on.

    ``networks`` is its standard error over networks, ``count`` the smaller number of these.
    """
    return Estimate(float(np.mean(differences)), networks, standard_error(differences), count)


def standard_deviation(values: Any) -> Estimate:
    """Estimate the standard deviation of three values or more, normal theory for its error. NotRun for fewer."""
    kept = _finite(values)
    if len(kept) < 3:
        raise NotRun
    sd = float(kept.std(ddof=1))
    return Estimate(sd, sd / math.sqrt(2 * (len(kept) - 1)), 0.0, len(kept))


def slope(x: np.ndarray, estimates: Iterable[Estimate]) -> Estimate:
    """Return the slope, by least squares, of independent estimates against x (n,)."""
    centred = x - x.mean()
    shares = centred / (centred**2).sum()
    return reduce(Estimate.__add__, (e * float(share) for e, share in zip(estimates, shares, strict=True)))


def standard_error(values: Any) -> float:
    """Return the standard error of the mean of independent values, NaN left out; NaN for fewer than two."""
    kept = _finite(values)
    return float(kept.std(ddof=1)) / math.sqrt(len(kept)) if len(kept) > 1 else math.nan


def _finite(values: Any) -> np.ndarray:
    """Return the finite ones of values of any shape, (n,)."""
    flat = np.asarray(values, dtype=float).ravel()
    return np.extract(np.isfinite(flat), flat)
