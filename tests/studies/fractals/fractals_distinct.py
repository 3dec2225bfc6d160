"""Made-up cubes of the fractals study in which every number differs along every axis, of networks that were trained.

Each grid has two protocols and two sizes of the training set, of which the first count, tasks in no order, depths and
widths that differ between tasks, networks that diverged, and errors of both halves of the test set that are no
multiples of one another.
"""

import functools
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import xarray as xr
from fractal_cubes import fractal

from isobath.analysis.cubes import describe

RATES = [0.0005, 0.002, 0.01, 0.03]
USUAL = 0.01  # nearest to the authors' 0.005 by its logarithm, where 0.002 is by its difference
STEPS = [0, 500, 1500, 2000]  # the last is as many as the source has, with its samples
DIMS = ["task", "protocol", "depth", "width", "n_train", "draw", "learning_rate", "seed", "step"]
N_TEST = 900
DEAD = {"cantor-6": (1, 3, 4), "cantor-1": (3, 6)}  # data sets on which all networks of a curve are dead
ONE_LIVES = {"task": "cantor-6", "draw": 5, "width": 50, "seed": 1}  # and all others of this data set are dead
ONE_DIVERGED = {"task": "cantor-6", "draw": 4, "width": 20, "seed": 0}  # and all others of this data set are dead


class Plan(NamedTuple):
    """A grid: its tasks, widths by task and depth, data sets and starts, and what is added to errors.

    ``rates`` and ``steps`` are added at each rate and step; of the tasks ``at_the_end`` the smallest rate is the best.
    """

    tasks: dict
    shapes: dict
    draws: int
    seeds: int
    higher: Mapping = MappingProxyType({})
    rates: tuple = (0.05, 0.0, 0.01, 0.08)
    steps: tuple = (0.3, 0.02, 0.0, 0.01)
    at_the_end: tuple = ()
    noise: float = 0.01


def shapes_of(tasks, shape, others=None):
    return dict.fromkeys(tasks, shape) | (others or {})


def of_systems(*pairs, levels):
    return {f"{system}-{curve}": fractal(system, curve, levels=levels[system]) for system, curve in pairs}


