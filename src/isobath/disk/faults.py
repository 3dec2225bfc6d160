"""Faults of results, as data."""

from typing import Literal, NamedTuple


class Fault(NamedTuple):
    """A faulty result: its path relative to the folder of the run, the kind of fault, and the reason."""

    path: str
    kind: Literal["missing", "damaged", "odd", "stale"]
    reason: str
