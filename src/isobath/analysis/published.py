"""A number that a source prints, to stand beside the estimate of a criterion."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Published:
    """A number of the source: its value, its place there, how far from it counts as equal, and whether sizes agree.

    One that is ``judged`` is another part of the claim where they do; one of another quantity is shown alone.
    """

    value: float
    place: str
    tolerance: float
    same_size: bool = False
    judged: bool = True

    def record(self) -> dict[str, Any]:
        """Return the number as plain data."""
        return {"value": self.value, "place": self.place, "tolerance": self.tolerance, "same_size": self.same_size}
