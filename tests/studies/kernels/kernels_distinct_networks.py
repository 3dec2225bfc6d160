"""Made-up cubes of networks of the study of kernels, in which every number differs along every axis."""

import math

import numpy as np
import xarray as xr
from kernels_distinct import REGRESSED, grid

DIMS = ["task", "protocol", "depth", "width", "n_train", "draw", "seed", "learning_rate", "step"]
RATES, STEPS = [0.01, 0.03, 0.1, 0.3, 1.0], [10, 20, 40]


def networks(rng, axes, level, *, draws, noise=0.02):
    """Make networks with the errors ``level`` (task, protocol, depth, width, n_train) and a ``noise`` of every number.

    The halves of the test set differ. Each network has its best rate at one of the inner ones.
    """
    shape = (*level.shape, draws, 2)
    best = rng.integers(1, len(RATES) - 1, shape)
    rates = 0.1 * np.abs(np.arange(len(RATES)) - best[..., None])
    of_network = level[..., None, None] + noise * (rng.standard_normal((*shape[:-1], 1)) + rng.standard_normal(shape))
    coords = {**axes, "draw": range(draws), "seed": range(2), "learning_rate": RATES, "step": STEPS}
    found = xr.Dataset(coords={name: list(coords[name]) for name in DIMS})
    for part in ("first_half", "second_half", "test"):
        steps = np.array([0.03, 0.01, 0.0]) + noise / 4 * rng.standard_normal((*shape, len(RATES), len(STEPS)))
        found[f"recorded_{part}_error"] = (DIMS, of_network[..., None, None] + rates[..., None] + steps)
    found["status"] = (DIMS[:-1], np.where(rng.random((*shape, len(RATES))) < 0.3, "unfitted", "fitted").astype(object))
    return found


def diverged(found, **place):
    """Return networks of which those at a place diverged: they have no error."""
    here = xr.ones_like(found.status, dtype=bool)
    for axis, value in place.items():
        here &= found[axis] == value
    errors = {name: values.where(~here) for name, values in found.data_vars.items() if name != "status"}
    return found.assign({**errors, "status": found.status.where(~here, "diverged")})


TERMS = {(3, 8): [8, 1], (2, 10): [3, 1, 10], (2, 20): [1]}  # m by k and d
LAZY_TASKS = {
    f"{k}-terms-{m}-of-{d}": {"kind": "k_terms", "k": k, "terms": m, "dimension": d, "rotated": False}
    for (k, d), terms in TERMS.items()
    for m in terms
}
LAZY_TASKS["2-terms-1-of-10"]["n_test"] = 900
OTHER_TASKS = {
    "rotated": {"kind": "k_terms", "k": 2, "terms": 5, "dimension": 10, "rotated": True},
    "2-local": {"kind": "k_local", "k": 2, "dimension": 10},
}
ALPHAS = {"lazy_1": 1.0, "lazy_0.001": 0.001, "lazy_100": 100.0, "lazy_0.1": 0.1, "lazy_0.01": 0.01}
ALPHAS |= {"sgd": math.nan, "kernel": math.nan}
KINDS = {"sgd": "mlp", "kernel": "linearised"}  # of the networks of protocols; others are lazy


def of_protocols(found):
    """Return networks with what the claims read of their protocols."""
    names = found.protocol.values.tolist()
    kinds, alphas = [KINDS.get(name, "lazy") for name in names], [ALPHAS[name] for name in names]
    return found.assign_coords(protocol_network=("protocol", kinds), protocol_network_alpha=("protocol", alphas))


