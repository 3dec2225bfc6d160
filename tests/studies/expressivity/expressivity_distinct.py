"""Cubes of the study expressivity in which numbers differ along every axis, so that a wrong choice of one shows."""

import itertools

import numpy as np
import xarray as xr

from isobath.analysis.cubes import describe

RATES, STEPS = (0.001, 0.003, 0.01, 0.03), (0, 5, 10, 20, 40)
SAMPLES, OWN_SAMPLES = 20_000, 4096  # of test sets: that of the study, and that of a task which has its own
HALVES = ("first_half", "second_half")
AXES = ("task", "protocol", "depth", "width", "n_train", "draw", "learning_rate", "seed")
LATE, ENDS = (0.25, 0.1, 0.05, 0.02, 0.0), (0.12, 0.0, 0.006, 0.1)  # what is lost at each step, and at each rate

# Of each depth several widths. Nearest in parameters to the smallest of the deepest, on a log scale, are 333, 40, 21:
# 400 units would be on a linear scale.
SHAPES = {1: (300, 333, 400), 2: (29, 40), 3: (21, 25), 5: (15, 18, 20)}
WEIGHTS = {300: 700, 333: 1061, 400: 940, 29: 1500, 40: 950, 21: 1080, 25: 600, 15: 1000, 18: 1300, 20: 2000}
OF_EQUAL_SIZE = {1: 333, 2: 40, 3: 21}

# Of another kind, with settings that claims look for: they are never to be taken.
OTHERS = {"four": {"kind": "k_local", "folds": 4}, "nine": {"kind": "k_local", "folds": 9}}
OTHER_SHELLS = {"kind": "k_local", "shells": 4, "dimension": 7}


def sawtooths(name, folds):
    return {f"{name}-{k}": {"kind": "sawtooth", "folds": k, "triangles": 1} for k in folds}


FOLDS, OWN = OTHERS | sawtooths("sawtooth", (5, 3, 4, 2, 8)), OTHERS | sawtooths("own", (4, 1, 2, 5, 3))
SPREAD = {name: FOLDS[name] for name in ("four", "sawtooth-3", "sawtooth-4")}
BUILT = {
    "sawtooth-3": FOLDS["sawtooth-3"],
    "sawtooth-6": {"kind": "sawtooth", "folds": 6, "triangles": 1, "n_test": OWN_SAMPLES},
    "triangles-3-2": {"kind": "sawtooth", "folds": 2, "triangles": 3},
}
SHELLS = {"other": OTHER_SHELLS} | {
    f"shells-{s}-{d}": {"kind": "radial_shells", "shells": s, "dimension": d}
    for s, d in ((4, 10), (4, 5), (4, 4), (2, 10), (2, 3), (6, 5))
}
PARITY = {
    "local": {"kind": "k_local", "k": 3, "dimension": 9},
    "global": {"kind": "k_global", "k": 5, "dimension": 9},
}
KINDS = {"maximal": "maximal_update", "plain": "mlp", "normalised": "residual", "residual": "residual"}
LOST = {"maximal": 0.02, "plain": 0.17, "normalised": 0.1, "residual": 0.05}  # by seven layers
SIZES = {1: (21, 43, 88, 170), 3: (15, 30), 5: (10, 20, 40, 80)}
WEIGHTS_OF_SIZES = {
    21: 480, 43: 2150, 88: 8700, 170: 40_000, 15: 800, 30: 3000, 10: 500, 20: 2000, 40: 8000, 80: 30_000
}  # fmt: skip


def networks(
    seed, tasks, shapes, error, size, *, protocols=("adam", "other"), draws=4, seeds=3, spread=0.015, ends=ENDS
):
    """Make networks whose errors scatter about ``error(task, protocol, depth, width)``, of ``size(task, width)``.

    They are of two n_train. By ``ends``, what is lost at each rate, each is best at one of the inner rates. One network
    of twelve diverged at all rates, one at the largest, and of the shallowest the jobs of one data set failed.
    """
    rng = np.random.default_rng(seed)
    widths = sorted({width for row in shapes.values() for width in row})
    values = [list(tasks), list(protocols), list(shapes), widths, [500, 2000], range(draws), RATES, range(seeds)]
    shape = [len(axis) for axis in values]
    cells = list(itertools.product(tasks.values(), *values[1:4]))
    planted = np.reshape([error(*cell) if cell[3] in shapes[cell[2]] else np.nan for cell in cells], shape[:4])
    sizes = np.reshape([size(tasks[task], width) for task, _, _, width in itertools.product(*values[:4])], shape[:4])
    near = rng.normal(0, spread, [*shape[:6], 1, 1]) + rng.uniform(0, 0.004, [*shape[:4], 1, 1, len(RATES), 1])
    center = planted[..., None, None, None, None] + near + np.reshape(ends, (-1, 1)) + rng.normal(0, 0.004, shape)
    status = np.where(rng.uniform(size=shape) < 0.5, "fitted", "unfitted").astype(object)
    status[:, :, :, :, :, 1, :, 2] = status[:, :, :, :, :, 0, -1, 0] = "diverged"
    status[:, :, 0, :, :, 2] = "failed"
    status[np.isnan(planted)] = "missing"
    gone = ~np.isin(status, ("fitted", "unfitted"))
    columns = {}
    for name, share in {**dict.fromkeys((f"{half}_error" for half in HALVES), 1), "train_error": 0.5}.items():
        recorded = abs(share * center[..., None] + LATE + rng.uniform(-0.015, 0.015, [*shape, len(STEPS)]))
        columns[f"recorded_{name}"] = ([*AXES, "step"], np.where(gone[..., None], np.nan, recorded))
    whole = sum(columns[f"recorded_{half}_error"][1] for half in HALVES) / 2 + 0.01
    columns["recorded_test_error"] = ([*AXES, "step"], whole)
    columns["status"] = (AXES, status)
    unknown = np.isin(status, ("missing", "failed"))
    columns["n_parameters"] = (AXES, np.where(unknown, np.nan, sizes[..., None, None, None, None]))
    table = xr.Dataset(columns, coords={**dict(zip(AXES, map(list, values), strict=True)), "step": list(STEPS)})
    return describe(table, {"task": tasks})


