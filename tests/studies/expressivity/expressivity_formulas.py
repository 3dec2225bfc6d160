"""Formulas of the statistics of the study expressivity, written out in numpy: errors, intervals and steps."""

import math
from typing import NamedTuple

import numpy as np
from expressivity_distinct import HALVES, SAMPLES
from expressivity_distinct_tables import DESCENT
from scipy import stats

EXPECTED = {}  # by claim, the function of the groups of all grids that returns its parts


class Part(NamedTuple):
    """A criterion of a claim as it has to be: the number, the ends of its interval, and the bounds of the claim.

    One that was not run has no number.
    """

    label: str
    estimate: float | None
    low: float | None
    high: float | None
    above: float | None
    below: float | None


def expected(oracle):
    """Note what a claim, which has the name of the function, is expected to find."""
    EXPECTED[oracle.__name__] = oracle
    return oracle


def exact(label, estimate, *, above=None, below=None):
    """Return the part of a number that was computed, without an interval."""
    return Part(label, float(estimate), float(estimate), float(estimate), above, below)


def not_run(label, *, above=None, below=None):
    return Part(label, None, None, None, above, below)


def mean(label, values, *, sample=0.0, above=None, below=None):
    """Return the part of a mean of independent values, with the standard error of a test set that they share.

    The interval is Student's; with both errors the freedom is by Welch and Satterthwaite, but with five values or fewer
    the errors are added in quadrature, each times its own quantile.
    """
    values = np.array([*values])
    n, spread = len(values), values.std(ddof=1) / math.sqrt(len(values))
    if sample and n <= 5:
        half = math.hypot(stats.t.ppf(0.975, n - 1) * spread, stats.norm.ppf(0.975) * sample)
    else:
        error = math.hypot(spread, sample)
        half = stats.t.ppf(0.975, (n - 1) * (error / spread) ** 4) * error
    return Part(label, values.mean(), values.mean() - half, values.mean() + half, above, below)


def share(label, hits, n, *, less=0.0, above=None, below=None):
    """Return the part of a share of independent hits, by Clopper and Pearson, ``less`` a number."""
    ends = stats.binomtest(hits, n).proportion_ci(0.95, method="exact")
    return Part(label, hits / n - less, ends.low - less, ends.high - less, above, below)


def judged(networks, *, train=False, over=(), budget=np.inf, **place):
    """Return the error (draw, seed) of each network of a cell; NaN of those that diverged at all rates.

    Each half of the test set chooses the step and the rate, and width where that is ``over``, by its smallest error;
    the other half judges, or the training set. No number counts that was recorded after ``budget`` was spent.
    """
    first = {axis: 0 for axis in ("protocol", "n_train") if axis in networks.dims and axis not in place}
    cell = networks.isel(first).sel(place)
    late = cell.n_parameters * cell.step > budget
    choices = ("learning_rate", "step", *over)
    first_half, second_half, of_train = (
        cell[f"recorded_{name}"].where(~late).transpose("draw", "seed", *choices).values
        for name in (*(f"{half}_error" for half in HALVES), "train_error")
    )
    errors = np.full(first_half.shape[:2], np.nan)
    for place_of_one in np.ndindex(errors.shape):
        a, b, trained = (part[place_of_one].ravel() for part in (first_half, second_half, of_train))
        if np.isfinite(a).any():
            of_first, of_second = (trained, trained) if train else (b, a)
            errors[place_of_one] = (of_first[np.nanargmin(a)] + of_second[np.nanargmin(b)]) / 2
    return errors


def quoted(networks, **cell):
    """Return the error of each data set of a cell that has one, mean over its networks; see ``judged``."""
    rows = enumerate(judged(networks, **cell))
    return {draw: np.nanmean(row) for draw, row in rows if np.isfinite(row).any()}


def combined(label, terms, *, constant=0.0, train=False, test_set=None, above=None, below=None):
    """Return the part of a sum of errors of cells, each a pair of its factor and its errors by data set.

    Data sets that all cells have are paired. The test set has the binomial error of each mean, times the factor,
    or that which is given by ``test_set``.
    """
    common = sorted(set.intersection(*(set(errors) for _, errors in terms)))
    values = [constant + sum(factor * errors[draw] for factor, errors in terms) for draw in common]
    variances = [factor**2 * binomial(errors) for factor, errors in terms]
    sample = 0.0 if train else test_set or math.sqrt(sum(variances))
    return mean(label, values, sample=sample, above=above, below=below)


def binomial(errors):
    """Return the variance of the mean error of a cell by its test set."""
    rate = np.mean([*errors.values()])
    return rate * (1 - rate) / SAMPLES


def arrived(gap, records, level, *, lasting):
    """Return the step at which a run arrives, ln gap being linear between records; None if it does not."""
    small = gap <= level
    i = np.flatnonzero(~small)[-1] + 1 if lasting else np.argmax(small)
    if not 0 < i < len(gap):
        return None
    part = math.log(gap[i - 1] / level) / math.log(gap[i - 1] / gap[i])
    return records[i - 1] + part * (records[i] - records[i - 1])


def steps(networks, kind, layers, p, level, *, lasting, stride=1):
    """Return ln of the steps of a method by data set, mean over starts, at the rate of the fewest.

    A run that does not arrive has taken the steps of the last record, and its rate is worse than any other.
    """
    cube = networks.isel(task=0, n_train=0, width=0)
    losses = cube.recorded_loss.sel(protocol=f"{kind}_{p}", depth=layers - 1)
    least = cube.recorded_loss.sel(protocol=f"newton_{p}", depth=0).isel(learning_rate=0, seed=0, step=2).values
    losses = losses.isel(learning_rate=slice(None, None, stride)).transpose("draw", "learning_rate", "seed", "step")
    records, found = cube.step.values, {}
    for draw, of_draw in enumerate(losses.values):
        rates = []
        for of_rate in of_draw:
            gaps = (of_rate - least[draw]) / (of_rate[:, :1] - least[draw])
            times = [None if np.isnan(gap).any() else arrived(gap, records, level, lasting=lasting) for gap in gaps]
            rates.append((times.count(None), np.mean([np.log(records[-1] if t is None else t) for t in times])))
        found[draw] = min(rates)[1]
    return found


def acceleration(networks, kind, p, gap, **rule):
    """Return ln(steps of one layer over those of two or three) by data set: of those better on the other data sets."""
    slow = steps(networks, kind, 1, p, gap, **rule)
    deep = [steps(networks, DESCENT, layers, p, gap, **rule) for layers in (2, 3)]
    found = {}
    for draw in slow:
        elsewhere = [np.mean([of[other] for other in of if other != draw]) for of in deep]
        found[draw] = slow[draw] - deep[int(elsewhere[1] < elsewhere[0])][draw]
    return found


def words(kind):
    return kind.replace("_", " ")
