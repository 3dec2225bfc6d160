"""Sizes of the networks of a cell."""

from collections.abc import Mapping
from typing import Any

from isobath.analysis.cells import Cells


def parameters(cells: Cells, coords: Mapping[str, Any]) -> float:
    """Return the number of weights and biases of the networks of a cell; NaN if none was trained."""
    return float(cells.cell(**coords).n_parameters.max())
