"""The best use of a training compute: ensembles of other widths, as many networks as it pays for.

No more networks of a width can be averaged than were trained, so small rivals may not use up the compute.
"""

import math
from dataclasses import replace

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, NotRun
from isobath.analysis.sampling_errors import paired
from isobath.analysis.standard_errors import standard_error
from isobath.claims.width.thresholds import JUST_BEYOND, NEAR
from isobath.claims.width.widths import (
    by_networks_of,
    finite_networks,
    first_half,
    missed_by,
    near,
    second_half,
    tally,
    weights,
)

SUBSETS = 200  # ensembles of a size that are averaged over


def compute(cells: Cells, width: int) -> float:
    """Return N times epochs, mean over networks: the operations of a training but for a common factor."""
    networks = finite_networks(cells, width)
    return float((networks.n_weights * networks.epochs).mean())


def missed_by_size(cells: Cells, width: int, size: int) -> xr.DataArray:
    """Return the share of ensembles of ``size`` networks, of some of them, that misses each sample (test_sample)."""
    outputs = finite_networks(cells, width).outputs
    if size == 1:
        return missed_by(cells, outputs).mean("seed")
    random = np.random.default_rng(size)
    count = 1 if size == outputs.sizes["seed"] else SUBSETS
    subsets = [random.permutation(outputs.sizes["seed"])[:size] for _ in range(count)]
    means = [outputs.isel(seed=members).mean("seed") for members in subsets]
    return missed_by(cells, xr.concat(means, "subset")).mean("subset")


def best_rival(cells: Cells) -> Estimate:
    """Return the error of the best of the other widths, minus that of all networks just beyond N*, at its compute.

    Rivals are widths at other N by more than NEAR; the best is chosen on the first half of the test samples,
    and the difference taken on the second. Raises NotRun where there is no rival.
    """
    home = near(cells, JUST_BEYOND)
    most, sizes = finite_networks(cells, home).sizes["seed"], weights(cells)
    budget = most * compute(cells, home)
    far = [width for width, n in sizes.items() if abs(math.log(n / sizes[home])) > math.log(NEAR)]
    paid = {width: int(budget / compute(cells, width)) for width in far}
    members = {width: min(finite_networks(cells, width).sizes["seed"], paid[width]) for width in far if paid[width]}
    if not members:
        raise NotRun("there is no width at other N")
    rivals = {width: missed_by_size(cells, width, size) for width, size in members.items()}
    best = min(rivals, key=lambda width: float(first_half(rivals[width]).mean()))
    gap = second_half(rivals[best]) - second_half(missed_by_size(cells, home, most))
    scatter = [by_networks_of(cells, width, size) for width, size in ((home, most), (best, members[best]))]
    count = min(int(networks.count()) for networks in scatter)
    advantage = paired(gap, spread=math.hypot(*map(standard_error, scatter)), count=count)
    return replace(advantage, tally=tally(cells, home, best))
