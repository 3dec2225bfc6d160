"""Measures of the norm of outputs, which diverges at N* (Jacot, Geiger et al., section 6 and Fig. 7)."""

import numpy as np

from isobath.analysis.cells import Cells
from isobath.analysis.combinations import slope
from isobath.analysis.estimates import Estimate, NotRun, Undetermined, over_networks
from isobath.analysis.standard_errors import Z
from isobath.claims.width.measures import Width, at
from isobath.claims.width.thresholds import FEWEST, GROWS, HALF_DECADE, WITHIN
from isobath.claims.width.widths import finite_networks, threshold_interval, weights


def norm_growth(cells: Cells, choose: Width) -> Estimate:
    """Return the growth of ||f|| over the last half decade of steps or more, in units of its value before."""
    norm = finite_networks(cells, choose(cells)).recorded_test_norm
    last = norm.step.values[-1]
    early = norm.step.values[norm.step.values <= last / HALF_DECADE]
    if not len(early):
        raise NotRun(f"no step up to {last / HALF_DECADE:.3g}, half a decade before the last, was recorded")
    return over_networks((norm.sel(step=last) / norm.sel(step=early[-1])) - 1)


def require_settled_norm(cells: Cells) -> None:
    """Raise Undetermined where the norm at N* still grows at the end: a finite time cuts its divergence off."""
    growth = norm_growth(cells, at(1))
    low, high = growth.interval()
    if not high < GROWS:
        share = f"{growth.value:.2g} [{low:.2g}, {high:.2g}]"
        raise Undetermined(f"time cuts the divergence off: the norm at N* grows by {share} in its last half decade")


def norm_slope(cells: Cells) -> Estimate:
    """Return the slope of ln ||f|| against ln (N - N*), from the upper end of N*'s interval to WITHIN N*.

    Its error is that over networks, and how far the slope moves while N* moves through its own interval. Raises
    Undetermined where that is not known, and for fewer than FEWEST widths.
    """
    n_star, (low, high) = cells.threshold(), threshold_interval(cells)
    sizes = {width: n for width, n in weights(cells).items() if max(high, n_star) < n <= WITHIN * n_star}
    if len(sizes) < FEWEST:
        raise Undetermined(f"{len(sizes)} widths lie between N* and {WITHIN:g} N*; {FEWEST} are needed")
    norms = [over_networks(np.log(finite_networks(cells, width).test_norm)) for width in sizes]
    by_pole = [slope(np.log(np.array(list(sizes.values())) - pole), norms) for pole in (n_star, low, high)]
    moved = abs(by_pole[1].value - by_pole[2].value) / 2 / Z
    return by_pole[0] + Estimate(0.0, spread=moved)
