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
    dims = [dim for dim in over if dim in halves[0].dims]
    errors = [_at_the_smallest(choice, judge, dims) for choice, judge in (halves, halves[::-1])]
    long_name = "test error, chosen on one half of the test set and judged on the other"
    return ((errors[0] + errors[1]) / 2).assign_attrs(long_name=long_name, units="1")


def train_error(networks: xr.Dataset) -> xr.DataArray:
    """Return the recorded training error at the steps and rates that ``chosen`` takes: the mean of both ways."""
    halves = networks.recorded_first_half_error, networks.recorded_second_half_error
    judge = networks.recorded_train_error
    dims = [dim for dim in CHOICES if dim in judge.dims]
    first, second = (_at_the_smallest(choice, judge, dims) for choice in halves)
    return (first + second) / 2


def _at_the_smallest(choice: xr.DataArray, judge: xr.DataArray, dims: list[str]) -> xr.DataArray:
    """Return the error of one half, ``judge``, where that of the other, ``choice``, is smallest along ``dims``.

    Coordinates along these dims are left out. It is written in NumPy for speed, since claims ask for it often.
    """
    kept = [dim for dim in choice.dims if dim not in dims]
    of_cells = judge.isel(dict.fromkeys(dims, 0), drop=True).transpose(*kept)
    flat = *of_cells.shape, math.prod(choice.sizes[dim] for dim in dims)
    chooses, judges = (half.transpose(*kept, *dims).values.reshape(flat) for half in (choice, judge))
    place = np.where(np.isnan(chooses), np.inf, chooses).argmin(-1)
    return of_cells.copy(data=np.take_along_axis(judges, place[..., None], -1)[..., 0])


TWICE = "after twice the steps, if the error went on as in the second half of the training,"


def after_twice_the_steps(networks: xr.Dataset, quote: Callable[[xr.Dataset], xr.DataArray]) -> xr.DataArray | None:
    """Return the error that would be quoted after twice the steps, extrapolated in ln of the steps; not below 0.

    ``quote`` takes an error from networks. The error goes on as it went from the last record in the first half of the
    training to its end. The result is None where nothing was recorded in that half.
    """
    steps = recorded_steps(networks.recorded_test_error)
    early = steps[steps <= steps.max(initial=0) / 2]
    until = early.max(initial=0)
    if until <= 0:
        return None
    first = networks.isel(step=networks.step.values <= until)
    per_doubling = np.log(2) / np.log(steps.max() / until)
    last = quote(networks)
    return (last + float(per_doubling) * (last - quote(first))).clip(min=0)


def recorded_steps(values: xr.DataArray) -> np.ndarray:
    """Return the steps at which some network has a value, increasing; the axis has those of other cells as well."""
    steps: np.ndarray = values.step.values[values.notnull().any([dim for dim in values.dims if dim != "step"]).values]
    return steps


PAPERS, CLEAN = "best on the test set", "chosen on one half"
RULES = {PAPERS: best, CLEAN: chosen}


def accuracies(networks: xr.Dataset, rule: str, *, over: Sequence[str] = CHOICES) -> xr.DataArray:
    """Return 1 - the error that a rule quotes, of each network; NaN where all diverged or nothing was trained."""
    return 1 - RULES[rule](networks, over=over)
