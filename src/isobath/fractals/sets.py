"""Fractals of Malach & Shalev-Shwartz: maps, and the boxes of the negatives of a level in a cell of the level above.

The source draws them without numbers; these are those of the authors' code. Another of the same
sort, of any dimension, needs no code: a study gives it as ``offsets`` and ``ratio`` (tasks/fractal.py).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from isobath.fractals.iterated_functions import System, complement, system


class Fractal(NamedTuple):
    """Maps, and the boxes in a cell from which negatives are drawn: (k, 2, d) corners in units of 1 / q."""

    maps: System
    negatives: np.ndarray


def _full(maps: System) -> Fractal:
    return Fractal(maps, complement(maps))


FRACTALS = {
    # Four corners; negatives come from the central third square alone.
    "cantor": Fractal(system(3, [(-2, -2), (-2, 2), (2, -2), (2, 2)]), np.array([[(-1, -1), (1, 1)]])),
    "sierpinsky": _full(system(2, [(0, 1), (-1, -1), (1, -1)])),  # of squares, where the usual one has triangles
    "vicsek": _full(system(3, [(-2, -2), (-2, 2), (2, -2), (2, 2), (0, 0)])),  # an X
    "pentaflake": _full(system(3, [(-2, 0), (2, 0), (0, 2), (-1, -2), (1, -2)])),
    # On [0, 1]: F_1(x) = 1/3 - x/3, F_2(x) = 2/3 + x/3 (section 4). F_1 reverses orientation.
    "cantor_1d": _full(system(3, [(1,), (2,)], signs=[(-1,), (1,)], low=0)),
}


def fractal(name: str, ratio: int | None, offsets: Sequence[Sequence[int]] | None) -> Fractal:
    """Return a fractal of the source by its name, or the one ``given`` by maps (x + c) / q of [-1, 1]^d.

    Raises ValueError for a ratio or offsets without ``given``, or the reverse, and for maps that make no system.
    """
    for key, value in (("offsets", offsets), ("ratio", ratio)):
        if (value is not None) != (name == "given"):
            raise ValueError(
                f"system is {name!r} and {key} is {value}; {key} must be there for the system 'given', and only then"
            )
    return FRACTALS[name] if ratio is None or offsets is None else _full(system(ratio, offsets))


def of_task(task: Mapping[str, Any]) -> Fractal:
    """Return the fractal of a task, by its settings. Raises ValueError where the task is none of tasks/fractal.py."""
    if "system" not in task:
        raise ValueError(f"the task is {dict(task)}; it must be of the kind fractal")
    return fractal(task["system"], task.get("ratio"), task.get("offsets"))
