"""Measures of the claims of Jacot, Geiger et al. about ensembles: errors of the mean of the networks of a width.

Networks are tested on the same samples, so differences of errors are taken sample by sample.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, NotRun
from isobath.analysis.sampling_errors import paired
from isobath.analysis.standard_errors import standard_error
from isobath.claims.width.measures import Width
from isobath.claims.width.thresholds import BEYOND, FLAT, JUST_BEYOND
from isobath.claims.width.widths import (
    by_networks,
    first_half,
    largest,
    missed,
    missed_together,
    near,
    second_half,
    tally,
    weights,
)


def ensemble_difference(cells: Cells, a: Width, b: Width) -> Estimate:
    """Return error(ensemble of width a) - error(ensemble of width b); its error over networks by pseudo-values."""

    def errors(width: int) -> tuple[xr.DataArray, xr.DataArray]:
        return missed_together(cells, width).astype(float), by_networks(cells, width)[1]

    return _from_one_width_to_another(cells, a(cells), b(cells), errors)


def _from_one_width_to_another(
    cells: Cells, a: int, b: int, measured: Callable[[int], tuple[xr.DataArray, xr.DataArray]]
) -> Estimate:
    """Return what is measured at width a minus that at width b, of values (test_sample) and values (seed) for each.

    Raises NotRun for the same width.
    """
    if a == b:
        raise NotRun("both are networks of the same width")
    (samples_a, networks_a), (samples_b, networks_b) = measured(a), measured(b)
    spread = math.hypot(standard_error(networks_a), standard_error(networks_b))
    count = int(min(networks_a.count(), networks_b.count()))
    return replace(paired(samples_a - samples_b, spread=spread, count=count), tally=tally(cells, a, b))


def flatness(cells: Cells, sign: int) -> Estimate:
    """Return FLAT of the fall of the single networks' error beyond N*, minus ``sign`` times that of the ensemble's.

    Both are of the same networks and samples, and are combined before they are averaged over either.
    """

    def combined(width: int) -> tuple[xr.DataArray, xr.DataArray]:
        single, many = by_networks(cells, width)
        samples = missed(cells, width).mean("seed") * FLAT - missed_together(cells, width) * sign
        return samples, single * FLAT - many * sign

    return _from_one_width_to_another(cells, near(cells, BEYOND), largest(cells), combined)


def averaging_gain(cells: Cells, choose: Width) -> Estimate:
    """Return the error of single networks of a width minus that of the ensemble of all, sample by sample.

    An extrapolation to large ensembles would add an error of its own where fluctuations exceed the mean.
    """
    width = choose(cells)
    by_sample, by_network = _gains(cells, width)
    gain = paired(by_sample, spread=standard_error(by_network), count=int(by_network.count()))
    return replace(gain, tally=tally(cells, width))


def _gains(cells: Cells, width: int) -> tuple[xr.DataArray, xr.DataArray]:
    """Return what averaging gains at each test sample, and pseudo-values (seed) of the gain."""
    single, many = by_networks(cells, width)
    return missed(cells, width).mean("seed") - missed_together(cells, width), single - many


def averaging_gain_lost(cells: Cells) -> Estimate:
    """Return the gain by averaging near N* minus that at the largest N."""
    return _from_one_width_to_another(cells, near(cells, 1), largest(cells), lambda width: _gains(cells, width))


def best_single(cells: Cells) -> Estimate:
    """Return the error of the best width without averaging, minus that of the ensemble just beyond N*.

    The best is chosen on one half of networks and samples, and the difference taken on the other half of samples.
    """
    home = near(cells, JUST_BEYOND)
    samples = {width: missed(cells, width) for width in weights(cells)}
    best = min(samples, key=lambda width: float(first_half(first_half(samples[width]), "seed").mean()))
    single = second_half(second_half(samples[best]), "seed")
    gap = single.mean("seed") - second_half(missed_together(cells, home))
    pseudo = by_networks(cells, home)[1]
    networks = math.hypot(standard_error(single.mean("test_sample")), standard_error(pseudo))
    gain = paired(gap, spread=networks, count=int(single.sizes["seed"]))
    return replace(gain, tally=tally(cells, best, home))


def error_together(cells: Cells, width: int) -> Estimate:
    """Return the test error of the ensemble of all networks of a width."""
    many = by_networks(cells, width)[1]
    estimate = paired(missed_together(cells, width), spread=standard_error(many), count=int(many.count()))
    return replace(estimate, tally=tally(cells, width))