def architectures(ends=ENDS):
    """Make networks of four protocols of three kinds, of which plain deep ones lose most."""
    named = {name: {"kind": "sgd", "network": {"kind": kind}} for name, kind in KINDS.items()}
    table = networks(
        5,
        PARITY,
        dict.fromkeys((1, 3, 7), (50, 70, 100)),
        lambda task, protocol, depth, width: 0.15 + LOST[protocol] * (depth - 1) / 6 + task["k"] / 300 - width / 1e4,
        lambda task, width: width**2 + task["k"],
        protocols=KINDS,
        ends=ends,
    )
    return describe(table, {"protocol": named})


def oscillation_counts(seed, tasks, worst):
    """Make counts (moment, task, ...) on sawtooth labels of networks that may not be there.

    ``worst`` are, by variable, the moment at which one network exceeds all others, of all grids.
    """
    rng = np.random.default_rng(seed)
    axes = ("moment", *AXES)
    sizes = [["start", "end"], list(tasks), ["adam", "other"], [1, 2, 3], [2, 3], [500], range(2), RATES[:2], range(2)]
    shape = [len(values) for values in sizes]
    columns = {
        "intervals": rng.integers(2, 30, shape).astype(float),
        "wrong": rng.uniform(0.1, 0.6, shape),
        "accuracy": rng.uniform(0.4, 0.7, shape),
    }
    gone = rng.uniform(size=shape) < 0.1
    for name, moment in worst.items():
        place = (moment, 1 if name == "accuracy" else 2, 1, 2, 0, 0, 1, 0, 1)  # six folds, or three triangles
        columns[name][place] += {"intervals": 300.0, "wrong": -2.0, "accuracy": 1.0}[name]
        gone[place] = False
    table = xr.Dataset({name: (axes, np.where(gone, np.nan, values)) for name, values in columns.items()})
    return describe(table.assign_coords(dict(zip(axes, map(list, sizes), strict=True))), {"task": tasks})


def constructions(seed, tasks):
    """Make scores of two constructions, of which one failed on the last task."""
    rng = np.random.default_rng(seed)
    kinds = ["folding", "profile"]
    error = rng.uniform(0.01, 0.09, (len(tasks), len(kinds)))
    size = 3.0 * rng.integers(12, 20, error.shape)
    error[-1, 0] = size[-1, 0] = np.nan
    dims = ("task", "construction")
    table = xr.Dataset({"test_error": (dims, error), "n_parameters": (dims, size)}, {dims[0]: list(tasks)})
    return describe(table.assign_coords(construction=kinds), {"task": tasks})


def of_folds(task, protocol, depth, width):
    return 0.2 + 0.004 * task["folds"] * (4 - depth) + 0.0001 * (width % 7) + 0.05 * (protocol == "other")


def of_shells(task, protocol, depth, width):
    return 0.15 + 0.003 * task["dimension"] * (3 - depth) / task["shells"] + 0.0001 * (width % 7)


def of_sizes(task, protocol, depth, width):
    """Return errors of widths of which the third of each depth is best; depth gains on one task and loses elsewhere."""
    place = SIZES[depth].index(width)
    return 0.2 + (0.02 if task["k"] == 5 else -0.02) * (depth - 3) + (0.05, 0.008, 0.0, 0.03)[place]


def weights(task, width):
    return WEIGHTS[width] * (1 + task.get("folds", task.get("dimension")) / 100)


def groups():
    """Return the groups of all grids by path, but for those of regressions and of the numbers of theorems."""
    return {
        "folds/networks": networks(0, FOLDS, SHAPES, of_folds, weights),
        "folds/constructions": constructions(7, BUILT),
        "folds/oscillation_counts": oscillation_counts(10, BUILT, {"intervals": 0, "wrong": 1}),
        "spread_starts/networks": networks(1, SPREAD, SHAPES, of_folds, weights, draws=7),
        "spread_starts/oscillation_counts": oscillation_counts(11, BUILT, {"wrong": 0, "accuracy": 1}),
        "own_size/networks": networks(
            2, OWN, dict.fromkeys(range(1, 6), (2, 3)), lambda task, protocol, depth, width: 0.001 * task["folds"]
            + 0.004 * abs(depth - task["folds"]), lambda task, width: 6 * width + task["folds"], seeds=5, spread=0.004,
        ),
        "own_size/oscillation_counts": oscillation_counts(12, BUILT, {"accuracy": 0, "intervals": 1}),
        "shells/networks": networks(3, SHELLS, SHAPES, of_shells, weights),
        "shells/constructions": constructions(8, {name: task for name, task in SHELLS.items() if name != "other"}),
        "architectures/networks": architectures(),
        "sizes/networks": networks(
            6, PARITY, SIZES, of_sizes, lambda task, width: WEIGHTS_OF_SIZES[width] * (1 + task["k"] / 50)
        ),
    }  # fmt: skip
