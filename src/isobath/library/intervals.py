"""Means with the intervals of the project: over networks, or over data sets, and the test sample that they share."""

import json
import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, Undetermined
from isobath.analysis.laws.statistics import EQUAL
from isobath.analysis.over_networks import COUNTING, NETWORK_DIMS
from isobath.analysis.sampling_errors import RATIO, is_of_real_targets, with_ratio
from isobath.library import arguments, labels
from isobath.plugins import nearest
from isobath.results import DEVIATION
from isobath.statuses import UNTRAINED

# Errors on the test set, with the parts of it that each is measured on, in turn
TEST_ERRORS = {"test_error": 1, "early_stopping_error": 1, "best_error": 1, "recorded_test_error": 1}
TEST_ERRORS |= {"recorded_first_half_error": 2, "recorded_second_half_error": 2}
ABOUT = {
    "value": "mean",
    "low": "lower end of its 95 % interval",
    "high": "upper end of its 95 % interval",
    "spread": "standard error over networks, or over data sets where there are several",
    "sample": "standard error of the test set that all share",
    "count": "independent networks or data sets",
    "counted": "networks that are averaged",
    "trained": "networks that were trained",
}
COUNTS = ("count", "counted", "trained")


def interval(
    data: xr.Dataset,
    variable: str = "test_error",
    *,
    over: Sequence[str] | str | None = None,
    status: str | None = "fitted",
    n_test: int | None = None,
    together: int = 1,
) -> xr.Dataset:
    """Average a variable of networks or kernels ``over`` seed and draw, or one of them, with 95 % intervals.

    Where there are several data sets, along draw, they are the independent units: the networks of each are averaged
    first, and with ``together`` = 2 draws 0 and 1, 2 and 3, ..., which share a search for their learning rate, are one
    unit. Otherwise the networks are; a single regression has no error over units. Errors on a test set that all share
    add its error, of ``n_test`` samples, which results state themselves; 0 leaves it out. It is binomial of classes; of
    real targets it is that of a mean, where the data have the deviation over samples (``test_error_sd``). Networks
    count that ``fitted``, with the status ``finite`` all that did not diverge, and all with None. A variable with a
    name of your own is no such error unless you give ``n_test``.

    Returns value, low, high, spread (over units), sample (of the test set), count, counted and trained along the other
    dims, NaN where no network counts (with a warning if none does anywhere). The ends are NaN as well where all units
    are equal and no test set adds an error.
    Raises ValueError, one sentence.
    """
    means = averages(data, variable, over=over, status=status, n_test=n_test, together=together)
    if means.trained.any() and not means.counted.any():
        hint = "; with real targets, or noisy labels, networks hardly fit: status='finite' counts those as well"
        problem = "all means are NaN: none of the networks counts"
        warnings.warn(problem + (hint if status == "fitted" else ""), stacklevel=2)
    return means


