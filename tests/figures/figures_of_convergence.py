"""Numbers that figures of convergence have to draw: losses that fall, each method at the best of its own rates."""

import numpy as np
import xarray as xr
from artists import Panel, level, line, text
from planted_numbers import Case, numbers, shade, shown
from recorded_cubes import cube

STEPS, RATES, DRAWS = [0, 5, 10, 20, 40, 80, 160, 320], [0.02, 0.1, 0.4, 3.0], 3
PROTOCOLS = {  # kind and power of the loss
    "grad_4": ("adagrad", 4),
    "descent_4": ("gradient_descent", 4),
    "exact_4": ("newton", 4),
    "exact_2": ("newton", 2),
    "descent_2": ("gradient_descent", 2),
}
METHODS = [("descent_4", 1), ("descent_4", 2), ("descent_4", 3), ("grad_4", 1)]  # with p = 4, in the order of columns
CELL = {"task": ["d", "other"], "protocol": PROTOCOLS, "depth": [0, 1, 2], "n_train": [50, 70], "draw": DRAWS}
SHAPE = {**CELL, "learning_rate": RATES, "seed": 2}
WIDTH = {1: 0, 2: 7, 3: 7}  # of layers


def falls():
    """Return the gaps of all trainings: exponentials, at different speeds, one of which rises again."""
    speed = numbers(400, 0.015, 0.03, **SHAPE) * xr.DataArray([0.2, 1, 1.2, 0.3], dims="learning_rate")
    speed.loc[{"protocol": "grad_4"}] = numbers(401, 0.015, 0.03, **SHAPE).sel(protocol="grad_4")
    speed.loc[{"protocol": "descent_4", "depth": 0, "draw": 1}] *= 0.05  # too slow to arrive
    gap = np.exp(-speed * xr.DataArray(STEPS, {"step": STEPS}, "step"))
    gap.loc[{"protocol": "descent_4", "depth": 1, "step": 160}] = 0.3 + 0.1 * speed.sel(protocol="descent_4", depth=1)
    return gap


GAPS = falls()


def losses():
    """Return networks with the losses of these gaps, above the least loss of each data set and power."""
    least = numbers(402, 0.1, 0.3, task=CELL["task"], n_train=CELL["n_train"], draw=DRAWS, power=[2, 4])
    least = least.sel(power=xr.DataArray([p for _, p in PROTOCOLS.values()], dims="protocol")).drop_vars("power")
    height = numbers(403, 1, 3, task=CELL["task"], n_train=CELL["n_train"], draw=DRAWS, seed=2)
    exact = xr.DataArray([kind == "newton" for kind, _ in PROTOCOLS.values()], dims="protocol")
    loss = least + xr.where(exact & (GAPS.step > 0), 0.0, height * GAPS)
    wide, width = GAPS.depth > 0, xr.DataArray([0, 7], {"width": [0, 7]}, "width")
    asked = (width == 7) == wide
    asked = asked & (~exact | ~wide) & ((loss.protocol != "grad_4") | ~wide) & (~exact | (loss.learning_rate == 0.1))
    loss = loss.where(asked).transpose("task", "protocol", "depth", "width", ..., "step")
    status = xr.where(loss.isel(step=0, drop=True).notnull(), "unfitted", "missing").astype(object)
    kinds, powers = zip(*PROTOCOLS.values(), strict=True)
    table = xr.Dataset({"recorded_loss": loss, "status": status})
    return table.assign_coords(protocol_kind=("protocol", list(kinds)), protocol_loss_p=("protocol", list(powers)))


def arrival(gap, goal, *, lasting):
    """Return the step at which gaps (step,) arrive at a goal, with straight lines in their logarithm; inf if never."""
    above = np.flatnonzero(gap > goal)
    if gap[-1] > goal and (lasting or (gap > goal).all()):
        return np.inf
    place = above[-1] + 1 if lasting else np.flatnonzero(gap <= goal)[0]
    share = np.log(gap[place - 1] / goal) / np.log(gap[place - 1] / gap[place])
    return STEPS[place - 1] + share * (STEPS[place] - STEPS[place - 1])


