"""What a given training compute buys: ensembles of other widths, as many networks as it pays for."""

import math

import numpy as np
import xarray as xr

from isobath.analysis.verdicts import Estimate, NotRun
from isobath.claims.width.measures import JUST_BEYOND, NEAR, Widths, first_half, second_half

SUBSETS = 20  # ensembles of a size that are averaged over


def compute(widths: Widths, width: int) -> float:
    """N times epochs, mean over networks: the operations of a training but for a common factor."""
    cell = widths.cell(width)
    return float((cell.n_weights * cell.epochs).mean())


def wrong_of_size(widths: Widths, width: int, size: int) -> xr.DataArray:
    """How often (test_sample) ensembles of ``size`` networks are wrong, over some of them."""
    outputs = widths.cell(width).outputs
    random = np.random.default_rng(size)
    many = 1 if size == outputs.sizes["seed"] else SUBSETS
    drawn = [random.permutation(outputs.sizes["seed"])[:size] for _ in range(many)]
    parts = [widths.samples(outputs.isel(seed=members).mean("seed")) for members in drawn]
    return xr.concat(parts, "subset").mean("subset")


def best_rival(widths: Widths) -> Estimate:
    """By how much the best of the other widths is worse than the ensemble of all networks at 3 N*, at its compute.

    Rivals are widths at other N by more than NEAR; which is best is decided on the first half of the test samples,
    and the difference taken on the second. Raises NotRun where there is no rival.
    """
    own = widths.near(JUST_BEYOND)
    most = widths.cell(own).sizes["seed"]
    budget = most * compute(widths, own)
    rivals = {}
    for width, n in widths.weights().items():
        size = min(widths.cell(width).sizes["seed"], int(budget / compute(widths, width)))
        if size and abs(math.log(n / widths.weights()[own])) > math.log(NEAR):
            rivals[width] = wrong_of_size(widths, width, size)
    if not rivals:
        raise NotRun
    best = min(rivals, key=lambda width: float(first_half(rivals[width]).mean()))
    gap = second_half(rivals[best]) - second_half(wrong_of_size(widths, own, most))
    spread = [widths.ensemble(w).limit_error_pseudo for w in (own, best)]
    networks = math.hypot(*(float(s.std(ddof=1)) / math.sqrt(int(s.count())) for s in spread))
    return Estimate(float(gap.mean()), networks, float(gap.std(ddof=1)) / math.sqrt(gap.size), most)