def lazy():
    """Make networks of few draws that gain from depth on one term at small alphas; one diverged at every rate."""
    rng, tasks = np.random.default_rng(20), LAZY_TASKS | OTHER_TASKS
    axes = {"task": [*tasks], "protocol": [*ALPHAS], "depth": [1, 3, 7], "width": [50, 100], "n_train": [400, 800]}
    local = np.array([settings.get("terms") == 1 for settings in tasks.values()])
    feature = np.array([alpha < 1 for alpha in ALPHAS.values()])
    gain = 0.12 * local[:, None, None] * feature[:, None] * (np.array(axes["depth"]) == 7)
    level = rng.uniform(0.24, 0.3, [len(values) for values in axes.values()]) - gain[..., None, None]
    found = networks(rng, axes, level, draws=3, noise=0.01)
    found = diverged(found, task="2-terms-1-of-10", protocol="lazy_100", draw=2, seed=1)
    found = diverged(found, protocol="lazy_100", seed=0, learning_rate=RATES[-1])
    return grid({"networks": of_protocols(found)}, tasks)


CROSSING = {name: alpha for name, alpha in ALPHAS.items() if name not in KINDS}


def crossover():
    """Make networks whose error rises to twice what it was at an alpha that falls with the width."""
    rng = np.random.default_rng(25)
    axes = {"task": ["2-terms-1-of-10", "3-terms-1-of-8"], "protocol": [*CROSSING], "depth": [1, 4]}
    axes |= {"width": [20, 50, 100, 200], "n_train": [400, 800]}
    x = np.log([*CROSSING.values()])[:, None, None] + 0.5 * np.log(np.array(axes["width"]) / 70)
    offsets = rng.uniform(-1, 1, (2, 1, 2, 1, 2))
    level = 0.15 + 0.2 / (1 + np.exp(-2 * (x[None, ..., None] - offsets)))
    found = networks(rng, axes, level, draws=4, noise=0.01)
    elsewhere = (found.task == "3-terms-1-of-8") == (found.depth == 1)  # was not asked for
    return grid({"networks": of_protocols(found.assign(status=found.status.where(~elsewhere, "missing")))}, LAZY_TASKS)


SAMPLES = [50, 400, 3200]
SAMPLE_TASKS = {
    f"{name}-{d}": {"kind": f"k_{name}", "k": k, "dimension": d}
    for name, k in (("local", 2), ("global", 3))
    for d in (20, 10, 14)
}


def samples():
    """Make errors that reach 1/4 after a number of samples; the largest size is missing for two of the labels."""
    rng, powers = np.random.default_rng(22), {"local": 1.0, "global": 1.2}
    axes = {"task": [*SAMPLE_TASKS], "protocol": ["sgd", "adam"], "depth": [1, 3, 7], "width": [100, 50]}
    axes["n_train"] = SAMPLES
    needed = [(s["dimension"] / 10) ** powers[s["kind"][2:]] for s in SAMPLE_TASKS.values()]
    needed = 90 * np.array(needed)[:, None, None, None] * rng.uniform(0.8, 1.2, [len(a) for a in axes.values()][:4])
    level = np.maximum(0.25 - 0.06 * np.log2(np.array(SAMPLES) / needed[..., None]), 0.08)
    found = networks(rng, axes, level, draws=3, noise=0.006)
    gone = (found.task == "global-20") & (found.n_train == 3200)
    found = found.assign(status=found.status.where(~gone, "missing"))
    for name in ("first_half", "second_half", "test"):
        found[f"recorded_{name}_error"] = found[f"recorded_{name}_error"].where(~gone)
    shape = (len(SAMPLE_TASKS), 2, len(SAMPLES), 6, 3)
    errors = level[:, :, :, 0].swapaxes(2, 3)[:, :, :, None] + 0.01 * rng.standard_normal(shape)
    coords = {name: axes.get(name, range(6)) for name in REGRESSED} | {"kernel": ["ntk", "nngp"]}
    kernels = xr.Dataset({"test_error": (REGRESSED, errors)}, coords={name: list(c) for name, c in coords.items()})
    kernels = kernels.where(~((kernels.task == "local-10") & (kernels.n_train == 3200)))
    return grid({"networks": found, "kernels": kernels}, SAMPLE_TASKS)
