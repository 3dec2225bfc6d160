"""Environment variables that a job reads, checked before it computes."""

import math
import os
import re
from collections.abc import Callable
from typing import NamedTuple


class VariableError(ValueError):
    """Raised for an environment variable with an invalid value; one sentence that names it."""


class Rule(NamedTuple):
    """A test of a value, and the allowed values in words."""

    allows: Callable[[str], bool]
    words: str


def _is_duration(value: str) -> bool:
    try:
        return 0 <= float(value) < math.inf
    except ValueError:
        return False


THREADS = "OMP_NUM_THREADS"
DEVICES = "cpu, cuda, mps or xpu, with a number where there are several: cuda:1"
DURATION = Rule(_is_duration, "a number of seconds, 0 or more")
RULES = {
    THREADS: Rule(lambda value: re.fullmatch(r"\s*[1-9]\d{0,5}\s*(,.*)?", value) is not None, "a number of threads"),
    "ISOBATH_SAVE_EVERY": DURATION,
    "ISOBATH_TIME_LIMIT": DURATION,
    "ISOBATH_DEVICE": Rule(lambda value: re.fullmatch(r"(cpu|cuda|mps|xpu)(:\d+)?", value) is not None, DEVICES),
}


def check() -> None:
    """Refuse variables that mean nothing; of a list of threads, which OpenMP allows, keep the first for all readers.

    An empty value is one that is not set. Raises VariableError.
    """
    for name, rule in RULES.items():
        value = os.environ.get(name)
        if value and not rule.allows(value):
            raise VariableError(f"${name} is {value[:80]!r}; it must be {rule.words}")
    if threads := os.environ.pop(THREADS, ""):
        os.environ[THREADS] = threads.partition(",")[0].strip()
