"""Arguments of the library, checked: an error names the argument, its value and the allowed values."""

import json
import math
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from isobath.plugins import nearest
from isobath.randomness import stream

MOST_NETWORKS, DEEPEST = 10**6, 1000  # of one call; hidden layers, as a study may have
LEAST_RESAMPLES = 40  # of which 95 % is an interval: the least number that has one beyond either end


def listed(values: Any, name: str, *, least: int = 0, most: int = 10**12) -> list[int]:
    """Return an integer or several distinct ones, ``least`` to ``most``, as a list. Raises ValueError."""
    integers = [_integer(value) for value in ([values] if _is_one(values) else values)]
    if None in integers:
        raise ValueError(f"{name} is {values!r}; it must be an integer, or a list of integers")
    known = [integer for integer in integers if integer is not None]
    if not known:
        raise ValueError(f"{name} is {values!r}; it must be an integer, or a list of one or more")
    if min(known) < least or len(set(known)) < len(known):
        rule = "it must be" if _is_one(values) else "integers must be different, and"
        raise ValueError(f"{name} is {values!r}; {rule} {least} or more")
    if max(known) > most:
        raise ValueError(f"{name} is {values!r}; it must be at most {most:,}")
    return known


def index(value: Any, name: str, *, least: int = 0) -> int:
    """Return one integer, ``least`` or more. Raises ValueError."""
    integer = _integer(value) if _is_one(value) else None
    if integer is None or integer < least:
        raise ValueError(f"{name} is {value!r}; it must be an integer, {least} or more")
    return integer


def _is_one(values: Any) -> bool:
    """Return whether an argument is one value; rows of different lengths, which NumPy refuses, are several."""
    try:
        return np.ndim(values) == 0
    except ValueError:
        return False


def _integer(value: Any) -> int | None:
    """Return an integer of any type but bool, which Python takes for 0 and 1; None for what is none."""
    try:
        return None if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        return None


def seeds(value: Any, name: str) -> list[int]:
    """Return the seeds 0 .. n - 1 of a number n, or the listed seeds. Raises ValueError for any other value."""
    return [*range(listed(value, name, least=1, most=MOST_NETWORKS)[0])] if _is_one(value) else listed(value, name)


def number(value: Any, name: str, *, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a number from ``least`` to ``most``. Raises ValueError, also for NaN."""
    scalar = array(value, name)
    if scalar.ndim or scalar.dtype.kind not in "fiu" or not least <= scalar <= most:
        raise ValueError(
            f"{name} is {value!r}; it must be a number{f', {least:g} to {most:g}' if most < math.inf else ''}"
        )
    return float(scalar)


def memory(value: Any) -> float:
    """Return a number of bytes. Raises ValueError."""
    return number(value, "memory", least=1, most=1e18)


def name(value: Any) -> str:
    """Return the word that is called ``name``. Raises ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"name is {value!r}; it must be a word")
    return value


def one_of(value: Any, allowed: Iterable[str], name: str) -> str:
    """Return a word that is allowed. Raises ValueError, with the nearest one."""
    words = list(allowed)
    if value not in words:
        raise ValueError(f"{name} is {value!r}; {nearest(str(value), words)}")
    return str(value)


def generator(value: Any, name: str) -> np.random.Generator:
    """Return a generator of random numbers; for None that of a stream of isobath's. Raises ValueError."""
    if value is not None and not isinstance(value, np.random.Generator):
        raise ValueError(f"generator is {value!r}; it must be a numpy.random.Generator, such as default_rng(0)")
    return stream(0, name) if value is None else value


def array(values: Any, name: str) -> np.ndarray:
    """Return values as an array. Raises ValueError for masked entries, also in a list, and for what is no array."""
    parts = values if isinstance(values, list | tuple) else [values]
    if any(map(np.ma.is_masked, parts)):  # NumPy would read what lies under the mask
        raise ValueError(f"{name} has masked entries; allowed is a masked array only if nothing of it is masked")
    try:
        return np.asarray(values)
    except (RuntimeError, TypeError, ValueError) as error:  # tensors with gradients or on a GPU, rows that differ
        reason = " ".join(str(error).split())
        raise ValueError(f"{name} is {type(values).__name__}, which is no array of numbers: {reason}") from None


def plain(content: Any, name: str) -> Any:
    """Return settings as JSON has them: NumPy's numbers as Python's. Raises ValueError for what JSON does not have."""
    try:
        return json.loads(json.dumps(content, default=lambda value: value.tolist()))
    except (TypeError, ValueError, AttributeError):
        raise ValueError(f"{name} is {content!r}; it must be of words, numbers, lists and mappings") from None


def plugin(content: Any, settings: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a plug-in as a study has it, from a kind or a mapping of ``kind`` and settings, and further settings."""
    if isinstance(content, str):
        content = {"kind": content}
    if not isinstance(content, dict) or "kind" not in content:
        raise ValueError(f"{name} is {content!r}; it must be a kind, or a mapping of kind and settings")
    if twice := sorted(content.keys() & settings.keys()):
        raise ValueError(f"{twice[0]} is in {name} and among the arguments; it can be given once")
    return plain({**content, **settings}, name)
