"""Counts of the networks behind an estimate: those that count, of those that were trained."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Tally:
    """Networks that count in an estimate, of those that were trained: both numbers of each cell, by what names it.

    A cell that enters an estimate twice is there once.
    """

    cells: Mapping[Hashable, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, counted: int, trained: int, *, cell: Hashable = ()) -> "Tally":
        """Return the tally of one cell."""
        return cls({cell: (counted, trained)})

    @property
    def counted(self) -> int:
        """Return the number of networks that count."""
        return sum(counted for counted, _ in self.cells.values())

    @property
    def trained(self) -> int:
        """Return the number of networks that were trained."""
        return sum(trained for _, trained in self.cells.values())

    @property
    def least(self) -> float:
        """Return the share of the networks that count in the cell with the smallest; 1 without any network."""
        return min((counted / trained for counted, trained in self.cells.values() if trained), default=1.0)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally({**self.cells, **other.cells})