def fastest(gaps, protocol, layers, draw, goal, *, lasting):
    """Return the geometric mean of steps over starts at the best rate of a data set, that rate, and if all arrived."""
    cell = gaps.sel(protocol=protocol, depth=layers - 1, draw=draw)
    rows = cell.transpose("learning_rate", "seed", "step").values
    times = np.array([[arrival(gap, goal, lasting=lasting) for gap in of_rate] for of_rate in rows])
    late = np.where(np.isinf(times), 1e6 + np.log(rows[..., -1]), np.log(np.where(np.isinf(times), 1, times)))
    best = late.mean(1).argmin()
    steps = np.exp(np.log(np.minimum(times[best], STEPS[-1])).mean())
    return steps, RATES[best], bool(np.isfinite(times[best]).all())


def column(gaps, place, protocol, layers, goal):
    """Expect the steps of a method on each data set, their geometric mean, and the range of their rates."""
    deep = protocol.startswith("descent")
    look = {"color": "#0072B2" if deep else "#D55E00", "style": ""}
    label = "gradient descent with N layers" if deep else "others, with one layer"
    first, lasting = (
        [fastest(gaps, protocol, layers, d, goal, lasting=stays) for d in range(DRAWS)] for stays in (False, True)
    )
    x, y = place + np.array([-0.15, 0, 0.15]), np.array([steps for steps, *_ in first])
    stayed = np.array([there for *_, there in lasting])
    arrived, rates = np.array([there for *_, there in first]), sorted(rate for _, rate, _ in first)
    middle = np.exp(np.log(y).mean())
    ends = "–".join(dict.fromkeys(f"{rate:g}" for rate in (rates[0], rates[-1])))
    found = " (!)" if {*rates} & {RATES[0], RATES[-1]} else ""
    return [
        line(label, x[arrived], y[arrived], marker="o", **look),
        line(None, x[stayed], np.array([steps for steps, *_ in lasting])[stayed], marker="x", **look),
        line(None, x[~arrived], y[~arrived], marker="^", face="white", **look),
        {"is": "strokes", "segments": [[[place - 0.3, middle], [place + 0.3, middle]]], "color": look["color"]},
        text(f"{ends}{found}", x=place),
    ]


@shown("iterations")
def steps_to_a_gap():
    gaps, panels = GAPS.isel(task=0, n_train=0), []
    for p, methods, ticks in (
        (2, [("descent_2", 1), ("descent_2", 2), ("descent_2", 3)], ["N = 1", "N = 2", "N = 3"]),
        (4, METHODS, ["N = 1", "N = 2", "N = 3", "adagrad"]),
    ):
        for goal in (0.1, 0.02):
            marks = [mark for i, method in enumerate(methods) for mark in column(gaps, i, *method, goal)]
            names = (None, "iterations", "linear log", dict(enumerate(ticks)))
            panels.append(Panel(f"p = {p}, gap {goal:g}", marks, *names))
    return Case(cube(losses()), {"gaps": [0.1, 0.02]}, panels)


@shown("loss_gaps")
def gaps_on_the_way():
    gaps, panels = GAPS.sel(task="other", n_train=70), []
    for p, methods in ((2, [("descent_2", 1), ("descent_2", 2), ("descent_2", 3)]), (4, METHODS)):
        marks = [level(0.02)]
        for i, (protocol, layers) in enumerate(methods):
            _, rate, _ = fastest(gaps, protocol, layers, 0, 0.02, lasting=True)
            y = gaps.isel(seed=0, draw=0).sel(protocol=protocol, depth=layers - 1, learning_rate=rate)
            deep = protocol.startswith("descent")
            label = f"{f'N = {layers}' if deep else 'adagrad'}, rate {rate:g}"
            look = {"color": shade(layers) if deep else f"C{i}", "style": "-" if deep else "--"}
            marks.append(line(label, [0.8, *STEPS[1:]], np.maximum(y, 1e-7), **look))
        panels.append(Panel(f"p = {p}", marks, "iterations", "(L − L*) / (L₀ − L*)", "log log"))
    settings = {"gap": 0.02, "task": "other", "n_train": 70}
    return Case(cube(losses()), settings, panels, ("solid: gradient descent with N layers",))
