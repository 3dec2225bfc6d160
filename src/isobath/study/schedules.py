"""Schedules: the epochs at which a training is recorded."""

import math

MOST = 5000  # recordings of a training: their epochs stand in the spec, which is an argument of a command


def log_spaced(last: int, per_decade: int) -> list[int]:
    """Return epochs from 0 to ``last``, both included, about ``per_decade`` per factor of ten, increasing."""
    count = math.ceil(math.log10(last) * per_decade - 1e-9)
    return sorted({0, last, *(round(10 ** (i / per_decade)) for i in range(count))})


def evenly_spaced(last: int, every: int) -> list[int]:
    """Return epochs from 0 to ``last``, both included, in steps of ``every``, increasing."""
    return [*range(0, last, every), last]


def counted(last: int, *, per_decade: int = 0, every: int = 0) -> int:
    """Return how many epochs the schedule of one of the two has; an even one, which can be very long, is not made."""
    if every:
        return -(-last // every) + 1
    return len(log_spaced(last, per_decade)) if per_decade else 0
