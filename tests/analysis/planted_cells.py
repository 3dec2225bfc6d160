"""Cells with random errors, which differ along every axis, and the numbers that are to be found of them."""

import json
import math

import numpy as np
import xarray as xr
from scipy.stats import norm
from scipy.stats import t as student

from isobath.analysis.cells import Cells

N_TEST, OWN_TEST = 900, 400  # test samples of the grid, and of the task that says a number of its own
TASKS = {"made": {"kind": "k_local", "k": 2, "n_test": OWN_TEST}, "cut": {"kind": "digits"}}
SIZES = {"depth": [1, 7], "width": [10, 20, 40], "n_train": [50, 90]}
RATES, STEPS = [0.1, 0.2, 0.4], [0, 1, 2, 4, 8]
FEW = 5  # units up to which the two errors have their own quantiles


def planted(*, draws=4, seeds=3, swept=False):
    """Return the cells of two tasks and two protocols.

    The last network of the data set 1 did not fit, and the first of the data set 3 diverged. Trainings of a sweep
    recorded their errors, on either half of the test set apart, and diverged at the largest rate on the data set 0.
    """
    rng = np.random.default_rng(7)
    axes = {"task": list(TASKS), "protocol": ["adam", "sgd"], **SIZES, "draw": [*range(draws)], "seed": [*range(seeds)]}
    axes = ({"learning_rate": RATES} if swept else {}) | axes
    shape = [len(values) for values in axes.values()]
    error, status = rng.uniform(0.1, 0.4, shape), np.full(shape, "fitted", dtype=object)
    if swept:
        status[2, ..., 0, :] = "diverged"
    else:
        status[..., 1, seeds - 1] = "unfitted"
        status[..., draws - 1, 0] = "diverged"
    columns = {
        "status": (list(axes), status),
        "test_error": (list(axes), np.where(status == "diverged", np.nan, error)),
    }
    if swept:
        for name in ("first_half", "second_half", "train"):
            values = rng.uniform(0.1, 0.4, (*shape, len(STEPS)))
            lost = (status == "diverged")[..., None]
            columns[f"recorded_{name}_error"] = ([*axes, "step"], np.where(lost, np.nan, values))
        halves = (columns[f"recorded_{half}_half_error"][1] for half in ("first", "second"))
        columns["recorded_test_error"] = ([*axes, "step"], sum(halves) / 2)
    networks = xr.Dataset(columns, axes | ({"step": STEPS} if swept else {}))
    return Cells("samples", {"networks": networks}, attributes(), {"protocol": "sgd"})


def attributes():
    return {"n_test": N_TEST, "spec": json.dumps({"tasks": TASKS})}


def regressions(kernels=("ntk", "other"), draws=4):
    """Return errors of kernel regressions, and those of a kernel without a depth."""
    rng = np.random.default_rng(8)
    axes = {"task": list(TASKS), "kernel": list(kernels), "n_train": [50, 90], "draw": [*range(draws)]}
    deep = {**axes, "depth": [1, 7]}
    groups = {"kernels": deep, "kernels_without_depth": {**axes, "kernel": ["laplace"]}}
    return {
        name: xr.Dataset({"test_error": (list(of), rng.uniform(0.1, 0.4, [len(v) for v in of.values()]))}, of)
        for name, of in groups.items()
    }


def binomial(rate, n):
    return math.sqrt(rate * (1 - rate) / n)


def standard_error(values):
    return np.std(values, ddof=1) / math.sqrt(len(values))


def ends(value, *, spread, sample, units):
    """Return the ends of the 95 % interval of a number with two standard errors, of so many units."""
    if units <= FEW and sample:
        half = math.hypot(student.ppf(0.975, units - 1) * spread, norm.ppf(0.975) * sample)
    else:
        error = math.hypot(spread, sample)
        half = student.ppf(0.975, (units - 1) * (error / spread) ** 4) * error
    return value - half, value + half


def errors_at(cells, variable="test_error", **place):
    """Return the numbers of a cell, (draw, seed, ...), with those of networks that did not fit as NaN."""
    networks = cells.groups["networks"].sel(protocol="sgd", **place)
    return networks[variable].transpose("draw", "seed", ...).values


def fits_at(cells, **place):
    return errors_at(cells, "status", **place) == "fitted"
