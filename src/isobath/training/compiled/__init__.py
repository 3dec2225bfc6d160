"""Compiled training: the epochs of a perceptron on a CPU, one network after the other, by Numba and SciPy's BLAS.

A stack of small networks trains at the speed of the interpreter and of memory. Here an epoch is one call, and a
network stays in the cache from its first step of an epoch to its last; what it becomes cannot depend on its stack.

What Numba compiled is kept on disk, in a folder that is named by the code which was compiled: Numba itself looks only
at the date of one file, and would go on with the old derivative of a loss that was edited.
"""

import hashlib
import os
from pathlib import Path

import numba

from isobath.sources import text

_PACKAGE = Path(__file__).parents[2]
_SOURCES = ("training/compiled", "losses", "protocols")


def _digest() -> str:
    sources = [file for folder in _SOURCES for file in sorted((_PACKAGE / folder).glob("*.py"))]
    return hashlib.sha256("\0".join(map(text, sources)).encode()).hexdigest()[:16]


def _cache() -> Path:
    """Return the folder of compiled code: beside this package, or that of the user where it cannot be written."""
    beside = Path(__file__).parent
    if os.access(beside, os.W_OK):
        return beside / "__pycache__" / f"numba-{_digest()}"
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return user / "isobath" / f"numba-{_digest()}"


numba.config.CACHE_DIR = str(_cache())  # read when a function is declared, so before any is imported
