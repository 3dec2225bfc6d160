"""Standard errors that a test set adds to errors of networks, which share it.

The error of classes is a share of samples, whose error is binomial. That of real targets is a mean over samples, whose
deviation results store: it goes with the error, so that the ratio of both is that of other steps of a training too.
"""

import math
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.contributions import source_of
from isobath.analysis.estimates import ONE_DATA_SET, Estimate
from isobath.analysis.over_networks import NETWORK_DIMS
from isobath.analysis.standard_errors import binomial_error, standard_error
from isobath.results import DEVIATION, REAL

RATIO = "deviation_over_error"  # coordinate of errors of real targets: one number for each cell


def is_of_real_targets(error: xr.DataArray) -> bool:
    """Tell whether an error is a mean square over real targets, and no share of misclassified samples."""
    return str(error.attrs.get("long_name", "")).startswith(REAL)


def with_ratio(cell: xr.Dataset) -> xr.Dataset:
    """Return the networks or regressions of a cell with the ratio that their errors have, where it is known.

    Of several rates, or other choices, that of the smallest test error of each network is taken. Networks of classes
    have no deviation over samples, and stay as they are.
    """
    if DEVIATION not in cell:
        return cell
    choices = [dim for dim in cell.test_error.dims if dim not in NETWORK_DIMS]
    error, deviation = (cell[name].transpose(*choices, ...).values for name in ("test_error", DEVIATION))
    found = ratio(*(values.reshape(math.prod(values.shape[: len(choices)]), -1) for values in (error, deviation)))
    return cell if found is None else cell.assign_coords({RATIO: found})


def ratio(errors: np.ndarray, deviations: np.ndarray) -> float | None:
    """Return the median over networks of deviation over error, (choices, networks), each at its smallest error.

    The ratio is 0 where all errors are, and None where no deviation is known.
    """
    known = np.isfinite(errors) & np.isfinite(deviations)
    best = np.where(known, errors, np.inf).argmin(0)[None]
    error, deviation, there = (np.take_along_axis(values, best, 0)[0] for values in (errors, deviations, known))
    if not there.any():
        return None
    above = there & (error > 0)
    return float(np.median(deviation[above] / error[above])) if above.any() else 0.0


def sample_error(errors: xr.DataArray, mean: float, n_test: int | None) -> float:
    """Return the standard error of the ``mean`` of errors over ``n_test`` samples that all share; 0 for None."""
    if RATIO in errors.coords and n_test:
        return abs(mean) * float(errors[RATIO]) / math.sqrt(n_test)
    return binomial_error(mean, n_test)


def measured(errors: xr.DataArray, *, n_test: int | None) -> Estimate:
    """Estimate the mean error of networks, as a measurement of its own."""
    plain = Estimate.over(errors)
    estimate = Estimate(plain.value, plain.spread, sample_error(errors, plain.value, n_test), plain.count)
    return estimate.known_as(source_of(errors))


def measured_by_draw(errors: xr.DataArray, *, n_test: int | None) -> dict[int, Estimate]:
    """Return the mean error of the networks of each draw that has one, by draw; by 0 where the draw is not known."""
    if "draw" not in errors.dims:
        return {int(errors.draw) if "draw" in errors.coords else 0: measured(errors, n_test=n_test)}
    rows = {int(draw): errors.isel(draw=place) for place, draw in enumerate(errors.draw.values)}
    return {draw: measured(row, n_test=n_test) for draw, row in rows.items() if row.variable.notnull().any()}


def paired(differences: Any, *, spread: float, count: int) -> Estimate:
    """Estimate a difference of two errors from its value at each test sample (T,) that both were tested on.

    ``spread`` is its standard error over networks of one data set, ``count`` the smaller number of these.
    """
    sample = standard_error(differences)
    return Estimate(float(np.mean(differences)), spread, sample, count, fixed=ONE_DATA_SET)
