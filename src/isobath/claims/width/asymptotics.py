"""Measures of the laws of Jacot, Geiger et al., which hold for N -> infinity: exponents and coefficients.

A fit that is rejected, or whose exponent drifts, says that the networks are not there yet. It decides nothing.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Bounded, Estimate, NotRun, Undetermined, over_networks
from isobath.analysis.law_reader import require_steady
from isobath.analysis.published import Published
from isobath.analysis.verdicts import Criterion, criterion
from isobath.claims.width.thresholds import ASYMPTOTIC, LEAST_P, MUCH_LARGER, TOLERANCE
from isobath.claims.width.widths import ensemble, largest, near, tally, with_samples, without_parts


def exponent(cells: Cells, law: str) -> Estimate:
    """Return the free exponent of a law in N. Raises Undetermined where the fit is rejected or the exponent drifts."""
    return cells.exponent(law, least_p=LEAST_P)


def exponent_over_sizes(cells: Cells, law: str) -> Estimate:
    """Return the free exponent of a law in the size of ensembles, as ``exponent`` does.

    The upper half of ten sizes seldom has an exponent with an interval; where it has none it is not compared.
    """
    estimate = _fitted_exponent(cells, law)
    try:
        upper = cells.upper_exponent(law)
    except Undetermined:
        return estimate
    require_steady(estimate, upper)
    return estimate


def _fitted_exponent(cells: Cells, law: str, **coords: Any) -> Bounded:
    """Return the free exponent of a law. Raises Undetermined where the fit is rejected."""
    estimate = cells.parameter(law, "exponent", free=True, **coords)
    cells.require_fit(law, estimate, free=True, least_p=LEAST_P, **coords)
    return estimate


def predicted(
    label: str,
    measure: Callable[..., Estimate],
    theory: float,
    cells: Cells,
    *args: str,
    source: Published | None = None,
) -> Criterion:
    """Return the criterion that an exponent, ``measure(cells, *args)``, is that of theory, within TOLERANCE."""
    low, high = sorted((theory * (1 - TOLERANCE), theory * (1 + TOLERANCE)))
    return criterion(label, measure, cells, *args, above=low, below=high, published=source)


def coefficient(cells: Cells, law: str, name: str = "c0") -> Bounded:
    """Return a coefficient, the leading one, of a law with the exponents of theory.

    Raises Undetermined if it is rejected.
    """
    estimate = cells.parameter(law, name, free=False)
    cells.require_fit(law, estimate, free=False, least_p=LEAST_P)
    return estimate


def apparent_exponent(cells: Cells, law: str) -> Estimate:
    """Return the exponent of a direct fit, as good or bad as that is: corrections to a law are why it would be bad."""
    return cells.parameter(law, "exponent", free=True)


def norm_exponent(cells: Cells) -> Estimate:
    """Return the free exponent of ||f|| = c (N - N0)^a after the longest training.

    Raises Undetermined if it is rejected.

    The law holds near N*, so fits at larger N do not count: it is not asked whether the exponent drifts with N, but
    whether the norm is settled.
    """
    return _fitted_exponent(cells, "norm", step=_last_step(cells))


def norm_pole(cells: Cells) -> Estimate:
    """Return the pole of ||f|| = c / (N - pole) after the longest training.

    Raises Undetermined where that is rejected.
    """
    step = _last_step(cells)
    estimate = cells.parameter("norm", "pole", free=False, step=step)
    cells.require_fit("norm", estimate, free=False, least_p=LEAST_P, step=step)
    return estimate


def _last_step(cells: Cells) -> Any:
    steps = cells.group("laws/norm").step.values
    if not len(steps):
        raise NotRun("the norm was not recorded on the way")
    return steps[-1]


def gradient_excess(cells: Cells) -> Estimate:
    """Return C1 - MUCH_LARGER C0 of ||grad f|| = C0 + C1 N^-1/4, its interval from theirs."""
    cells.require_fit("gradient_norm", free=False, least_p=LEAST_P)
    c0, c1 = (cells.parameter("gradient_norm", name, free=False) for name in ("constant", "c0"))
    low, high = c1.low - MUCH_LARGER * c0.high, c1.high - MUCH_LARGER * c0.low
    return Bounded(
        c1.value - MUCH_LARGER * c0.value, low=low, high=high, count=c0.count, fixed=c0.fixed, tally=c0.tally
    )


def distance_fall(cells: Cells) -> Estimate:
    """Return the distance of boundaries at ASYMPTOTIC N* minus that at the largest N.

    Raises Undetermined where the law of the source is rejected: any function falls that falls.
    """
    first, last = near(cells, ASYMPTOTIC), largest(cells)
    if first == last:
        raise NotRun(f"the largest N is at {ASYMPTOTIC:g} N*")
    if "distance" not in cells.group("ensembles"):
        raise NotRun("distances of boundaries were not measured")
    near_by, far = ensemble(cells, first), ensemble(cells, last)
    without = without_parts(near_by, "distance") - without_parts(far, "distance")
    distances = with_samples(over_networks(near_by.distance) - over_networks(far.distance), without)
    fall = replace(distances, tally=tally(cells, first, last))
    cells.require_fit("distance", fall, free=False, least_p=LEAST_P)
    return fall


def exponent_without_residual(cells: Cells) -> Estimate:
    """Return the free exponent of the fluctuations, as ``exponent`` does.

    Raises Undetermined where eq. 9 does not apply.

    It neglects the variance that is left for N -> infinity. That is there where the law with it and with the exponents
    of theory (eq. 8) is not rejected and its constant lies above 0.
    """
    estimate = exponent(cells, "fluctuation")
    try:
        constant = coefficient(cells, "variance", "constant")
    except (NotRun, Undetermined):
        return estimate
    if constant.interval()[0] > 0:
        p, power = cells.goodness("variance", free=False), estimate.value
        goodness = "" if np.isnan(p) else f" (p = {p:.2g})"
        fits = f"the predicted power with a residual variance fits{goodness}, as N^{power:.2g} without one does"
        raise Undetermined(fits, estimate)
    return estimate


def residual_share(cells: Cells) -> Estimate:
    """Return the variance that is left for N -> infinity, as a share of that at the largest N of the fit.

    Raises Undetermined where a power of N without a constant, which leaves nothing, fits as well.
    """
    p = cells.goodness("fluctuation", free=True)
    if not p < LEAST_P:
        power = cells.parameter("fluctuation", "exponent", free=True).value
        unknown = f"it is not known whether N^{power:.2g} without a constant fits: that has no p-value"
        raise Undetermined(
            unknown if np.isnan(p) else f"N^{power:.2g} without a constant fits as well: its p is {p:.2g}"
        )
    cells.require_fit("variance", free=False, least_p=LEAST_P)
    constant = cells.parameter("variance", "constant", free=False)
    group = cells.group("laws/variance")
    rows = group.isel({dim: 0 for dim in group.y.dims if dim != "width"})
    x = rows.x.where(rows.fitted)
    return constant * (1 / float(rows.y.isel(width=int(np.nanargmax(x.values)))))
