"""Measures of the claims of Jacot, Geiger et al.: differences of errors, exponents of laws, growth of norms.

Networks are tested on the same samples, so differences of errors are taken sample by sample.
"""

import math
from collections.abc import Callable

import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Bounded, Estimate, NotRun, paired, standard_error
from isobath.analysis.verdicts import Criterion, criterion
from isobath.claims.width.thresholds import BEYOND, FLAT, HALF_DECADE, LEFT_OF_PEAK, MUCH_LARGER, TOLERANCE
from isobath.claims.width.widths import ensemble, finite_networks, largest, missed, missed_together, near, second_half
from isobath.claims.width.widths import peak as width_of_peak

Width = Callable[[Cells], int]  # chooses a width


def at(factor: float) -> Width:
    """Return the choice of the width whose N is nearest to ``factor`` N*."""
    return lambda cells: near(cells, factor)


def difference(a: xr.DataArray, b: xr.DataArray) -> Estimate:
    """Return error(a) - error(b) from the samples that each network misses, both (seed, test_sample)."""
    errors = [samples.mean("test_sample") for samples in (a, b)]
    networks = math.hypot(*map(standard_error, errors))
    return paired(a.mean("seed") - b.mean("seed"), spread=networks, count=min(error.size for error in errors))


def ensemble_difference(cells: Cells, a: int, b: int) -> Estimate:
    """Return error(ensemble of width a) - error(ensemble of width b); its error over networks by pseudo-values."""
    pseudo = [ensemble(cells, width).limit_error_pseudo for width in (a, b)]
    gap = missed_together(cells, a).astype(float) - missed_together(cells, b)
    networks = math.hypot(*map(standard_error, pseudo))
    return paired(gap, spread=networks, count=int(min(values.count() for values in pseudo)))


def peak_height(cells: Cells, other: Width) -> Estimate:
    """Return error(peak) - error(another width) on one half of the samples; the peak is found on the other."""
    return difference(*(second_half(missed(cells, width)) for width in (width_of_peak(cells), other(cells))))


def fall_beyond(cells: Cells) -> Estimate:
    """Return error(BEYOND N*) - error(largest N)."""
    return difference(*(missed(cells, width) for width in (near(cells, BEYOND), largest(cells))))


def flatness(cells: Cells) -> Estimate:
    """Return FLAT of the fall of the single networks' error beyond N*, minus the fall of the ensemble's."""
    return fall_beyond(cells) * FLAT - ensemble_difference(cells, near(cells, BEYOND), largest(cells))


def fitted_fraction(cells: Cells, choose: Width) -> Estimate:
    """Return the fraction of the networks of a width that fit."""
    return cells.fitted_fraction(width=choose(cells))


def train_error(cells: Cells, choose: Width) -> Estimate:
    """Return the mean training error of a width."""
    return Estimate.over(finite_networks(cells, choose(cells)).train_error)


def norm_growth(cells: Cells, choose: Width) -> Estimate:
    """Return the growth of ||f|| over the last half decade of steps or more, in units of its value before."""
    norm = finite_networks(cells, choose(cells)).recorded_test_norm
    last = norm.step.values[-1]
    before = norm.step.values[norm.step.values <= last / HALF_DECADE][-1]
    return Estimate.over((norm.sel(step=last) / norm.sel(step=before)) - 1)


def early_stopping_gain(cells: Cells) -> Estimate:
    """Return error(end of training) - error(early stopping), near N*."""
    networks = finite_networks(cells, near(cells, 1))
    return Estimate.over(networks.test_error - networks.early_stopping_error)


def peak_lost(cells: Cells) -> Estimate:
    """Return LEFT_OF_PEAK of the height of the peak at N* over the largest N, minus its height with early stopping."""
    networks = [finite_networks(cells, width) for width in (near(cells, 1), largest(cells))]
    heights = []
    for name in ("test_error", "early_stopping_error"):
        top, far = (Estimate.over(each[name]) for each in networks)
        heights.append(top - far)
    return heights[0] * LEFT_OF_PEAK - heights[1]


def averaging_gain(cells: Cells, choose: Width) -> Estimate:
    """Return the error of single networks of a width beyond the limit of large ensembles."""
    return Estimate.over(ensemble(cells, choose(cells)).excess_error)


def averaging_gain_lost(cells: Cells) -> Estimate:
    """Return the gain by averaging near N* minus that at the largest N."""
    return averaging_gain(cells, at(1)) - averaging_gain(cells, largest)


def exponent(cells: Cells, law: str) -> Estimate:
    """Return the free exponent of a law."""
    return cells.parameter(law, "exponent", free=True)


def predicted(label: str, measure: Callable[..., Estimate], theory: float, cells: Cells, *args: str) -> Criterion:
    """Return the criterion that an exponent, ``measure(cells, *args)``, is that of theory, within TOLERANCE."""
    low, high = sorted((theory * (1 - TOLERANCE), theory * (1 + TOLERANCE)))
    return criterion(label, measure, cells, *args, above=low, below=high)


def leading_coefficient(cells: Cells, law: str) -> Estimate:
    """Return the leading coefficient of a law with the exponents of theory."""
    return cells.parameter(law, "c0", free=False)


def norm_exponent(cells: Cells) -> Estimate:
    """Return the free exponent of ||f|| = c (N - N*)^a after the longest training."""
    steps = cells.group("laws/norm").step.values
    if not len(steps):
        raise NotRun("the norm was not recorded on the way")
    return cells.parameter("norm", "exponent", free=True, step=steps[-1])


def gradient_excess(cells: Cells) -> Estimate:
    """Return C1 - MUCH_LARGER C0 of ||grad f|| = C0 + C1 N^-1/4, its interval from theirs."""
    c0, c1 = (cells.parameter("gradient_norm", name, free=False) for name in ("constant", "c0"))
    low, high = c1.low - MUCH_LARGER * c0.high, c1.high - MUCH_LARGER * c0.low
    return Bounded(c1.value - MUCH_LARGER * c0.value, low=low, high=high, count=c0.count, fixed=c0.fixed)
