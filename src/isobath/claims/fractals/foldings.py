"""Networks that fold a fractal level by level, known in closed form: which of them a cube has, and their sizes."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.verdicts import Criterion
from isobath.claims.fractals.cells import maps_and_dimensions
from isobath.claims.fractals.measures import depth_of

KIND = "fractal_folding"


class Folding(NamedTuple):
    """A network that folds ``known`` levels j of a task, ``shortcut`` s at once, with its errors and sizes."""

    task: str
    name: str
    row: xr.Dataset
    known: int
    shortcut: int
    levels: int
    maps: int
    n_inputs: int

    @property
    def label(self) -> str:
        """Return the task with its j and s."""
        return f"{self.task}, {self.known} levels, {self.shortcut} at once"

    @property
    def divides(self) -> bool:
        """Tell whether s divides j: only then is the network no deeper than Corollary 1 and Theorem 3 have it."""
        return self.known % self.shortcut == 0

    def excess(self) -> dict[str, float]:
        """Return by how much width and depth exceed 5 d r^s and 2 floor(j / s) + 2."""
        width = float(self.row.largest_width) - 5 * self.n_inputs * self.maps**self.shortcut
        depth = depth_of(self.row) - (2 * (self.known // self.shortcut) + 2)
        return {"width beyond 5 d r^s": width, "depth beyond 2 floor(j / s) + 2": float(depth)}


def foldings(cells: Cells) -> list[Folding]:
    """List the foldings that were scored on the tasks of a grid, but for those with a margin of their own."""
    table = cells.group("constructions") if cells.has("constructions") else xr.Dataset()
    pairs = zip(table.construction.values, table.construction_kind.values, strict=True) if table else ()
    listed = []
    for name in (str(name) for name, kind in pairs if kind == KIND):
        for task, row in cells.by_task("constructions", construction=name).items():
            if not np.isfinite(_setting(row, "margin", np.nan)):
                listed.append(_folding(cells, task, name, row))
    return listed


def _folding(cells: Cells, task: str, name: str, row: xr.Dataset) -> Folding:
    (r, d), n = maps_and_dimensions(cells, task), int(cells.settings(task)["levels"])
    levels, shortcut = int(_setting(row, "levels", n)), int(_setting(row, "shortcut", 1))
    return Folding(task, name, row, levels, shortcut, n, r, d)


def _setting(row: xr.Dataset, name: str, default: float) -> float:
    """Return a setting of the construction of a row, or its default."""
    value = float(row[f"construction_{name}"]) if f"construction_{name}" in row.coords else np.nan
    return value if np.isfinite(value) else default


def of_each(name: str, listed: list[Folding], criteria: Callable[[Folding], list[Criterion]]) -> list[Criterion]:
    """Return the criteria of each folding; where there is none, one with this name that says not run."""
    return [part for folding in listed for part in criteria(folding)] or [Criterion(name, None, check=True)]
