"""Rates of several contenders, measured in turns in one process, so that what slows the machine slows all."""

import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

Contender = Callable[[], int]  # does some work and says how much


class Ratio(NamedTuple):
    """Median over repeats of the quotient of two rates, and its extremes."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.3g} ({self.low:.3g} to {self.high:.3g})"


def rates(contenders: Mapping[str, Contender], *, repeats: int = 5, seconds: float = 0.4) -> dict[str, list[float]]:
    """Work per second of each contender in each repeat; each repeat runs them all, one after the other."""
    for contender in contenders.values():
        contender()  # caches, allocations, lazy imports
    found: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, contender in contenders.items():
            start, work = time.perf_counter(), 0
            while (passed := time.perf_counter() - start) < seconds:
                work += contender()
            found[name].append(work / passed)
    return found


def ratio(ours: list[float], theirs: list[float]) -> Ratio:
    quotients = [a / b for a, b in zip(ours, theirs, strict=True)]
    return Ratio(statistics.median(quotients), min(quotients), max(quotients))