THREE = (8, 16, 64)
SIX = (10, 20, 50, 100, 200, 400)
DEPTH = {
    "cantor-6": fractal("cantor", 6),
    "vicsek-1": fractal("vicsek", 1, levels=4),
    "cantor-1": fractal("cantor", 1, levels=2, n_test=400),
}
CURVES = {f"cantor-{curve}": fractal("cantor", curve, levels=5) for curve in (6, 1, 4, 2)}
FRACTALS = of_systems(
    ("cantor_1d", 1), ("cantor", 6), ("pentaflake", 1), ("vicsek", 6), ("sierpinsky", 3), ("cantor", 1), ("vicsek", 1),
    ("sierpinsky", 1), ("pentaflake", 6), ("sierpinsky", 6), ("cantor", 3),
    levels={"cantor_1d": 3, "cantor": 3, "vicsek": 4, "pentaflake": 3, "sierpinsky": 4},
)  # fmt: skip
FINE = {f"vicsek-fine-{curve}": fractal("vicsek", curve, levels=6) for curve in (6, 1, 4)}
LINE = {f"line-{curve}": fractal("cantor_1d", curve, levels=10, n_test=500 + curve) for curve in (6, 1)}
WEIGHTS = np.random.default_rng(1).uniform(0.05, 1, (10, 3)) ** 2
GIVEN = {f"given-{i}": fractal("cantor_1d", "given", level_weights=w.round(3).tolist()) for i, w in enumerate(WEIGHTS)}
ALL = dict.fromkeys((1, 2, 4), THREE)
PLANS = {
    "depth": Plan(DEPTH, shapes_of(DEPTH, ALL, {"vicsek-1": dict.fromkeys((1, 4), (8, 16))}), draws=4, seeds=2),
    "curves": Plan(
        CURVES,
        shapes_of(CURVES, {2: (10, 20), 5: SIX}, {"cantor-4": {5: SIX[:-1]}}),
        draws=8,
        seeds=2,
        higher={"cantor-6": 0.2, "cantor-2": 0.05},
    ),
    "fractals": Plan(
        FRACTALS,
        {task: ALL if task.endswith("-1") else {4: THREE} for task in FRACTALS} | {"vicsek-1": {1: (8, 16), 4: THREE}},
        draws=3,
        seeds=2,
        higher={"cantor-6": 0.2, "vicsek-6": 0.1, "pentaflake-6": 0.3, "sierpinsky-3": 0.04, "sierpinsky-6": 0.01},
    ),
    "fine": Plan(
        FINE,
        {"vicsek-fine-6": {**ALL, 1: (8, 16)}, "vicsek-fine-1": {2: (16,), 4: (8, 64)}, "vicsek-fine-4": ALL},
        draws=6,
        seeds=1,
    ),
    "cifar": Plan({"cifar10": {"kind": "cifar10"}}, {"cifar10": {**ALL, 1: (8, 16)}}, draws=1, seeds=4),
    "line": Plan(  # their best rate is not found, and twice the steps would send them below any bound
        LINE,
        shapes_of(LINE, dict.fromkeys((1, 2, 3), (1, 3, 10))),
        draws=1,
        seeds=3,
        higher=dict.fromkeys(LINE, 0.1),
        rates=(0.05, 0.0, 0.1, 0.15),
        steps=(0.6, 0.6, 0.0, 0.01),
        at_the_end=tuple(LINE),
    ),
    "conjecture": Plan(
        GIVEN,
        shapes_of(GIVEN, {2: (3, 6), 4: (3, 5)}),
        draws=1,
        seeds=3,
        higher={f"given-{i}": 0.15 * share for i, share in enumerate(WEIGHTS[:, -1] / WEIGHTS.sum(1))},
        rates=(0.15, 0.0, 0.05, 0.3),
        noise=0.05,
        at_the_end=("given-2", "given-7"),
    ),
}
ABSENT = {"task": "cantor-1", "depth": 2, "width": 16, "draw": 3}  # a data set without the networks of one cell


def parameters(task, depth, width):
    """Return the number of parameters: as many as those of the widest of one layer have, fewer and more."""
    if task == "vicsek-1":
        return {(1, 8): 60, (1, 16): 200, (4, 8): 190, (4, 16): 201}.get((depth, width), 500)
    of_cantor = {(1, 8): 50, (1, 16): 150, (1, 64): 700, (2, 8): 120, (2, 16): 700, (2, 64): 2000, (4, 8): 690}
    return of_cantor.get((depth, width), 701)


def missing(plan, status):
    """Tell which networks (task, ..., seed) no job was to train."""
    absent = xr.ones_like(status, dtype=bool)
    for task, shape in plan.shapes.items():
        for depth, widths in shape.items():
            absent.loc[{"task": task, "depth": depth, "width": list(widths)}] = False
    if all(value in status[axis] for axis, value in ABSENT.items()):
        absent.loc[ABSENT] = True
    return absent


def errors(plan, sizes, rng):
    """Draw errors of three kinds (kind, *dims): for each axis there is a part that differs along it."""
    of_depths, of_widths, of_draws = (
        [sizes[dim] if dim in dims else 1 for dim in DIMS]
        for dims in (("task", "protocol", "depth", "n_train"), DIMS[:5], DIMS[:6])
    )
    swept = [sorted(plan.rates) if task in plan.at_the_end else plan.rates for task in plan.tasks]
    higher = np.array([plan.higher.get(task, 0.0) for task in plan.tasks])[:, None] + swept
    of_cells = rng.uniform(0.05, 0.2, of_depths) + rng.uniform(0, 0.03, of_widths)
    of_cells = of_cells + 0.02 * rng.standard_normal(of_draws)
    mean = of_cells + higher.reshape(len(plan.tasks), 1, 1, 1, 1, 1, -1, 1, 1) + np.array(plan.steps)
    return np.clip(mean + plan.noise * rng.standard_normal((3, *sizes.values())), 0.005, 1)


