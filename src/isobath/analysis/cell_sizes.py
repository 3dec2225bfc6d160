"""Sizes of the networks of a cell."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Undetermined


def parameters(cells: Cells, coords: Mapping[str, Any]) -> float:
    """Return the number of weights and biases of the networks of a cell; NaN if none was trained."""
    return float(cells.cell(**coords).n_parameters.max())


def known_parameters(cells: Cells, coords: Mapping[str, Any]) -> float:
    """Return the parameters of the networks of a cell. Raises Undetermined where its jobs failed."""
    number = parameters(cells, coords)
    if np.isnan(number):
        raise Undetermined(f"the jobs of depth {coords['depth']}, width {coords['width']} failed")
    return number
