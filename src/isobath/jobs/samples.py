"""Samples that a task returned, compared with its contract before anything is trained on them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from isobath.plugin_arrays import refused, shaped
from isobath.tasks import Ends

Samples = tuple[np.ndarray, np.ndarray]


def pair(verb: Callable[..., Any], returned: Any, of: str) -> tuple[Any, Any]:
    """Return the two parts of what a task returned, a pair of ``of``. Raises ValueError for what is no pair."""
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        count = f" of {len(returned)}" if isinstance(returned, tuple | list) else ""
        raise refused(verb, f"a {type(returned).__name__}{count}", f"a pair, of {of}")
    return returned[0], returned[1]


def checked(verb: Callable[..., Any], returned: Any, n: int, ends: Ends) -> Samples:
    """Return ``n`` inputs and labels or targets of a task, ``sample`` or ``split``, if they are those of its ``ends``.

    Raises ValueError, one sentence, for what is no pair, for other shapes, types or classes, for masked arrays, and for
    numbers that are not finite.
    """
    inputs, truth = pair(verb, returned, "inputs and labels or targets")
    if any(map(np.ma.isMaskedArray, (inputs, truth))):
        raise refused(verb, "a masked array", "arrays of numbers, without a mask")
    shaped(verb, inputs, (n, ends.features), "inputs")
    if inputs.dtype not in (np.float32, np.float64):
        raise refused(verb, f"inputs of the type {inputs.dtype}", "float32 or float64")
    if ends.real:
        shaped(verb, truth, (n, ends.outputs), "targets")
        if truth.dtype.kind != "f":
            raise refused(verb, f"targets of the type {truth.dtype}", "a float type")
    else:
        shaped(verb, truth, (n,), "labels")
        if truth.dtype != np.int64:
            targets = ", and of real targets, where ends says real=True, floats" if truth.dtype.kind == "f" else ""
            raise refused(verb, f"labels of the type {truth.dtype}", f"int64{targets}")
        if not 0 <= truth.min() <= truth.max() < ends.outputs:
            raise refused(verb, f"labels from {truth.min()} to {truth.max()}", f"0 to {ends.outputs - 1}")
    if not (np.isfinite(inputs).all() and np.isfinite(truth).all()):
        raise refused(verb, "inputs or targets that are not finite", "finite numbers")
    return inputs, truth
