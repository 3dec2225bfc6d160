"""Which step of a training, and which learning rate, a test error is quoted at.

The smallest test error on the way and over rates is what some papers report: it is chosen by the data
that judge it. The clean number lets one half of the test set choose and the other half judge, and
averages over the two ways. Both are given; they are never mixed.
"""

import numpy as np
import xarray as xr

CHOICES = ["step", "learning_rate"]  # what is chosen, where a cube has it as a dim


def best(networks: xr.Dataset) -> xr.DataArray:
    """The smallest recorded test error of each network on its way, and over the rates where they were swept.

    What a paper reports that stops by the test set. NaN where every rate diverged.
    """
    error = networks.recorded_test_error
    smallest: xr.DataArray = error.min(_choices(error))
    return smallest.assign_attrs(long_name="smallest test error, chosen by the test set", units="1")


def chosen(networks: xr.Dataset) -> xr.DataArray:
    """The test error where the other half of the test set is smallest: of each network, over steps and rates.

    Of equal errors the first step and rate serve. NaN where every rate diverged.
    """
    halves = networks.recorded_first_half_error, networks.recorded_second_half_error
    judged = [_at_the_smallest(choice, judge) for choice, judge in (halves, halves[::-1])]
    about = {"long_name": "test error, chosen on one half of the test set and judged on the other", "units": "1"}
    return ((judged[0] + judged[1]) / 2).assign_attrs(about)


def _choices(error: xr.DataArray) -> list[str]:
    return [dim for dim in CHOICES if dim in error.dims]


def _at_the_smallest(choice: xr.DataArray, judge: xr.DataArray) -> xr.DataArray:
    flat = {"choice": _choices(choice)}
    choice, judge = (half.stack(flat, create_index=False) for half in (choice, judge))
    place = choice.fillna(np.inf).argmin("choice")
    return judge.isel(choice=place).drop_vars(CHOICES, errors="ignore")
