"""Schedules of epochs at which a training is recorded."""

import math


def log_spaced(last: int, per_decade: int) -> list[int]:
    """Return increasing epochs from 0 to ``last``, both included, about ``per_decade`` per factor of ten."""
    count = math.ceil(math.log10(last) * per_decade - 1e-9)
    return sorted({0, last, *(round(10 ** (i / per_decade)) for i in range(count))})


def evenly_spaced(last: int, every: int) -> list[int]:
    """Return increasing epochs from 0 to ``last``, both included, ``every`` epochs apart but for the last."""
    return [*range(0, last, every), last]
