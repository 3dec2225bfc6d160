"""Ranges: numbers that are known to a factor."""

from typing import NamedTuple


class Range(NamedTuple):
    """A number with the interval that holds it in four cases of five."""

    low: float
    middle: float
    high: float


PRIOR = Range(1 / 3, 1.0, 3.0)  # time of a job's work over its counted cost, without past jobs
