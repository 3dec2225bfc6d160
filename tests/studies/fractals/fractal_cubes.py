"""Made-up cubes of the fractals study: errors as a function of task, depth and width, and the theory computed small."""

import functools
import json

import numpy as np
import xarray as xr

from isobath.analysis.cubes import describe
from isobath.calculations import deep_certificates, initial_gradients, least_errors, region_counts

RATES, SEEDS, STEPS, NOISE = [0.0005, 0.002, 0.01], 5, [0, 8, 10, 20], 0.002
WORSE = (0.1, 0.0, 0.1)  # at each rate, as a share of what is gained over guessing; late steps are best
STARTS = (
    ("uniform, b = 0.5", {"kind": "narrow_uniform", "bias": 0.5}),
    ("uniform, b = 0.25", {"kind": "narrow_uniform", "bias": 0.25}),
    ("glorot, b = 0.1", {"kind": "variance_scaling", "bias": 0.1}),
    ("he, b = 0.1", {"kind": "he_normal", "bias": 0.1}),
)


def fractal(system, curve, *, levels=3, **more):
    return {"kind": "fractal", "system": system, "levels": levels, "curve": curve, "margin": 0.0, **more}


def networks(tasks, error, *, depths=(1, 3, 5), widths=(10, 40), missing=(), worse=None, dead=None, draws=1, alive=0):
    """Make networks whose test error after training is ``error(task, depth, width)``, at the best of three rates.

    On curve 6 they lose ``worse`` at each rate, and all of them are ``dead`` at one rate, given by its place, but on
    the last ``alive`` data sets, where they lose no more than on other curves.
    """
    rng = np.random.default_rng(0)
    shape = (len(tasks), 1, len(depths), len(widths), 1, draws, len(RATES), SEEDS, len(STEPS))
    planted = np.array([[[error(t, d, w) for w in widths] for d in depths] for t in tasks.values()])
    planted = planted[:, None, :, :, None, None, None, None, None] + NOISE * rng.standard_normal(shape)
    finest = np.array([task.get("curve") == 6 for task in tasks.values()])
    lost = np.where(finest[:, None], worse or WORSE, WORSE)  # (task, rate)
    late = lost[:, None, None, None, None, None, :, None, None] + np.array([0.5, 0.2, 0.0, 0.0])
    late = np.repeat(late, draws, axis=5)
    late[..., draws - alive :, :, :, :] = np.reshape(WORSE, (-1, 1, 1)) + np.array([0.5, 0.2, 0.0, 0.0])
    recorded = np.clip(planted * 1.0 + (0.5 - planted) * late, 0, 1)
    norms = rng.uniform(0.9, 1.1, (2, *shape))
    if dead is not None:
        norms[:, finest, :, :, :, :, : draws - alive, dead] = 1.0
    gone = np.zeros(shape[:-1], dtype=bool)
    for task, depth, width in missing:
        gone[list(tasks).index(task), 0, depths.index(depth), widths.index(width)] = True
    recorded = np.where(gone[..., None], np.nan, recorded)
    dims = ["task", "protocol", "depth", "width", "n_train", "draw", "learning_rate", "seed"]
    coords = [list(tasks), ["adam"], list(depths), list(widths), [100], range(draws), RATES, range(SEEDS)]
    parameters = np.array([[d * w * w + 4.0 * w for w in widths] for d in depths])[:, :, None, None, None, None]
    data = {f"recorded_{name}": ([*dims, "step"], recorded) for name in ("test_error", "first_half_error")}
    data["recorded_second_half_error"] = ([*dims, "step"], recorded)
    data |= {f"recorded_{part}_norm": ([*dims, "step"], n) for part, n in zip(("train", "test"), norms, strict=True)}
    data["status"] = (dims, np.where(gone, "missing", "unfitted").astype(object))
    data["n_parameters"] = (dims, np.where(gone, np.nan, parameters))
    table = xr.Dataset(data, coords={**dict(zip(dims, coords, strict=True)), "step": STEPS})
    return describe(table, {"task": tasks})


def grid(name, tasks, error, **how):
    node = xr.DataTree.from_dict({"networks": networks(tasks, error, **how)})
    node.attrs |= {"n_test": 100_000, "spec": json.dumps({"tasks": tasks})}
    return {name: node}


def constructions(tasks, kinds, rows):
    """Make scores of constructions from ``rows``.

    They map (task, construction) to test error, error of class 0 and of class 1, largest width and hidden layers.
    """
    table = xr.Dataset(coords={"task": list(tasks), "construction": list(kinds), "class": [0, 1]})
    for name in ("test_error", "largest_width", "n_hidden_layers", "class_error"):
        dims = ("task", "construction", "class")[: 3 if name == "class_error" else 2]
        table[name] = (dims, np.full([table.sizes[dim] for dim in dims], np.nan))
    for (task, kind), (error, *by_class, width, layers) in rows.items():
        values = {"test_error": error, "class_error": by_class, "largest_width": width, "n_hidden_layers": layers}
        for name, value in values.items():
            table[name].loc[{"task": task, "construction": kind}] = value
    return describe(table.assign(class_count=("class", [10_000, 10_000])), {"task": tasks, "construction": kinds})


@functools.cache
def calculations():
    """Return the calculations of the theory, at sizes that take a second."""
    rng = np.random.default_rng(0)
    small = {"generator": rng, "initialisations": STARTS}
    return {
        "region_counts": region_counts.calculate(depth=(1, 2), width=(5,), networks=5, levels=(1, 2, 3), **small),
        "least_errors": least_errors.calculate(generator=rng, levels=5, curves=(1, 6)),
        "initial_gradients": initial_gradients.calculate(
            levels=22, growth=(1.0, 4.0), depth=(1,), width=5, networks=60, delta=0.2, **small
        ),
        "deep_certificates": deep_certificates.calculate(generator=rng, levels=(24,), shortcut=3, samples=20),
        "deep_gradients": initial_gradients.calculate(
            generator=rng, levels=24, growth=(1.0,), depth=(9,), width=3, networks=20, delta=0.2,
            initialisations=STARTS[:2],
        ),
    }  # fmt: skip


def theory(tasks, kinds, rows, numbers):
    groups = {f"calculations/{name}": table for name, table in numbers.items()}
    node = xr.DataTree.from_dict({"constructions": constructions(tasks, kinds, rows), **groups})
    node.attrs["spec"] = json.dumps({"tasks": tasks})
    return {"theory": node}
