"""Elementary functions of arrays: what the profile of a kernel may use beyond arithmetic operators.

The same profile serves torch tensors, NumPy arrays and object arrays of mpmath numbers, since it takes its functions
from here. Augmented assignment (``e *= 2``) works in the place of all three.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any  # a torch tensor, a NumPy array of floats, or one of mpmath numbers


@dataclass(frozen=True)
class Functions:
    """Functions of one kind of array. All are elementwise."""

    pi: Any
    sqrt: Callable[[Array], Array]
    exp: Callable[[Array], Array]
    sin: Callable[[Array], Array]
    atan2: Callable[..., Array]  # of (y, x, out=...)
    multiply: Callable[..., Array]  # of (a, b, out=...)
    subtract: Callable[..., Array]  # of (a, b, out=...)
    affine: Callable[..., Array]  # of (a, b, z, out=...): a + b z with numbers a and b
    root: Callable[[Array], Array]  # the square root of what is positive, next to 0 elsewhere; overwrites its argument
    add_product: Callable[..., Array]  # of (a, b, c, scale=1, out=...): a + scale b c; out may be a
    workspace: Callable[[Array, int], Any]  # k arrays to write into, of the shape of a given one


def _affine(a: Any, b: Any, z: Array, *, out: Array) -> Array:
    np.multiply(b, z, out=out)
    out += a
    return out


def _root(z: Array) -> Array:
    return np.sqrt(np.maximum(z, 0))


def _add_product(a: Array, b: Array, c: Array, *, out: Array, scale: Any = 1) -> Array:
    return np.add(a, scale * b * c, out=out)


def _workspace(a: Array, k: int) -> Array:
    return np.empty((k, *a.shape), a.dtype)


NUMPY = Functions(
    pi=np.pi,
    sqrt=np.sqrt,
    exp=np.exp,
    sin=np.sin,
    atan2=np.atan2,
    multiply=np.multiply,
    subtract=np.subtract,
    affine=_affine,
    root=_root,
    add_product=_add_product,
    workspace=_workspace,
)


def multiprecision(context: Any) -> Functions:
    """Return the functions of object arrays whose numbers have the precision of ``context``, such as ``mpmath.mp``."""
    sqrt = np.frompyfunc(context.sqrt, 1, 1)
    return Functions(
        pi=+context.pi,
        sqrt=sqrt,
        exp=np.frompyfunc(context.exp, 1, 1),
        sin=np.frompyfunc(context.sin, 1, 1),
        atan2=np.frompyfunc(context.atan2, 2, 1),
        multiply=np.multiply,
        subtract=np.subtract,
        affine=_affine,
        root=lambda z: sqrt(np.maximum(z, 0)),
        add_product=_add_product,
        workspace=_workspace,
    )
