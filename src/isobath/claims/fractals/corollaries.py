"""Claims about Corollaries 2 and 3 of Malach & Shalev-Shwartz, of networks known in closed form: checks.

The premise of Corollary 3 is that a network exists, and its consequences are numbers: neither depends on data.
"""

import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, Undetermined, exactly
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.fractals.cells import grid_of
from isobath.claims.fractals.hardness import OTHER, PRINTED, probability, share_stuck
from isobath.claims.fractals.measures import depth_of, exact_and_small, scored
from isobath.claims.fractals.thresholds import WHOLE
from isobath.fractals.bounds import separation_bounds

CERTIFICATES, STUCK = "calculations/deep_certificates", "calculations/deep_gradients"
WIDTH = 10  # of Corollaries 2 and 3


def small_exact(cells: Cells, task: str, row: xr.Dataset) -> list[Criterion]:
    """Return the checks of a construction that is exact, of width 10 at most and of a depth t <= n."""
    depth = depth_of(row) - int(cells.settings(task)["levels"])
    return exact_and_small(task, row, {f"width beyond {WIDTH}": row.largest_width - WIDTH, "depth beyond n": depth})


def certificate(cells: Cells) -> xr.Dataset:
    """Return the network of as many levels as the distribution on which gradients were calculated."""
    return cells.group(CERTIFICATES).sel(level=int(cells.group(STUCK).levels))


def wrong(cells: Cells) -> Estimate:
    """Return the number of points of either class that the network gets wrong."""
    network = certificate(cells)
    return exactly(int(network.wrong_positives) + int(network.wrong_negatives))


def width(cells: Cells) -> Estimate:
    """Return the width of the network."""
    return exactly(int(certificate(cells).largest_width))


def missing_layers(cells: Cells) -> Estimate:
    """Return the largest difference in layers between the certificate and networks whose gradients were calculated."""
    return exactly(float(abs(cells.group(STUCK).depth + 1 - int(certificate(cells).depth)).max()))


def needed_beyond(cells: Cells) -> Estimate:
    """Return n' - n, n' that of Theorem 5 at this depth: where it is negative the bounds of the theorem hold."""
    table = cells.group(STUCK)
    return exactly(float(table.needed_levels.max()) - int(table.levels))


def shallow_error(cells: Cells) -> Estimate:
    """Return the least error of one hidden layer of fewer than 2^(t - 1) units on the same distribution."""
    return exactly(float(certificate(cells).shallow_error))


@claim(
    "There is a distribution that a network of depth t and width 10 knows, no network of one hidden layer and fewer "
    "than 2^(t - 1) units does, and on which a network of depth t has no gradient at the start",
    source="Malach & Shalev-Shwartz, Corollary 2 and the fine distribution before it",
    statistic="on one fine distribution of n levels on the line: points that a network of depth t gets wrong, in "
    "rationals, and its width; least error of 2^(t - 1) sign changes; share of networks of depth t, by Theorem 5's "
    "starts, without gradient and with an error of 1/2. Of a gradient-based algorithm this is the first step alone",
)
def corollary_2(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")
    above = probability(cells, STUCK)
    stuck = [
        criterion(f"stuck, {start}", share_stuck, cells, start, STUCK, above=above, check=True)
        for start in (PRINTED, OTHER)
    ]
    return [
        criterion("wrong points", wrong, cells, below=WHOLE, check=True),
        criterion("width", width, cells, below=WIDTH + WHOLE, check=True),
        criterion("layers between both networks", missing_layers, cells, below=WHOLE, check=True),
        criterion("n' of Theorem 5 beyond n", needed_beyond, cells, below=0, check=True),
        criterion("least error of one hidden layer", shallow_error, cells, above=0, check=True),
        *stuck,
    ]


def void_bounds(row: xr.Dataset, levels: int) -> tuple[float, float]:
    """Return the bounds of Corollary 3 at the least epsilon that an exact network leaves. Raises Undetermined."""
    if depth_of(row) >= levels:
        raise Undetermined("the network is as deep as the set, of which the premise says nothing")
    return separation_bounds(0.5 ** (1 / (levels - depth_of(row))), levels)


def bound_on(row: xr.Dataset, levels: int, *, quantity: int) -> Estimate:
    """Return the bound on the gradient (0) or on the error (1)."""
    return exactly(void_bounds(row, levels)[quantity])


@claim(
    "Corollary 3 says nothing of Cantor sets: what it supposes leaves its bounds void",
    source="not in the paper, whose Corollary 3 this is about",
    statistic="error, width and depth of a network that knows the set; the bounds on gradient, which is never above "
    "1 there, and on error, at the least epsilon that this network leaves",
    whole=True,
    own=True,
)
def corollary_3_is_void(tree: xr.DataTree) -> list[Criterion]:
    """Judge the premise, errors of 1/2 - epsilon^(n - t') or more at width 10 and any depth t' < n.

    A network of width 10 and depth t < n that makes no error leaves epsilon >= 2^(-1 / (n - t)). Here t is about n / 3,
    and so epsilon^(n / 2) tends to 2^(-3/4) from below as n grows. With weights of at most 1 / (2 n_in) and biases
    of at most 1/2 no activation on [0, 1] and no derivative is above 1.
    """
    cells = grid_of(tree, "theory")

    def criteria(task: str, row: xr.Dataset) -> list[Criterion]:
        n = int(cells.settings(task)["levels"])
        gradient = criterion(f"{task}: bound on the gradient", bound_on, row, n, quantity=0, above=1, check=True)
        error = criterion(f"{task}: bound on the error", bound_on, row, n, quantity=1, below=0, check=True)
        return [*small_exact(cells, task, row), gradient, error]

    return scored(cells, "certificate_by_three", criteria)
