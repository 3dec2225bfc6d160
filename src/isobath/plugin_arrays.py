"""The arrays that plug-ins return, compared with the shapes and the types that the contract of their family names."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

Returned = TypeVar("Returned")


def shaped(function: Callable[..., Any], array: Returned, shape: tuple[int, ...], name: str) -> Returned:
    """Return an array that a function of a plug-in made, if it has a shape.

    Raises ValueError, one sentence with the file, the function, ``name`` of the array, its shape and the allowed one.
    """
    actual = tuple(getattr(array, "shape", ()))
    if actual != tuple(shape):
        raise refused(function, f"{name} of the shape {actual}", str(tuple(shape)))
    return array


def refused(function: Callable[..., Any], returned: str, allowed: str) -> ValueError:
    """Return the error of a function of a plug-in that returned an array which is not allowed."""
    while isinstance(function, partial):
        function = function.func
    file = function.__module__.removeprefix("isobath.").replace(".", "/")
    return ValueError(f"{file}.py: {function.__name__} returned {returned}; allowed: {allowed}")
