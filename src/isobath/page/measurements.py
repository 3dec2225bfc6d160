"""Measurements of the interactive chart: mean errors with their 95 % intervals, a row per cell of every cube.

Means and intervals are those of the verdicts (``analysis/cells.py``): over data sets where a cell has several, else
over networks of one, and the test sample; of the networks that fitted, and of all that did not diverge.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.analysis.sampling_errors import RATIO, ratio
from isobath.page.contents import Study
from isobath.results import DEVIATION, kernels
from isobath.statuses import FINITE, FITTED, UNTRAINED

DIGITS = 4  # of a number; the cubes have all
INDEPENDENT = ("draw", "seed")
ROOM = 1_500_000  # characters of all grids
LEAST = 2  # cells that a cube needs to be drawn


class Row(NamedTuple):
    """A cell: its axes (None where it has none), the number of networks that fitted and were trained, two means.

    A mean is (value, low, high), with None for a missing number: ``fitted`` is that of the networks that fitted,
    ``finite`` that of all that did not diverge, None if it is the same.
    """

    task: str
    method: str
    depth: int | None
    width: int | None
    n_train: int | None
    learning_rate: float | None
    n_weights: int | None
    counted: int
    trained: int
    fitted: Sequence[float | None] | None
    finite: Sequence[float | None] | None


def of_studies(studies: Sequence[Study]) -> dict[str, Any]:
    """Return the measurements of all studies as plain data, rounded to DIGITS; grids beyond ROOM are ``left_out``."""
    cubes = [(study.name, grid, cube) for study in studies for grid, cube in study.cubes.items()]
    measured = [entry for entry in (_of_cube(*cube) for cube in cubes) if len(entry["rows"]) >= LEAST]
    fitting, excess = _within(measured, ROOM)
    return {
        "columns": Row._fields,
        "grids": fitting,
        "left_out": [f"{entry['study']}/{entry['grid']}" for entry in excess],
    }


def _within(entries: Sequence[dict[str, Any]], room: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the entries that fit one after the other into this many characters, and those that do not."""
    fitting: list[dict[str, Any]] = []
    excess: list[dict[str, Any]] = []
    for entry in entries:
        size = len(json.dumps(entry))
        (fitting if size <= room else excess).append(entry)
        room -= size if size <= room else 0
    return fitting, excess


def _of_cube(study: str, grid: str, cube: xr.DataTree) -> dict[str, Any]:
    groups = {node.path.strip("/"): node.to_dataset(inherit=False) for node in cube.subtree if node.has_data}
    cells = Cells(grid, groups, {str(name): value for name, value in cube.attrs.items()})
    rows = [*_networks(cells), *(row for group in kernels.GROUPS for row in _regressions(cells, group))]
    tasks = json.loads(cube.attrs["spec"]).get("tasks", {})
    settings = {name: _plain(tasks.get(name, {})) for name in dict.fromkeys(row.task for row in rows)}
    return {"study": study, "grid": grid, "error": _label(groups), "tasks": settings, "rows": rows}


def _label(groups: Mapping[str, xr.Dataset]) -> str:
    attrs = [groups[group].test_error.attrs for group in ("networks", *kernels.GROUPS) if _has_errors(groups, group)]
    return str(attrs[0].get("long_name", "test error")) if attrs else ""


def _plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a task that are numbers, words or flags."""
    return {name: value for name, value in settings.items() if isinstance(value, str | int | float)}


def _has_errors(groups: Mapping[str, xr.Dataset], group: str) -> bool:
    return group in groups and "test_error" in groups[group] and "task" in groups[group].dims


def _networks(cells: Cells) -> Iterator[Row]:
    """Yield the cells of networks that were trained."""
    if not _has_errors(cells.groups, "networks"):
        return
    group = cells.groups["networks"]
    axes = [str(dim) for dim in group.status.dims if dim not in INDEPENDENT]
    sizes = group["n_weights"] if "n_weights" in group else group.test_error * math.nan
    deviations = group.get(DEVIATION)
    variables = [group.status, group.test_error, *([] if deviations is None else [deviations])]
    arrays = [values.transpose(*axes, *INDEPENDENT).values for values in variables]
    weights = sizes.transpose(*axes, ...).values
    for place in np.ndindex(*arrays[0].shape[: len(axes)]):
        status, errors, *deviation = (array[place] for array in arrays)
        known = ratio(errors.reshape(1, -1), deviation[0].reshape(1, -1)) if deviation else None
        shared = {"draw": group.draw, **({} if known is None else {RATIO: known})}
        trained = ~np.isin(status, UNTRAINED)
        if trained.any():
            coords = _coords(group, axes, place)
            fit, finite = status == FITTED, np.isin(status, FINITE)
            of_fitted = _mean(cells, coords, errors, fit, shared)
            same = np.array_equal(fit, finite)
            means = [of_fitted, of_fitted if same else _mean(cells, coords, errors, finite, shared)]
            counts = int((status == FITTED).sum()), int(trained.sum())
            yield _row(coords, coords["protocol"], _size(weights[place]), counts, means)


def _coords(data: xr.Dataset | xr.DataArray, axes: Sequence[str], place: Sequence[int]) -> dict[str, Any]:
    """Return the values of the axes at a place."""
    return {axis: data[axis].values[i : i + 1].tolist()[0] for axis, i in zip(axes, place, strict=True)}


def _size(weights: Any) -> int | None:
    finite = weights[np.isfinite(weights)]
    return int(finite.max()) if finite.size else None


def _mean(
    cells: Cells, coords: Mapping[str, Any], errors: Any, counting: Any, shared: Mapping[str, Any]
) -> list[float | None] | None:
    """Return the mean error (draw, seed) of some networks with its interval; None if there are none.

    ``shared`` are the coordinates of all.
    """
    selected = xr.DataArray(np.where(counting, errors, math.nan), dims=INDEPENDENT, coords=shared)
    try:
        return _rounded(cells.mean(selected, coords["task"], together=cells.draws_by_search(coords)))
    except Undetermined:
        return None


def _regressions(cells: Cells, group: str) -> Iterator[Row]:
    """Yield the kernel regressions of a group: kernels with a depth, or those without."""
    if not _has_errors(cells.groups, group):
        return
    errors = cells.groups[group].test_error
    axes = [str(dim) for dim in errors.dims if dim != "draw"]
    for place in np.argwhere(errors.notnull().any("draw").transpose(*axes).values).tolist():
        coords = _coords(errors, axes, place)
        try:
            mean = _rounded(cells.regression(**coords))
        except (NotRun, Undetermined):
            continue
        yield _row(coords, f"kernel {coords['kernel']}", None, (0, 0), [mean, mean])


def _row(coords: Mapping[str, Any], method: str, weights: int | None, counts: tuple[int, int], means: list[Any]) -> Row:
    fitted, finite = means
    axes = coords.get("depth"), coords.get("width"), coords.get("n_train"), _round(coords.get("learning_rate"))
    return Row(coords["task"], method, *axes, weights, *counts, fitted, None if finite == fitted else finite)


def _rounded(estimate: Estimate) -> list[float | None]:
    return [_round(number) for number in (estimate.value, *estimate.interval())]


def _round(number: Any) -> Any:
    """Return a number to DIGITS; whole ones as they are, None for one that is not finite."""
    if number is None or isinstance(number, int):
        return number
    return float(f"{number:.{DIGITS}g}") if math.isfinite(number) else None
