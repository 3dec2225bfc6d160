"""Measures of the claims of Jacot, Geiger et al. about the transition: errors and their differences.

Networks are tested on the same samples, so differences of errors are taken sample by sample.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import (
    ONE_DATA_SET,
    Bounded,
    Estimate,
    NotRun,
    Undetermined,
    over_networks,
)
from isobath.analysis.jamming.tables import half_width_of_ratio, jamming
from isobath.analysis.law_reader import draws_among
from isobath.analysis.sampling_errors import paired
from isobath.analysis.spreads import standard_deviation
from isobath.analysis.standard_errors import binomial_error, standard_error
from isobath.analysis.tallies import Tally
from isobath.claims.width.thresholds import BEYOND, LEFT_OF_PEAK
from isobath.claims.width.widths import (
    ensemble,
    finite_networks,
    largest,
    missed,
    near,
    near_threshold,
    second_half,
    smallest,
    tally,
    threshold_interval,
    weights,
)
from isobath.claims.width.widths import peak as width_of_peak
from isobath.statuses import FINITE, UNTRAINED

Width = Callable[[Cells], int]  # chooses a width


def at(factor: float) -> Width:
    """Return the choice of the width whose N is nearest to ``factor`` N*."""
    return lambda cells: near(cells, factor)


def difference(a: xr.DataArray, b: xr.DataArray) -> Estimate:
    """Return error(a) - error(b) from the samples that each network misses, both (seed, test_sample)."""
    errors = [samples.mean("test_sample") for samples in (a, b)]
    networks = math.hypot(*map(standard_error, errors))
    return paired(a.mean("seed") - b.mean("seed"), spread=networks, count=min(error.size for error in errors))


def other_margins(cells: Cells) -> list[float]:
    """Return the margins of the protocols other than 1, increasing. Raises NotRun for none."""
    networks = cells.group("networks")
    margins = networks.protocol_loss_margin.values.tolist() if "protocol_loss_margin" in networks.coords else []
    distinct = sorted({margin for margin in margins if math.isfinite(margin)} - {1.0})
    if not distinct:
        raise NotRun(f"grid {cells.grid} has no other margin")
    return distinct


def log_threshold_ratio(cells: Cells, margin: float) -> Estimate:
    """Estimate ln(N* of a margin / N* of the margin 1), whose networks have the same data sets.

    Where these are several, they are resampled alike for both. Where that says nothing of the error, as where N* lies
    between the same two sizes on each of them, the intervals of both are combined as if they were independent. Raises
    Undetermined as ``log_threshold`` does, and where the networks of one lack data sets of the other.
    """
    ratio = log_threshold(cells, margin) - log_threshold(cells, 1.0)
    pair = [of_margin(cells, each) for each in (margin, 1.0)]
    present = [(~each.status.isin(UNTRAINED)).any([d for d in each.status.dims if d != "draw"]) for each in pair]
    if not bool((present[0] == present[1]).all()):
        raise Undetermined(f"the networks of the margins {margin:g} and 1 are of different data sets")
    draws = int(present[0].sum())
    if draws < 2:
        return ratio
    half = half_width_of_ratio(pair, generator=np.random.default_rng(0))
    if math.isnan(half):
        return ratio
    return Bounded(ratio.value, low=ratio.value - half, high=ratio.value + half, count=draws)


def of_margin(cells: Cells, margin: float) -> xr.Dataset:
    """Return the networks that were trained with a margin. Raises NotRun for none."""
    networks = cells.group("networks")
    names = networks.protocol.values[(networks.protocol_loss_margin == margin).values]
    if not len(names):
        raise NotRun(f"grid {cells.grid} has no margin {margin:g}")
    return cells.cell(protocol=names[0])


def log_threshold(cells: Cells, margin: float) -> Estimate:
    """Estimate ln N* of the networks trained with a margin.

    Raises Undetermined where N* or its interval is not known.
    """
    networks = of_margin(cells, margin)
    located = jamming(networks[["status", "n_weights"]], generator=np.random.default_rng(0))
    value, low, high = (float(np.log(located[name])) for name in ("threshold", "low", "high"))
    if not np.isfinite([value, low, high]).all():
        raise Undetermined(f"N* of the margin {margin:g}: {located.reason.item() or 'it has no interval'}")
    draws = draws_among(~networks.status.isin(UNTRAINED))
    if draws < 2:
        return Bounded(value, low=low, high=high, fixed=ONE_DATA_SET)
    return Bounded(value, low=low, high=high, count=draws)


def peak_height(cells: Cells, choose: Width) -> Estimate:
    """Return error(peak) - error(another width) on one half of networks and samples; the others find the peak."""
    widths = width_of_peak(cells), choose(cells)
    peak, other = (missed(cells, width) for width in widths)
    height = difference(second_half(second_half(peak, "seed")), second_half(other))
    return replace(height, tally=tally(cells, *widths))


def require_peak(cells: Cells) -> None:
    """Raise Undetermined where the test error has no peak near N*: claims about the peak cannot be judged."""
    for name, choose in {"smallest": smallest, "largest": largest}.items():
        height = peak_height(cells, choose)
        low, high = height.interval()
        if not low > 0:
            above = f"{height.value:.3g} [{low:.3g}, {high:.3g}] above that of the {name} N"
            raise Undetermined(f"there is no peak near N*: the error is {above}")


def peak_over_data_sets(cells: Cells, choose: Width) -> Estimate:
    """Return error(peak) - error(another width), paired by data set; for each, the others find the peak.

    Raises NotRun for fewer than two data sets, and where no width is near N*.
    """
    errors = {width: cells.error(FINITE, width=width) for width in {*near_threshold(cells), choose(cells)}}
    reference = errors[choose(cells)]
    common = set(reference.draws).intersection(*(set(error.draws) for error in errors.values()))
    if len(common) < 2:
        raise NotRun("one data set has no interval over data sets")
    peaks = {
        draw: max(near_threshold(cells), key=lambda width: sum(errors[width].draws[d] for d in common - {draw}))
        for draw in common
    }
    heights = {draw: errors[width].draws[draw] - reference.draws[draw] for draw, width in peaks.items()}
    sample = math.hypot(max(errors[width].sample for width in peaks.values()), reference.sample)
    height = Estimate.over_draws(heights, sample=sample)
    return replace(height, tally=sum((error.tally for error in errors.values()), Tally()))


def fall_over_data_sets(cells: Cells, choose: Width, reference: Width) -> Estimate:
    """Return error(one width) - error(another), of all networks that did not diverge, paired by data set."""
    first, second = (cells.error(FINITE, width=pick(cells)) for pick in (choose, reference))
    return first - second


def fall_beyond(cells: Cells) -> Estimate:
    """Return error(BEYOND N*) - error(largest N)."""
    widths = near(cells, BEYOND), largest(cells)
    return replace(difference(*(missed(cells, width) for width in widths)), tally=tally(cells, *widths))


def fitted_fraction(cells: Cells, choose: Width) -> Estimate:
    """Return the fraction of the networks of a width that fit."""
    return cells.fitted_fraction(width=choose(cells))


def error(cells: Cells, width: int) -> Estimate:
    """Return the mean test error of single networks of a width, with the error of the test samples over these."""
    samples = missed(cells, width)
    estimate = paired(
        samples.mean("seed"), spread=standard_error(samples.mean("test_sample")), count=samples.sizes["seed"]
    )
    return replace(estimate, tally=tally(cells, width))


def width_at_threshold(cells: Cells) -> Estimate:
    """Return the width at N*, with the ends of its interval: ln h is linear in ln N between the widths there are.

    Raises Undetermined where N* or its interval is not known, or reaches beyond the widths.
    """
    n_star, ends, sizes = cells.threshold(), threshold_interval(cells), weights(cells)
    if not min(sizes.values()) <= ends[0] <= ends[1] <= max(sizes.values()):
        raise Undetermined("the interval of N* reaches beyond the widths that were trained")
    widths = np.interp(np.log([n_star, *ends]), np.log([*sizes.values()]), np.log([*sizes]))
    value, low, high = np.exp(widths).tolist()
    return Bounded(value, low=low, high=high, fixed=ONE_DATA_SET)


def train_error(cells: Cells, choose: Width) -> Estimate:
    """Return the mean training error of a width."""
    return over_networks(finite_networks(cells, choose(cells)).train_error)


def transition_range(cells: Cells) -> Estimate:
    """Return the factor in N over which the fraction of networks that fit rises from 10 % to 90 %.

    Raises Undetermined where it has no interval.
    """
    cells.threshold()
    jamming = cells.group("jamming")
    value, low, high = (float(jamming[name]) for name in ("range", "range_low", "range_high"))
    if np.isnan(high):
        raise Undetermined("the range of the transition has no interval")
    return Bounded(value, low=low, high=high, fixed=ONE_DATA_SET)


def relative_scatter(cells: Cells, choose: Width) -> Estimate:
    """Return the standard deviation of the test error over the networks of a width, in units of its mean.

    A finite test set adds to it: networks that differ on single samples alone have different errors. Without that it
    is smaller, so its interval begins where it would then begin.
    """
    width = choose(cells)
    samples, errors = missed(cells, width).astype(float), finite_networks(cells, width).test_error
    scatter = standard_deviation(errors / errors.mean())
    noise = samples.var("seed", ddof=1).mean() / samples.sizes["test_sample"] / errors.mean() ** 2
    return replace(scatter, low=math.sqrt(max(scatter.low**2 - float(noise), 0)))


def early_stopping_gain(cells: Cells) -> Estimate:
    """Return error(end of training) - error(early stopping), near N*. Raises Undetermined without a peak."""
    require_peak(cells)
    return _less_early(cells, near(cells, 1), share=1)


def _less_early(cells: Cells, width: int, *, share: float) -> Estimate:
    """Return ``share`` of the error of a width at the end of training, minus that with early stopping.

    Which samples were missed with early stopping is not recorded. The error of the test set is therefore that of two
    errors on different samples, which is larger than that on the same ones.
    """
    networks = finite_networks(cells, width)
    late, early = networks.test_error, networks.early_stopping_error
    n_test = int(cells.cell().test_labels.notnull().sum())
    errors = [binomial_error(float(error.mean()), n_test) for error in (late, early)]
    return replace(over_networks(late * share - early), sample=math.hypot(errors[0] * share, errors[1]))


def peak_lost(cells: Cells) -> Estimate:
    """Return LEFT_OF_PEAK of the height of the peak at N* over the largest N, minus its height with early stopping.

    Raises Undetermined without a peak.
    """
    require_peak(cells)
    top, far = (_less_early(cells, width, share=LEFT_OF_PEAK) for width in (near(cells, 1), largest(cells)))
    return top - far


def linear_estimate(cells: Cells, choose: Width) -> Estimate:
    """Return the distance between the zero of an output and that of a linear one, in units of the latter.

    It is the mean over the samples between the boundaries of a network, and over networks. Raises NotRun where it was
    not measured.
    """
    width = choose(cells)
    rows = ensemble(cells, width)
    if "linear_error" not in rows:
        raise NotRun("profiles were not measured")
    return replace(over_networks(rows.linear_error), tally=tally(cells, width))


def linear_estimate_improves(cells: Cells) -> Estimate:
    """Return how far the linear estimate is off near N* minus how far it is at the largest N."""
    return linear_estimate(cells, at(1)) - linear_estimate(cells, largest)
