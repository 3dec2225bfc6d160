"""Fit of a law to a variable of a data set, for every combination of its other dims, with 95 % intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.laws.bootstraps import Points, Samples, points, samples
from isobath.analysis.laws.data_sets import on_one_data_set, with_one_data_set
from isobath.analysis.laws.fit_points import Fit, fit_points, needed
from isobath.analysis.laws.intervals import LEAST_FREEDOM, Intervals, intervals
from isobath.analysis.laws.law import Law
from isobath.analysis.laws.least_squares import Data, solve
from isobath.analysis.laws.statistics import Statistic
from isobath.analysis.laws.variables import VARIABLES
from isobath.analysis.over_networks import NETWORK_DIMS
from isobath.analysis.standard_errors import RESAMPLES
from isobath.results import CELL


def fit(
    dataset: xr.Dataset,
    laws: Sequence[Law],
    *,
    variable: str,
    axis: str,
    along: str,
    generator: np.random.Generator,
    statistic: Statistic = "mean",
    minimum: float | None = None,
    maximum: float | None = None,
    bootstraps: int = RESAMPLES,
) -> xr.Dataset:
    """Fit laws y(x), ``variable`` against ``axis`` over the values of the dim ``along``, for all other dims apart.

    ``laws`` are the fixed and the free law of a form. Over networks (dims seed, draw) y is reduced by ``statistic``,
    x by the mean, those of each draw first; a network that is not to count, unfitted or diverged, must be NaN. Points
    with ``minimum`` <= x <= ``maximum`` are fitted if they have 2 networks, or 2 draws where a combination
    has several. Returns VARIABLES over fit (fixed, free), parameter and ``along``, with 95 % intervals over networks,
    and over test samples where ``dataset`` also has values without each part of them (see ``sample_parts``); no
    p_value, which is over networks alone, where points share networks, nor from points with fewer than 6; the exponent
    of the free fit also from the half of the points that lies farther ``along``, where x may be smaller. Raises
    ValueError for names that do not fit.
    """
    names_of = {"variable": variable, "axis": axis, "along": along}
    ends = (-np.inf if minimum is None else minimum), (np.inf if maximum is None else maximum)

    def fitted(data: xr.Dataset) -> xr.Dataset:
        networks = samples(data, **names_of, statistic=statistic, count=bootstraps, generator=generator)
        return _of_all_combinations(networks, laws, along, ends, statistic)

    of_one = with_one_data_set(dataset, variable, along)
    if not of_one.any():
        return fitted(dataset)
    several, one = fitted(dataset), fitted(on_one_data_set(dataset, **names_of))
    return several.map(lambda column: column.where(~of_one, one[column.name]), keep_attrs=True)


def _of_all_combinations(
    networks: Samples, laws: Sequence[Law], along: str, ends: tuple[float, float], statistic: Statistic
) -> xr.Dataset:
    """Fit the laws to the networks of each combination, at the points whose x lies between the ends."""
    names = list(dict.fromkeys(name for law in laws for name in law.names))
    low, high = ends
    results = []
    for i in np.ndindex(tuple(networks.y.sizes[dim] for dim in networks.rest)):
        arrays = (networks.x, networks.y, networks.x_without, networks.y_without, networks.picks)
        x, y, x_without, y_without, picks = (array.values[i] for array in arrays)
        cell = points(x, y, x_without, y_without, picks, statistic, smooth=networks.of_draws)
        chosen = (cell.freedom >= 1) & (low <= cell.x) & (cell.x <= high)
        far, independent = _far(networks, along, cell.x), along in CELL and not networks.of_draws
        fits = [_bootstrapped(law, cell, chosen, names, far=far, independent=independent) for law in laws]
        results.append(_described(cell, chosen) | {key: [fit[key] for fit in fits] for key in fits[0]})
    return _labelled(results, networks, along, fit=["free" if law.free else "fixed" for law in laws], parameter=names)


def _far(networks: Samples, along: str, x: np.ndarray) -> np.ndarray:
    """Return the numbers (p,) that grow towards the limit of a law: the points' places ``along``, or x without these.

    A law in a distance, which falls with the size of networks, has its limit where x is small.
    """
    has_places = along in networks.y.coords and networks.y[along].dtype.kind in "iuf"
    return networks.y[along].values if has_places else x


def _bootstrapped(
    law: Law, cell: Points, chosen: np.ndarray, names: list[str], *, far: np.ndarray, independent: bool
) -> dict[str, Any]:
    """Fit the chosen points, with intervals, parameters in the order of ``names``; no p-value if not independent."""
    fit, value, ends = _fitted(law, cell, chosen)
    order = [law.names.index(name) if name in law.names else -1 for name in names]
    columns = {"value": value, "low": ends.low, "high": ends.high}
    ordered = {key: np.append(column, np.nan)[order] for key, column in columns.items()}
    goodness = {"chi2": fit.chi2, "dof": fit.dof, "p_value": fit.p_value if independent else np.nan, "r2": fit.r2}
    about = {"failed": ends.failed, "parts": ends.parts, "reason": ends.reason}
    return ordered | about | goodness | _drift(law, cell, chosen, far)


def _fitted(law: Law, cell: Points, chosen: np.ndarray) -> tuple[Fit, np.ndarray, Intervals]:
    """Fit the chosen points: the fit, its parameters (q,) in the order of the law, and their intervals."""

    def estimates(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, list[str]]:
        solution = solve(Data(law, x, y, weight))
        return solution.values, solution.reasons

    x, y, error = cell.x[chosen], cell.y[chosen], cell.error[chosen]
    freedom = cell.freedom[chosen].astype(float)
    fit, tested = fit_points(x, y, error, law, freedom=freedom.min(initial=np.inf)), freedom > LEAST_FREEDOM
    if tested.any() and not tested.all():  # points of few networks are fitted, but their errors test nothing
        apart = fit_points(x[tested], y[tested], error[tested], law, freedom=freedom[tested].min())
        fit = fit if fit.reason else replace(fit, p_value=apart.p_value)
    value = np.array(list(fit.parameters.values()))
    ends = Intervals(value, value, 0, 0, fit.reason) if fit.reason else intervals(value, estimates, cell, chosen)
    return fit, value, ends


def _drift(law: Law, cell: Points, chosen: np.ndarray, far: np.ndarray) -> dict[str, Any]:
    """Fit the farther half of the chosen points, or as many as the law needs, if it has an exponent that is free."""
    nothing = {"upper": np.nan, "upper_low": np.nan, "upper_high": np.nan, "upper_reason": "no exponent is free"}
    if not law.free or "exponent" not in law.names:
        return nothing
    order = np.flatnonzero(chosen)[np.argsort(far[chosen])]
    count = max(len(order) - len(order) // 2, needed(law))
    if count >= len(order):
        return nothing | {"upper_reason": f"{len(order)} points; {count + 1} are needed to see the exponent drift"}
    above = np.isin(np.arange(len(chosen)), order[-count:])
    _, value, ends = _fitted(law, cell, above)
    exponents = (float(column[law.names.index("exponent")]) for column in (value, ends.low, ends.high))
    return dict(zip(("upper", "upper_low", "upper_high"), exponents, strict=True)) | {"upper_reason": ends.reason}


def _described(cell: Points, chosen: np.ndarray) -> dict[str, Any]:
    """Return the variables that describe the points and those of them that are fitted."""
    x = cell.x[chosen] if chosen.any() else np.array([np.nan])
    counts = {"n_points": chosen.sum(), "left_out": (cell.freedom < 1).sum(), "x_min": x.min(), "x_max": x.max()}
    return counts | {"x": cell.x, "y": cell.y, "error": cell.error, "networks": cell.networks, "fitted": chosen}


def _labelled(results: Sequence[Mapping[str, Any]], networks: Samples, along: str, **coords: Any) -> xr.Dataset:
    """Arrange the results of every combination, in C order: the dims of the combinations, then those of VARIABLES."""
    combination = networks.y.isel(dict.fromkeys((along, *NETWORK_DIMS), 0), drop=True)
    variables = {}
    for name, (dims, long_name) in VARIABLES.items():
        columns = [np.asarray(result[name]) for result in results]
        values = np.array(columns).reshape((*combination.shape, *columns[0].shape))
        values = values.astype(object) if values.dtype.kind == "U" else values
        axes = (along if dim == "along" else dim for dim in dims)
        variables[name] = ((*combination.dims, *axes), values, {"long_name": long_name, "units": "1"})
    places = {along: networks.y[along]} if along in networks.y.coords else {}
    return xr.Dataset(variables, coords={**combination.coords, **places, **coords})