def averages(
    data: xr.Dataset,
    variable: str = "test_error",
    *,
    over: Sequence[str] | str | None = None,
    status: str | None = "fitted",
    n_test: int | None = None,
    together: int = 1,
) -> xr.Dataset:
    """Return what ``interval`` does, without a warning where no network counts. Raises ValueError."""
    if not isinstance(data, xr.Dataset):
        raise ValueError(f"data is {type(data).__name__}; it must be a Dataset, such as a group of a cube, or of train")
    if n_test is not None:
        n_test = arguments.index(n_test, "n_test")
    together = arguments.index(together, "together", least=1)
    arguments.one_of(variable, map(str, data.data_vars), "variable")
    values, trained = _counting(data, variable, status)
    _require_finite(values, variable)
    values, trained = map(_with_distinct_draws, (values, trained))
    dims = _dims(values, over, data)
    rest = [dim for dim in values.dims if dim not in dims]
    n_test = 0 if n_test is None and not _has_sample_error(data, variable) else n_test
    if n_test != 0 and not _is_on_real_targets(data, variable):
        _require_shares(values, variable)
    shape = [values.sizes[dim] for dim in rest]
    arrays = {name: np.zeros(shape, int) if name in COUNTS else np.full(shape, np.nan) for name in ABOUT}
    for place in np.ndindex(*shape):
        position = dict(zip(rest, place, strict=True))
        cell, task = _with_ratio(values.isel(position), data, variable, position), _task(data, position)
        numbers = _estimated(cell, _cell(data, task, variable, n_test=n_test), together, trained="status" in data)
        numbers |= {"counted": int(cell.notnull().sum()), "trained": int(trained.isel(position).sum())}
        for name, number in numbers.items():
            arrays[name][place] = number
    units = data[variable].attrs.get("units", "1")
    columns = {
        name: (rest, arrays[name], {"long_name": long_name, "units": units}) for name, long_name in ABOUT.items()
    }
    coords = {n: c for n, c in data[variable].coords.items() if {*c.dims} <= {*rest}}
    if taken := sorted({*map(str, coords)} & {*ABOUT}):
        raise ValueError(f"data has the coordinate {taken[0]!r}, a name of what is returned; rename it")
    return labels.explained(xr.Dataset(columns, coords, {"variable": variable}))


def _counting(data: xr.Dataset, variable: str, status: str | None) -> tuple[xr.DataArray, xr.DataArray]:
    """Return the values that count, NaN for others, and which networks were trained."""
    if status is not None and not (isinstance(status, str) and status in COUNTING):
        raise ValueError(f"status is {status!r}; {nearest(str(status), COUNTING)}, or None")
    statuses = None if status is None else COUNTING[status]
    values = data[variable].reset_coords(drop=True)
    if values.dtype.kind not in "fiub":
        raise ValueError(f"variable is {variable!r}, which has no numbers to average")
    values = values.astype(float)
    if "status" not in data or (status is None and not {*data.status.dims} <= {*values.dims}):
        return values, values.notnull()
    if lacking := [str(dim) for dim in data.status.dims if dim not in values.dims]:
        raise ValueError(
            f"status has the dim {lacking[0]}, which {variable!r} lacks: which values count is not known; "
            "set those that do not to NaN, and give status=None"
        )
    words = labels.statuses(data.status.reset_coords(drop=True), "the status of data")
    counting = values if statuses is None else values.where(words.isin(statuses))
    return counting.transpose(*values.dims), (~words.isin(UNTRAINED)).broadcast_like(values).transpose(*values.dims)


def _require_finite(values: xr.DataArray, variable: str) -> None:
    """Refuse infinite values of networks that count, which a mean would leave out (ValueError)."""
    if np.isinf(values).any():
        problem = f"variable is {variable!r}, which is infinite for a network that counts"
        raise ValueError(f"{problem}; set it to NaN, or leave out such networks by their status")


def _require_shares(values: xr.DataArray, variable: str) -> None:
    """Refuse values that are no shares of a test set, of which there is no binomial error (ValueError)."""
    outside = values.where((values < 0) | (values > 1))
    if outside.notnull().any():
        problem = f"variable is {variable!r}, of which a value is {float(outside.max()):g}"
        raise ValueError(f"{problem}; shares of a test set lie between 0 and 1: give n_test=0 for what is none")


def _with_distinct_draws(values: xr.DataArray) -> xr.DataArray:
    """Return values whose data sets have numbers: in their order, where they have other labels or none.

    Raises ValueError for two data sets, or networks, of one label.
    """
    labels.require_distinct(values, "data")
    if "draw" not in values.dims:
        return values
    draws = values.draw.to_index()
    return values if draws.dtype.kind in "iu" else values.assign_coords(draw=range(len(draws)))


