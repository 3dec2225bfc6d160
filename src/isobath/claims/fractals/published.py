"""Numbers that Malach & Shalev-Shwartz print in their figures."""

from isobath.analysis.cells import At, Cells
from isobath.analysis.published import Published
from isobath.claims.fractals.thresholds import AGREES

# Best accuracy of networks of depth 5 on the 2D Cantor set of depth 5, by curve, as Fig. 5 prints it. Fig. 4,
# on curve 1, prints no number.
FIGURE_5 = {1: 0.9924, 2: 0.9654, 3: 0.9096, 4: 0.9322, 5: 0.7566, 6: 0.7764}

# The sizes of section 5: levels, samples, samples of a batch, steps, and the widths of the deepest networks.
LEVELS, SAMPLES, BATCH, STEPS = 5, 50_000, 100, 10**6
WIDTHS = [10, 20, 50, 100, 200, 400]


def published_error(cells: Cells, coords: At, accuracy: float, place: str) -> Published:
    """Return the error that the source has at a cell, and whether the cell has the source's sizes."""
    return Published(round(1 - accuracy, 4), place, AGREES, at_the_sources_sizes(cells, coords))


def at_the_sources_sizes(cells: Cells, coords: At) -> bool:
    """Tell whether a cell has the sizes of section 5, and the grid all widths of it at that depth."""
    task = str(coords["task"])
    widths = cells.values("width", task=task, depth=LEVELS) if LEVELS in cells.shapes(task) else []
    group = cells.group("networks")
    samples, epochs = int(group.n_train), int(group.step.max())
    sizes = cells.settings(task)["levels"], samples, widths
    return sizes == (LEVELS, SAMPLES, WIDTHS) and epochs * samples // BATCH >= STEPS
