"""Numbers that the figure of sample sizes has to draw: the sizes N at which networks and kernels reach an error."""

import numpy as np
import xarray as xr
from artists import Panel, curve, line
from figures_of_shapes import by_draw
from planted_numbers import Case, at_widths, half, mean, numbers, shade, shown
from recorded_cubes import cube, recorded

DIMENSIONS = {"wide": ("k_local", 30), "small": ("k_local", 5), "middle": ("k_local", 10), "global": ("k_global", 8)}
HEIGHTS = {100: 0.4, 300: 0.28, 900: 0.12}  # of errors by N; others are added


def falling(errors, seed):
    """Return errors that fall with N from above 0.25 to below; on one data set of the widest they stay above."""
    errors = (errors - 0.1) / 7 + xr.DataArray([HEIGHTS[n] for n in errors.n_train.values], dims="n_train")
    shift = 0.03 * numbers(seed, 0, 1, task=DIMENSIONS, depth=[7, 1])
    return (errors + shift).transpose(*errors.dims)


def reaching(errors, level_=0.25):
    """Return N (draw,) at which errors (N, draw), N in the order of HEIGHTS, reach a level in ln N."""
    logs = np.log([*HEIGHTS])
    found = []
    for column in np.asarray(errors).T:
        i = int(np.flatnonzero(column > level_)[-1])
        share = (column[i] - level_) / (column[i] - column[i + 1])
        found.append(logs[i] + share * (logs[i + 1] - logs[i]))
    return np.array(found)


@shown("sample_sizes")
def sizes_that_reach_an_error():
    axes = {"task": DIMENSIONS, "depth": [7, 1], "width": [50, 99], "n_train": [*HEIGHTS], "draw": 3}
    table = recorded(250, **axes)
    names = [name for name in table.data_vars if name.startswith("recorded")]
    table = table.assign({name: falling(table[name], 251) for name in names})
    table.recorded_first_half_error.loc[{"task": "wide", "depth": 7, "draw": 1}] += 0.3
    table.recorded_second_half_error.loc[{"task": "wide", "depth": 7, "draw": 1}] += 0.3
    table = at_widths(table, dict.fromkeys(DIMENSIONS, 50) | {"middle": 99})
    kernels = numbers(
        252, 0.1, 0.2, task=DIMENSIONS, kernel=["rf", "ntk_beta0.1"], depth=[7, 1], n_train=[*HEIGHTS], draw=3
    )
    kernels = falling(kernels, 253)
    kinds = {
        f"task_{name}": ("task", [d[i] for d in DIMENSIONS.values()]) for i, name in enumerate(("kind", "dimension"))
    }
    groups = [group.assign_coords(kinds) for group in (table, xr.Dataset({"test_error": kernels}))]
    panels = []
    for kind, tasks in (("global", ["global"]), ("local", ["small", "middle", "wide"])):
        marks = []
        for depth in (7, 1):
            own = tasks[:2] if depth == 7 else tasks
            logs = np.stack([reaching(_clean_by_size(table, task, depth)) for task in own])
            marks.append(_sizes(f"L = {depth}", own, logs, depth, marker="o", style="-"))
            cells = [kernels.sel(kernel="ntk_beta0.1", task=task, depth=depth).values for task in tasks]
            logs = np.stack([reaching(cell) for cell in cells])
            marks.append(_sizes(f"NTK, β = 0.1, L = {depth}", tasks, logs, depth, marker="s", style="--"))
        x = np.array([DIMENSIONS[task][1] for task in tasks], dtype=float)
        marks.append(line(None, x, _guide(x, [mark["y"] for mark in marks]), color="#999999"))
        panels.append(Panel(f"{kind} labels", marks, "dimension d", "samples N for an error of 0.25", "log log"))
    settings = {"protocol": "adam", "kernel": "ntk_beta0.1", "level": 0.25}
    return Case(cube(groups[0], kernels=groups[1]), settings, panels)


def _clean_by_size(table, task, depth):
    cells = table.sel(task=task, protocol="adam", depth=depth, width=99 if task == "middle" else 50)
    rows = []
    for n in HEIGHTS:
        at = cells.sel(n_train=[n]).assign_coords(n_train=[100])
        rows.append(by_draw(at))
    return np.stack(rows)


def _guide(x, curves):
    """Return a test that y is d^2 up to a factor, and in the middle of the curves."""
    ends = np.min(np.concatenate(curves)), np.max(np.concatenate(curves))
    return lambda y: np.allclose(y / x**2, y[0] / x[0] ** 2) and ends[0] < np.exp(np.log(y).mean()) < ends[1]


def _sizes(label, tasks, logs, depth, **look):
    y, reach = np.exp(mean(logs)), np.exp(half(logs))
    x = [DIMENSIONS[task][1] for task in tasks]
    return curve(label, x, y, low=y / reach, high=y * reach, color=shade(depth), **look)
