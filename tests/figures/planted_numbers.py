"""Numbers that differ along every axis of a cube, and what figures and tables make of them, written out by numpy."""

import json
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from artists import Panel, level
from matplotlib import colormaps
from scipy.stats import t as student

MARKERS = "osD^vP*X"  # markers of the first, second, ... curve
CASES = []  # every figure that is compared with its numbers: name, kind, function that makes its case


class Case(NamedTuple):
    """A cube, the settings of a figure of it, and what it has to show.

    That are panels, words of the small print, and labels of the legend in their order. All points lie within the frames
    of a figure that is ``framed``.
    """

    cube: xr.DataTree
    settings: dict[str, Any]
    panels: list[Panel]
    says: tuple[str, ...] = ()
    framed: bool = True
    legend: tuple[str, ...] | dict[str, str] | None = None


def shown(kind):
    """Register the case of a figure of a kind."""

    def register(function):
        CASES.append((function.__name__, kind, function))
        return function

    return register


def numbers(seed, low, high, /, **axes):
    """Return uniform numbers along ``axes``, each of values or of a length."""
    coords = {dim: list(range(axis)) if isinstance(axis, int) else list(axis) for dim, axis in axes.items()}
    values = np.random.default_rng(seed).uniform(low, high, [len(axis) for axis in coords.values()])
    return xr.DataArray(values, coords, list(coords))


def at_widths(table, widths):
    """Return networks of which each task has those of one width alone."""
    there = table.width == xr.DataArray([widths[task] for task in table.task.values], dims="task")
    return table.assign({
        name: table[name].where(there, "missing" if name == "status" else np.nan)
        for name in table.data_vars
        if "width" in table[name].dims
    })  # fmt: skip


def of_ten_classes(case):
    """Return a case whose tasks have ten classes: no error of one half is marked."""
    tree = case.cube.copy()
    tree.attrs["spec"] = json.dumps({"tasks": {"a": {"kind": "mnist"}}})
    panels = [panel._replace(marks=[mark for mark in panel.marks if mark != level(0.5)]) for panel in case.panels]
    assert all(len(new.marks) < len(old.marks) for new, old in zip(panels, case.panels, strict=True))
    return case._replace(cube=tree, panels=panels)


def shade(depth):
    """Return the colour of a depth: from light to dark in the logarithm."""
    return colormaps["viridis_r"](min(1.0, 0.15 + 0.8 * np.log(1 + depth) / np.log(11)))


def rank_shade(i, of):
    """Return the colour of the i-th of some curves."""
    return colormaps["viridis_r"](0.1 + 0.85 * i / max(1, of - 1))


def mean(values):
    """Return the mean of those that are not NaN along the last axis; NaN of none."""
    return _over(values, np.mean)


def sd(values):
    """Return the standard deviation with n - 1 along the last axis, NaN left out; NaN of fewer than two."""
    return _over(values, lambda row: row.std(ddof=1) if len(row) > 1 else np.nan)


def half(values):
    """Return half of Student's 95 % interval of the mean along the last axis; NaN of fewer than two values."""
    return _over(
        values,
        lambda row: student.ppf(0.975, len(row) - 1) * row.std(ddof=1) / len(row) ** 0.5 if len(row) > 1 else np.nan,
    )


def _over(values, statistic):
    values = np.asarray(values, dtype=float)
    rows = [row[np.isfinite(row)] for row in values.reshape(-1, values.shape[-1])]
    found = np.array([statistic(row) if len(row) else np.nan for row in rows])
    return found.reshape(values.shape[:-1])


def clean(first, second, judged=None):
    """Return errors where the other half of the test set has its smallest, over the last axis; the mean of both ways.

    ``judged`` is another quantity that is taken at these places.
    """
    halves = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    places = [np.where(np.isnan(half_), np.inf, half_).argmin(-1) for half_ in halves]
    others = halves[::-1] if judged is None else (np.asarray(judged, dtype=float),) * 2
    taken = [np.take_along_axis(v, p[..., None], -1)[..., 0] for v, p in zip(others, places, strict=True)]
    return sum(taken) / 2


def quoted(table, *over, judged=None):
    """Return the errors (..., seed) of ``clean`` of recorded networks, chosen over dims; draws are seeds as well."""
    names = [f"recorded_{half_}_half_error" for half_ in ("first", "second")]
    columns = [_networks_last(table[name], over) for name in names]
    return clean(*columns, None if judged is None else _networks_last(table[judged], over))


def best(table, *over):
    """Return the smallest test errors (..., seed) over dims."""
    values = _networks_last(table["recorded_test_error"], over)
    smallest = np.where(np.isnan(values), np.inf, values).min(-1)
    return np.where(np.isinf(smallest), np.nan, smallest)


def _networks_last(values, over):
    """Return values (..., network, choice), where the networks are those of all draws."""
    own = [dim for dim in ("draw", "seed") if dim in values.dims]
    rest = [dim for dim in values.dims if dim not in (*own, *over)]
    ordered = values.transpose(*rest, *own, *over).values
    return ordered.reshape(*ordered.shape[: len(rest)], -1, int(np.prod([values.sizes[dim] for dim in over])))


def parts_of_variance(errors):
    """Return sd and shares (3, [value, low, high]) of data set, search and start in errors (D, S, R).

    Mean squares over their chi^2, which are drawn as the code has it, are a generalised interval of 95 %.
    """
    d, s, r = errors.shape
    of_data, of_search, of_start = errors.mean((1, 2)), errors.mean(2), errors.mean(1)
    rest = errors - of_search[:, :, None] - of_start[:, None, :] + of_data[:, None, None]
    freedom = np.array([d - 1, d * (s - 1), d * (r - 1), d * (s - 1) * (r - 1)])
    squares = [s * r * ((of_data - of_data.mean()) ** 2).sum(), r * ((of_search - of_data[:, None]) ** 2).sum()]
    squares = np.array([*squares, s * ((of_start - of_data[:, None]) ** 2).sum(), (rest**2).sum()])
    chi = np.random.default_rng(0).chisquare(freedom, (20_000, 4))

    def parts(mean_squares):
        ms_d, ms_s, ms_r, ms_e = np.moveaxis(mean_squares, -1, 0)
        found = (ms_d - ms_s - ms_r + ms_e) / (s * r), (ms_s - ms_e) / r, (ms_r + (s - 1) * ms_e) / s
        return np.maximum(np.stack(found), 0)

    value, drawn = parts(squares / freedom), parts(squares / chi)
    tables = []
    for of_one, of_many in ((value**0.5, drawn**0.5), (value / value.sum(), drawn / drawn.sum(0))):
        tables.append(np.stack([of_one, *np.quantile(of_many, (0.025, 0.975), axis=1)], axis=1))
    return tables
