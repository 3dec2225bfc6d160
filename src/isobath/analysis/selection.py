"""Rules that choose the step of a training, and the learning rate, at which a test error is quoted.

Some papers report the smallest test error on the way and over rates: it is chosen by the data
that judge it. The clean number lets one half of the test set choose and the other half judge, and
averages over the two ways. Both are given; they are never mixed.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import xarray as xr

CHOICES = ("step", "learning_rate")  # dims over which is chosen, where a cube has them


def best(networks: xr.Dataset, *, over: Sequence[str] = CHOICES) -> xr.DataArray:
    """Return the smallest recorded test error of each network on its way, and over the rates where they were swept.

    A paper that stops training by the test set quotes this number. ``over`` may hold more dims, such as width. The
    error is NaN where all networks diverged.
    """
    error = networks.recorded_test_error
    smallest: xr.DataArray = error.min([dim for dim in over if dim in error.dims])
    return smallest.assign_attrs(long_name="smallest test error, chosen by the test set", units="1")


def chosen(networks: xr.Dataset, *, over: Sequence[str] = CHOICES) -> xr.DataArray:
    """Return the test error where the other half of the test set has its smallest: ``over`` as for ``best``.

    The first step and rate are taken where errors are equal. The error is NaN where all networks diverged.
    """
    halves = networks.recorded_first_half_error, networks.recorded_second_half_error
    long_name = "test error, chosen on one half of the test set and judged on the other"
    return _chosen_by_halves(halves, halves[::-1], over).assign_attrs(long_name=long_name, units="1")


def train_error(networks: xr.Dataset) -> xr.DataArray:
    """Return the recorded training error at the steps and rates that ``chosen`` takes: the mean of both ways."""
    halves = networks.recorded_first_half_error, networks.recorded_second_half_error
    judge = networks.recorded_train_error
    return _chosen_by_halves(halves, (judge, judge), CHOICES).assign_attrs(judge.attrs)


def _chosen_by_halves(
    halves: Sequence[xr.DataArray], judges: Sequence[xr.DataArray], over: Sequence[str]
) -> xr.DataArray:
    """Return the mean over both halves of what a judge has where the error of the half is smallest along ``over``.

    Coordinates along these dims are left out. It is written in NumPy for speed, since claims ask for it often.
    """
    dims = [dim for dim in over if dim in halves[0].dims]  # of places with equal errors the first one counts
    of_networks = halves[0].isel(dict.fromkeys(dims, 0), drop=True)

    def rows(errors: xr.DataArray) -> np.ndarray:
        """Return errors (networks, choices)."""
        values = errors.variable.transpose(*of_networks.dims, *dims).values
        return values.reshape(of_networks.size, math.prod(errors.sizes[dim] for dim in dims))

    ways = [_at_the_smallest(rows(half), rows(judge)) for half, judge in zip(halves, judges, strict=True)]
    return of_networks.copy(deep=False, data=np.mean(ways, axis=0).reshape(of_networks.shape))


def _at_the_smallest(choice: np.ndarray, judge: np.ndarray) -> np.ndarray:
    """Return what ``judge`` (networks, choices) has where ``choice`` is smallest; the first place of equal ones."""
    place = np.where(np.isnan(choice), np.inf, choice).argmin(-1)
    taken: np.ndarray = np.take_along_axis(judge, place[:, None], -1)[:, 0]
    return taken


TWICE = "after twice the steps, if the error went on as in the second half of the training,"


def after_twice_the_steps(
    networks: xr.Dataset, quote: Callable[[xr.Dataset], xr.DataArray], quoted: xr.DataArray
) -> xr.DataArray | None:
    """Return the error that would be quoted after twice the steps, extrapolated in ln of the steps; not below 0.

    ``quote`` takes an error from networks, and ``quoted`` is what it took. The error goes on as it went from the last
    record in the first half of the training to its end. The result is None where nothing was recorded in that half.
    """
    steps = recorded_steps(networks.recorded_test_error)
    early = steps[steps <= steps.max(initial=0) / 2]
    until = early.max(initial=0)
    if until <= 0:
        return None
    first = networks.isel(step=networks.step.values <= until)
    per_doubling = np.log(2) / np.log(steps.max() / until)
    return (quoted + float(per_doubling) * (quoted - quote(first))).clip(min=0)


def recorded_steps(values: xr.DataArray) -> np.ndarray:
    """Return the steps at which some network has a value, increasing; the axis has those of other cells as well."""
    recorded = values.variable.notnull().any([dim for dim in values.dims if dim != "step"])
    steps: np.ndarray = values.step.values[recorded.values]
    return steps


PAPERS, CLEAN = "best on the test set", "chosen on one half"
RULES = {PAPERS: best, CLEAN: chosen}


def accuracies(networks: xr.Dataset, rule: str, *, over: Sequence[str] = CHOICES) -> xr.DataArray:
    """Return 1 - the error that a rule quotes, of each network; NaN where all diverged or nothing was trained."""
    return 1 - RULES[rule](networks, over=over)
