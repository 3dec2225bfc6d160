"""Ticks of an axis at round numbers."""

import math
from collections.abc import Iterator

from isobath.page.numbers import MINUS

MOST = 4  # ticks of an axis
STEPS = (1, 2, 5)


def ticks(first: float, last: float) -> list[tuple[float, str]]:
    """Return round numbers between two ends, at most MOST, each with its text to the decimals that they need."""
    step = next(step for step in _steps((last - first) / MOST) if _count(first, last, step) <= MOST)
    values = [step * k for k in range(math.ceil(first / step), math.floor(last / step) + 1)]
    return [(value, _text(value, step)) for value in values]


def _steps(least: float) -> Iterator[float]:
    """Yield the steps 1, 2 and 5 times a power of ten from about ``least`` on."""
    power = 10.0 ** (math.floor(math.log10(least)) - 1)
    for _ in range(4):
        yield from (digit * power for digit in STEPS)
        power *= 10


def _count(first: float, last: float, step: float) -> int:
    return math.floor(last / step) - math.ceil(first / step) + 1


def _text(value: float, step: float) -> str:
    """Return a multiple of a step with the digits by which it differs from its neighbours."""
    if abs(value) < step / 2:
        return "0"
    place = math.floor(math.log10(step) + 1e-9)
    digits = max(1, math.floor(math.log10(abs(value)) + 1e-9) - place + 1)
    text = f"{value:.{max(0, -place)}f}" if place >= -4 and abs(value) < 1e5 else f"{value:.{digits}g}"
    return text.replace("-", MINUS)
