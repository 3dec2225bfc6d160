"""Elementary functions of arrays: what the profile of a kernel may use beyond arithmetic operators.

The same profile serves torch tensors, NumPy arrays and object arrays of mpmath numbers, since it takes its functions
from here. Augmented assignment (``e *= 2``) works in the place of all three.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any  # a torch tensor, a NumPy array of floats, or one of mpmath numbers
TINY = 1e-307  # in the place of 0 where it would be divided by


@dataclass(frozen=True)
class Functions:
    """Functions of one kind of array. All are elementwise."""

    pi: Any
    sqrt: Callable[[Array], Array]
    exp: Callable[[Array], Array]
    sin: Callable[[Array], Array]
    arctan: Callable[..., Array]  # of (z, out=...)
    root_of_ratio: Callable[..., Array]  # of (a, b, out=...): sqrt(a / b), 0 where a is not positive; 0 <= b
    multiply: Callable[..., Array]  # of (a, b, out=...)
    subtract: Callable[..., Array]  # of (a, b, out=...)
    add_product: Callable[..., Array]  # of (a, b, c, scale=1, out=...): a + scale b c; out may be a
    workspace: Callable[[Array, int], Any]  # k arrays to write into, of the shape of a given one
    relu_layer: Callable[..., None] | None = None  # regression.arc_cosine._layer in compiled code, where there is one


def _add_product(a: Array, b: Array, c: Array, *, out: Array, scale: Any = 1) -> Array:
    return np.add(a, scale * b * c, out=out)


def _workspace(a: Array, k: int) -> Array:
    return np.empty((k, *a.shape), a.dtype)


NUMPY = Functions(
    pi=np.pi,
    sqrt=np.sqrt,
    exp=np.exp,
    sin=np.sin,
    arctan=np.arctan,
    root_of_ratio=lambda a, b, *, out: np.sqrt(np.maximum(a, 0, out=out) / np.maximum(b, TINY), out=out),
    multiply=np.multiply,
    subtract=np.subtract,
    add_product=_add_product,
    workspace=_workspace,
)


def multiprecision(context: Any) -> Functions:
    """Return the functions of object arrays whose numbers have the precision of ``context``, such as ``mpmath.mp``."""
    sqrt, tiny = np.frompyfunc(context.sqrt, 1, 1), context.mpf(10) ** -10_000
    return Functions(
        pi=+context.pi,
        sqrt=sqrt,
        exp=np.frompyfunc(context.exp, 1, 1),
        sin=np.frompyfunc(context.sin, 1, 1),
        arctan=np.frompyfunc(context.atan, 1, 1),
        root_of_ratio=lambda a, b, *, out: sqrt(np.maximum(a, 0) / np.maximum(b, tiny), out=out),
        multiply=np.multiply,
        subtract=np.subtract,
        add_product=_add_product,
        workspace=_workspace,
    )
