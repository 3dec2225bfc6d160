"""Figures: drawings of one cube.

A figure is a file ``figures/<kind>.py`` with a function

    draw(cube, *, <settings>) -> matplotlib.figure.Figure

for the cube of a grid, an xarray.DataTree. A setting that is called as a table of the study (``task``, ``tasks``,
``protocol``, ``kernel``) holds names of that table.

Optional: ``check(*, <settings>)``, which refuses settings that contradict each other (ValueError).
"""

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

VERBS = ("draw",)
PROVIDED = ()


@runtime_checkable
class FigureModule(Protocol):
    """What a module of this family has."""

    def draw(self, cube: "xr.DataTree") -> "Figure":
        """Return the drawing of a cube."""