def networks(plan, rng):
    """Make the networks of a plan."""
    shapes = plan.shapes.values()
    depths = sorted({depth for shape in shapes for depth in shape})
    widths = sorted({width for shape in shapes for some in shape.values() for width in some})
    axes = [list(plan.tasks), ["adam", "sgd"], depths, widths, [50_000, 70_000], range(plan.draws), RATES]
    coords = dict(zip(DIMS, [*axes, range(plan.seeds), STEPS], strict=True))
    sizes = {dim: len(values) for dim, values in coords.items()}
    kinds = [f"recorded_{name}_error" for name in ("test", "first_half", "second_half")]
    recorded = dict(zip(kinds, ((DIMS, kind) for kind in errors(plan, sizes, rng)), strict=True))
    table = xr.Dataset(recorded, coords=coords)
    status = xr.full_like(table[kinds[0]].isel(step=0, drop=True), "unfitted", dtype=object)
    stays = xr.DataArray(rng.uniform(size=status.shape) > 0.1, status.coords)
    status = status.where(stays | (status.learning_rate < RATES[-1]), "diverged")
    status = status.where(~missing(plan, status), "missing")
    counts = [[[[parameters(t, d, w) * (1.0 + p) for w in widths] for d in depths] for p in (0, 1)] for t in plan.tasks]
    of_cells = xr.DataArray(counts, dims=("task", "protocol", "depth", "width")).broadcast_like(status)
    table = table.where(status == "unfitted").transpose(*DIMS)
    table = table.assign(status=status, n_parameters=of_cells.where(status != "missing").transpose(*DIMS[:-1]))
    return describe(table, {"task": plan.tasks})


def with_dead(table, rng):
    """Add norms of outputs: at the last step those of dead networks agree to half of what tells them from others."""
    ratio = xr.zeros_like(table.recorded_test_error) + 1.0 + rng.uniform(0.01, 0.1, table.recorded_test_error.shape)
    ratio.loc[{"draw": 0, "step": STEPS[1]}] = 1.0  # alike on the way alone
    ratio.loc[{"draw": 2, "learning_rate": RATES[1]}] = 1.0  # at another rate alone
    at = {"depth": 5, "learning_rate": USUAL}
    for task, draws in {**DEAD, "cantor-6": (*DEAD["cantor-6"], ONE_LIVES["draw"])}.items():
        ratio.loc[{"task": task, "draw": list(draws), "step": STEPS[-1], **at}] = 1 + 5e-6
    ratio.loc[{**ONE_LIVES, "step": STEPS[-1], **at}] = 1 + 2e-5
    ratio.loc[{**ONE_DIVERGED, **at}] = 2.0
    norms = xr.zeros_like(ratio) + rng.uniform(0.9, 1.1, ratio.shape)
    status = table.status.copy()
    status.loc[{**ONE_DIVERGED, **at}] = "diverged"
    table = table.assign(recorded_test_norm=norms, recorded_train_norm=norms * ratio, status=status)
    names = [name for name in table if str(name).endswith("_error")]
    return table.assign({name: table[name].where(status == "unfitted") for name in names})


@functools.cache
def grid(name):
    """Return the groups of a grid by their path, and its attributes."""
    plan, rng = PLANS[name], np.random.default_rng([7, *name.encode()])
    table = networks(plan, rng)
    attrs = {"n_test": N_TEST, "spec": json.dumps({"tasks": plan.tasks})}
    return xr.Dataset(attrs=attrs), with_dead(table, rng) if name == "curves" else table


def tree(**others):
    """Return the tree of all grids; ``others`` are networks that stand in the place of those of a grid."""
    parts = {}
    for name in PLANS:
        node, table = grid(name)
        parts |= {name: node, f"{name}/networks": others.get(name, table)}
    return xr.DataTree.from_dict(parts)