def _dims(values: xr.DataArray, over: Sequence[str] | str | None, data: xr.Dataset) -> list[str]:
    """Return the dims to average over: those of ``over``, without it all dims of networks in the values. ValueError.

    One network has no error over networks: trained ones need one of these dims, a regression does not.
    """
    if not (over is None or np.iterable(over)):
        raise ValueError(f"over is {over!r}; it must be {' or '.join(NETWORK_DIMS)}, or a list of both")
    names = NETWORK_DIMS if over is None else [over] if isinstance(over, str) else list(over)
    dims = [dim for dim in names if arguments.one_of(dim, NETWORK_DIMS, "over") in values.dims]
    if "status" in data and not dims:
        raise ValueError(
            f"data has none of the dims {', '.join(names)}; networks are averaged over one of them at least"
        )
    return dims


def _task(data: xr.Dataset, position: dict[Any, int]) -> str:
    task = data.task.isel(position, missing_dims="ignore") if "task" in data.coords else None
    return "" if task is None or task.size != 1 else str(task.item())


def _cell(data: xr.Dataset, task: str, variable: str, *, n_test: int | None) -> Cells:
    """Return the reader of a cell whose error is of ``n_test`` samples; None for as many as the data say."""
    spec = _settings(data, task)
    shared = (spec.get("n_test") or data.attrs.get("n_test")) if n_test is None else n_test
    if shared is None:
        raise ValueError(
            "n_test is None, and the data do not say it; give the size of the test set, or 0 to leave it out"
        )
    shared = arguments.index(shared, "n_test")
    measured_on = shared // TEST_ERRORS.get(variable, 1) if n_test is None else shared
    attrs = {"n_test": measured_on, "spec": json.dumps({"tasks": {task: {"kind": spec.get("kind", "")}}})}
    return Cells("", {}, attrs, {"task": task})


def _settings(data: xr.Dataset, task: str) -> dict[str, Any]:
    """Return the settings of a task as the attribute ``spec`` of data of a study has them; none of other data."""
    try:
        settings = json.loads(data.attrs.get("spec", "{}"))["tasks"][task]
    except (KeyError, TypeError, ValueError):
        return {}
    return settings if isinstance(settings, dict) else {}


def _has_sample_error(data: xr.Dataset, variable: str) -> bool:
    """Tell whether the error that the test set adds to a variable is known."""
    error = data["test_error"] if "test_error" in data else data[variable]
    return variable in TEST_ERRORS and (_is_on_real_targets(data, variable) or not is_of_real_targets(error))


def _is_on_real_targets(data: xr.Dataset, variable: str) -> bool:
    """Tell whether a variable is an error of real targets on the test set, whose deviation over samples data have."""
    return variable in TEST_ERRORS and {"test_error", DEVIATION} <= {*data}


def _with_ratio(cell: xr.DataArray, data: xr.Dataset, variable: str, position: dict[Any, int]) -> xr.DataArray:
    """Return the errors of a cell, those of real targets with their ratio of deviation to error; 0 if unknown."""
    if not _is_on_real_targets(data, variable):
        return cell
    known = with_ratio(data[["test_error", DEVIATION]].isel(position, missing_dims="ignore"))
    return cell.assign_coords({RATIO: known.coords.get(RATIO, 0.0)})


def _estimated(cell: xr.DataArray, cells: Cells, together: int, *, trained: bool) -> dict[str, float]:
    """Return the columns of the estimate of a cell (draw, seed); none where no network counts.

    What was ``trained`` has a spread, which one network alone does not tell; a regression has none.
    """
    try:
        networks = cell if "seed" in cell.dims else cell.expand_dims("seed")
        estimate = cells.mean(networks, cells.fixed["task"], together=together)
    except Undetermined:
        return {}
    if "seed" not in cell.dims and not estimate.draws and not trained:
        estimate = estimate.without_spread()
    return _columns(estimate)


def _columns(estimate: Estimate) -> dict[str, float]:
    equal = not estimate.error > EQUAL * abs(estimate.value)
    low, high = (math.nan, math.nan) if equal else estimate.interval()  # equal units say nothing of their error
    return {"value": estimate.value, "low": low, "high": high} | {
        "spread": estimate.spread,
        "sample": estimate.sample,
        "count": estimate.count,
    }
