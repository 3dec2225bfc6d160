"""Numbers that Malach & Shalev-Shwartz print in their figures."""

from isobath.analysis.cells import Cells
from isobath.analysis.verdicts import Published
from isobath.claims.fractals.cells import At, at_the_papers_sizes
from isobath.claims.fractals.thresholds import AGREES

# Best accuracy of networks of depth 5 on the 2D Cantor set of depth 5, by curve, as Fig. 5 prints it. Fig. 4,
# on curve 1, prints no number.
FIGURE_5 = {1: 0.9924, 2: 0.9654, 3: 0.9096, 4: 0.9322, 5: 0.7566, 6: 0.7764}


def published_error(cells: Cells, coords: At, accuracy: float, place: str) -> Published:
    """Return the error that the source has at a cell, and whether the cell has the source's sizes."""
    return Published(round(1 - accuracy, 4), place, AGREES, at_the_papers_sizes(cells, coords))
