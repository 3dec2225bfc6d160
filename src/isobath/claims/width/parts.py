"""How a claim of this study asks a grid: a part says not run where the grid, a width or a fit is missing."""

from collections.abc import Callable
from typing import Any

import xarray as xr

from isobath.analysis.verdicts import Estimate, Part, part
from isobath.claims.width.measures import TOLERANCE, Widths


def about(
    tree: xr.DataTree, grid: str, label: str, measure: Callable[..., Estimate], *args: Any, **bounds: float
) -> Part:
    """The part that ``measure(widths, *args)`` gives."""
    return part(label, lambda: measure(Widths(tree, grid), *args), **bounds)


def exponent(tree: xr.DataTree, grid: str, label: str, measure: Callable[[Widths], Estimate], theory: float) -> Part:
    """A free exponent, claimed to lie within TOLERANCE of that of theory."""
    low, high = sorted((theory * (1 - TOLERANCE), theory * (1 + TOLERANCE)))
    return about(tree, grid, label, measure, above=low, below=high)
