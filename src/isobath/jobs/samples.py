"""Samples that a task returned, compared with its contract before anything is trained on them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from isobath.plugin_arrays import refused, shaped
from isobath.tasks import Ends

Samples = tuple[np.ndarray, np.ndarray]


def checked(verb: Callable[..., Any], inputs: np.ndarray, truth: np.ndarray, n: int, ends: Ends) -> Samples:
    """Return ``n`` inputs and labels or targets of a task, ``sample`` or ``split``, if they are those of its ``ends``.

    Raises ValueError, one sentence, for other shapes, types or classes, and for numbers that are not finite.
    """
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
            raise refused(verb, f"labels of the type {truth.dtype}", "int64")
        if not 0 <= truth.min() <= truth.max() < ends.outputs:
            raise refused(verb, f"labels from {truth.min()} to {truth.max()}", f"0 to {ends.outputs - 1}")
    if not (np.isfinite(inputs).all() and np.isfinite(truth).all()):
        raise refused(verb, "inputs or targets that are not finite", "finite numbers")
    return inputs, truth
