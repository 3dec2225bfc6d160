"""Schedules: the epochs at which a training is recorded."""

import math


def log_spaced(last: int, per_decade: int) -> list[int]:
    """Return epochs from 0 to ``last``, both included, about ``per_decade`` per factor of ten, increasing."""
    count = math.ceil(math.log10(last) * per_decade - 1e-9)
    return sorted({0, last, *(round(10 ** (i / per_decade)) for i in range(count))})


def evenly_spaced(last: int, every: int) -> list[int]:
    """Return epochs from 0 to ``last``, both included, in steps of ``every``, increasing."""
    return [*range(0, last, every), last]
