"""Patches of Snakemake's classes and modules: a function of theirs is wrapped, where their version has it."""

import functools
from collections.abc import Callable
from typing import Any


def wrap(owner: Any, name: str, wrapper: Callable[[Any], Any]) -> bool:
    """Replace a function of a class or module by ``wrapper`` of it; False, and no change, if there is no such one."""
    original = getattr(owner, name, None)
    if original is None:
        return False
    setattr(owner, name, functools.wraps(original)(wrapper(original)))
    return True
