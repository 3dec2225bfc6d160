"""Arguments of the library, checked: an error names the argument, its value and the allowed values."""

import json
import math
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from isobath.plugins import nearest


def listed(values: Any, name: str, *, least: int = 0) -> list[int]:
    """Return an integer or several distinct ones as a list. Raises ValueError."""
    given = [values] if np.ndim(values) == 0 else list(values)
    if any(isinstance(value, bool) for value in given):  # which Python takes for 0 and 1
        raise ValueError(f"{name} is {values!r}; it must be an integer, or a list of integers")
    try:
        found = [operator.index(value) for value in given]
    except TypeError:
        raise ValueError(f"{name} is {values!r}; it must be an integer, or a list of integers") from None
    if not found or min(found) < least or len(set(found)) < len(found):
        raise ValueError(f"{name} is {values!r}; integers must be {least} or more, and different")
    return found


def index(value: Any, name: str) -> int:
    """Return one integer, 0 or more. Raises ValueError."""
    if np.ndim(value):
        raise ValueError(f"{name} is {value!r}; it must be an integer")
    return listed(value, name)[0]


def counted(value: Any, name: str) -> list[int]:
    """Return the first seeds, of a number of them, or the seeds that are listed. Raises ValueError."""
    return listed(value, name) if np.ndim(value) else [*range(listed(value, name, least=1)[0])]


def number(value: Any, name: str, *, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a number from ``least`` to ``most``. Raises ValueError, also for NaN."""
    given = array(value, name)
    if given.ndim or given.dtype.kind not in "fiu" or not least <= given <= most:
        raise ValueError(
            f"{name} is {value!r}; it must be a number{f', {least:g} to {most:g}' if most < math.inf else ''}"
        )
    return float(given)


def memory(value: Any) -> float:
    """Return a number of bytes. Raises ValueError."""
    return number(value, "memory", least=1, most=1e18)


def word(value: Any, name: str) -> str:
    """Return a word. Raises ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"{name} is {value!r}; it must be a word")
    return value


def one_of(value: Any, allowed: Iterable[str], name: str) -> str:
    """Return a word that is allowed. Raises ValueError, with the nearest one."""
    words = list(allowed)
    if value not in words:
        raise ValueError(f"{name} is {value!r}; {nearest(str(value), words)}")
    return str(value)


def array(values: Any, name: str) -> np.ndarray:
    """Return values as an array. Raises ValueError for masked entries, also in a list, and for what is no array."""
    parts = values if isinstance(values, list | tuple) else [values]
    if any(map(np.ma.is_masked, parts)):  # NumPy would read what lies under the mask
        raise ValueError(f"{name} has masked entries; allowed is a masked array only if nothing of it is masked")
    try:
        return np.asarray(values)
    except (RuntimeError, TypeError, ValueError) as error:  # tensors with gradients or on a GPU, rows that differ
        why = " ".join(str(error).split())
        raise ValueError(f"{name} is {type(values).__name__}, which is no array of numbers: {why}") from None


def plain(content: Any, name: str) -> Any:
    """Return settings as JSON has them: NumPy's numbers as Python's. Raises ValueError for what JSON does not have."""
    try:
        return json.loads(json.dumps(content, default=lambda value: value.tolist()))
    except (TypeError, ValueError, AttributeError):
        raise ValueError(f"{name} is {content!r}; it must be of words, numbers, lists and mappings") from None


def plugin(given: Any, settings: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a plug-in as a study has it, from a kind or a mapping of ``kind`` and settings, and further settings."""
    if isinstance(given, str):
        given = {"kind": given}
    if not isinstance(given, dict) or "kind" not in given:
        raise ValueError(f"{name} is {given!r}; it must be a kind, or a mapping of kind and settings")
    if twice := sorted(given.keys() & settings.keys()):
        raise ValueError(f"{twice[0]} is in {name} and among the arguments; it can be given once")
    return plain({**given, **settings}, name)
