"""Numbers that are measured on several units, their sums and 95 % intervals, written out for oracles of claims."""

import math
from typing import NamedTuple

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

FEW = 5  # units, up to which the errors of units and of the test set have quantiles of their own


class Expected(NamedTuple):
    """The record that a criterion should give: its number and interval, its bounds, its units, if it is a check."""

    estimate: float
    low: float
    high: float
    above: float = -math.inf
    below: float = math.inf
    count: int = 0
    check: bool = False


class Measured(NamedTuple):
    """A number by unit, (units,), and the standard error of a test set that all units share."""

    values: np.ndarray
    sample: float = 0.0

    @property
    def mean(self):
        return float(np.mean(self.values))

    @property
    def ends(self):
        """Return mean +- t s / sqrt(n) of n units, with the error of the test set added in quadrature.

        The freedoms of both together are Welch's and Satterthwaite's; few units have their quantile by themselves.
        """
        n = len(self.values)
        spread = float(np.std(self.values, ddof=1)) / math.sqrt(n)
        if self.sample and n <= FEW:
            half = math.hypot(student.ppf(0.975, n - 1) * spread, norm.ppf(0.975) * self.sample)
        else:
            error = math.hypot(spread, self.sample)
            half = student.ppf(0.975, (n - 1) * (error / spread) ** 4) * error
        return self.mean - half, self.mean + half

    def expected(self, **bounds):
        """Return what a criterion on the number should say."""
        return Expected(self.mean, *self.ends, count=len(self.values), **bounds)


def combined(factors, numbers):
    """Return the sum of measurements times factors, unit by unit; each has a test set of its own."""
    values = sum(factor * number.values for factor, number in zip(factors, numbers, strict=True))
    squares = sum((factor * number.sample) ** 2 for factor, number in zip(factors, numbers, strict=True))
    return Measured(values, math.sqrt(squares))


def difference(first, second):
    """Return a measurement minus another, unit by unit."""
    return combined([1, -1], [first, second])


def weights_of_slope(x):
    """Return the factors with which numbers enter their least-squares slope against x."""
    return (np.asarray(x) - np.mean(x)) / np.sum((np.asarray(x) - np.mean(x)) ** 2)


def slope(x, numbers):
    """Return the least-squares slope of measurements against x, unit by unit."""
    return combined(weights_of_slope(x), numbers)


def farthest(expected):
    """Return the number whose interval reaches farthest from 0."""
    return max(expected, key=lambda one: max(abs(one.low), abs(one.high)))


def exact(value, **bounds):
    """Return what a criterion on a number without an error should say."""
    return Expected(value, value, value, **bounds)
