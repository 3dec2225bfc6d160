"""Made-up cubes of the study expressivity: planted accuracies and speeds, and the theory computed small."""

import functools
import json

import fractal_cubes
import numpy as np
import xarray as xr

from isobath.analysis.cubes import describe
from isobath.calculations import (
    end_to_end_rule,
    folding_basin,
    fourier_tubes,
    overparametrised_step,
    piecewise_polynomials,
    radial_density,
    radial_widths,
    sawtooth_counts,
)
from isobath.randomness import stream

LEAST, RATES, DRAWS = 0.2, (0.125, 0.25, 0.5, 1.0, 2.0), 4
STEPS = (0, *np.unique(np.geomspace(1, 2000, 120).astype(int)).tolist())
GLOBAL = {"kind": "k_global", "k": 3, "dimension": 15}
KINDS = {"descent": "gradient_descent", **{kind: kind for kind in ("momentum", "adagrad", "adadelta", "adam")}}


@functools.cache
def calculations():
    """Return all calculations, at sizes that take some seconds."""
    small = {"generator": stream(0, "expressivity")}
    basin = folding_basin.calculate(
        folds=(2, 4, 6, 8), noise=(0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1), networks=5, steps=600, rate=0.003, **small
    )
    return {
        "folds": {
            "sawtooth_counts": sawtooth_counts.calculate(triangles=(1, 2, 3), folds=(1, 2, 3), **small),
            "piecewise_polynomials": piecewise_polynomials.calculate(parts=(1, 3), degrees=(1, 4), samples=20, **small),
        },
        "own_size": {"folding_basin": basin, "folding_basin_0.001": basin.assign_coords(learning_rate=0.001)},
        "shells": {
            "radial_density": radial_density.calculate(dimensions=(2, 3, 20), radii=(0.25, 2), **small),
            "radial_widths": radial_widths.calculate(dimensions=(2, 4, 8), samples=500, **small),
            "fourier_tubes": fourier_tubes.calculate(dimensions=(2, 5, 20), tubes=10, networks=1, **small),
        },
        "diabetes": {
            "end_to_end_rule": end_to_end_rule.calculate(
                layers=(1, 2, 3), rates=(1e-4, 1e-3), decays=(0.0, 0.1), rows=4, columns=3, draws=3, **small
            ),
            "overparametrised_step": overparametrised_step.calculate(
                powers=(2, 4), rates=(1e-4, 1e-3), draws=3, steps=6000, rate=0.002, start=1e-4, **small
            ),
        },
    }  # fmt: skip


def oscillation_counts(networks, *, broken=False):
    """Make counts of networks of two intervals, wrong in half of the wave's; or what no network can have."""
    counts = xr.ones_like(networks.recorded_test_error.isel(step=0, drop=True)).expand_dims(moment=["start", "end"])
    counts = counts.where(networks.n_parameters.notnull())
    names = [name for name in networks.coords if name.startswith("task")]
    intervals = ((networks.width + 1) ** networks.depth + 2) if broken else 2
    wrong, accuracy = (-1e4, 2.0) if broken else (0.5, 0.5)
    columns = {"intervals": counts * intervals, "wrong": counts * wrong, "accuracy": counts * accuracy}
    columns["output"] = counts.isel(moment=0, drop=True).expand_dims(x=np.linspace(0, 1, 9), axis=-1)
    return xr.Dataset(columns).assign_coords({name: networks[name] for name in names})


def trained(tasks, error, *, depths, widths, width_of, copies=1, **how):
    """Make networks of one width per depth, ``width_of(depth)``, whose training error is half of the test error."""
    gone = [(t, d, w) for t in tasks for d in depths for w in widths if w != width_of(d)]
    table = fractal_cubes.networks(tasks, error, depths=depths, widths=widths, missing=gone, **how)
    table = xr.concat(
        [table] * copies, "seed", data_vars="minimal", coords="minimal", compat="override", join="override"
    )
    table = table.assign_coords(seed=range(table.sizes["seed"]))
    table["recorded_train_error"] = table.recorded_test_error / 2
    table["n_parameters"] = table.n_parameters * 0 + 900.0  # of equal size, but for those that are not there
    return table


def architectures(error):
    """Make networks of three protocols on global labels, whose test error is ``error(protocol, depth)``."""
    settings = {"plain": "mlp", "residual": "residual", "normalised": "residual"}
    tables = [
        fractal_cubes.networks({"g": GLOBAL}, lambda t, d, w, name=name: error(name, d), depths=(1, 7), widths=(10,))
        .drop_vars("protocol_kind", errors="ignore").assign_coords(protocol=[name])
        for name in settings
    ]  # fmt: skip
    table = xr.concat(tables, "protocol", data_vars="minimal", coords="minimal", compat="override", join="override")
    named = {name: {"kind": "sgd", "network": {"kind": kind}} for name, kind in settings.items()}
    return describe(table, {"protocol": named})


def sizes(error):
    """Make networks of one and five hidden layers, of 500, 2000 and 8000 parameters, with errors ``error(d, w)``."""
    deep, shallow = (10, 20, 40), (21, 43, 88)
    gone = [("g", 1, w) for w in deep] + [("g", 5, w) for w in shallow]
    return fractal_cubes.networks(
        {"g": GLOBAL}, lambda t, d, w: error(d, w), depths=(1, 5), widths=(*deep, *shallow), missing=gone
    )


def expected_steps(kind, layers, p):
    """Return steps by which depth accelerates p = 4 alone, by more than other methods do."""
    if kind != "gradient_descent":
        return 150
    return {1: 400 if p == 4 else 100, 2: 100, 3: 110}[layers]


def protocols(powers):
    """Return the names and settings of the protocols of a grid of regressions."""
    found = {}
    for p in powers:
        loss = {"loss": {"kind": "power", "p": p}}
        found |= {f"{name}_{p}": {"kind": kind, **loss} for name, kind in KINDS.items()}
        found[f"newton_{p}"] = {"kind": "newton", **loss}
    return found


def regressions(steps, *, powers=(2, 4), best=2, deep_best=None, last=STEPS[-1]):
    """Make losses that fall exponentially: ``steps(kind, layers, p)`` to a gap of 1e-3 at the rate in place ``best``.

    For networks with hidden layers this rate is in the place ``deep_best``, if given. Networks without hidden layers
    have the width 0. Data sets differ by a tenth. At the rates beside the best one training takes three times as long.
    No record is after ``last``.
    """
    known, depths, at = protocols(powers), (0, 1, 2), np.array(STEPS)
    shape = (1, len(known), len(depths), 2, 1, DRAWS, len(RATES), 1, len(STEPS))
    loss, rng = np.full(shape, np.nan), np.random.default_rng(0)
    spread = np.exp(0.1 * rng.standard_normal(DRAWS))[:, None]
    places = [best] + 2 * [best if deep_best is None else deep_best]
    slower = 1.0 + 2.0 * abs(np.arange(len(RATES)) - np.array(places)[:, None])  # (depth, rate)
    for i, settings in enumerate(known.values()):
        for j in range(len(depths)):
            if settings["kind"] == "newton":
                loss[0, i, 0, 0, 0, :, 0, 0] = LEAST + np.where(at == 0, 1.0, 0.0)
            elif settings["kind"] == "gradient_descent" or j == 0:
                needed = steps(settings["kind"], j + 1, settings["loss"]["p"]) * spread * slower[j]
                loss[0, i, j, min(j, 1), 0, ..., 0, :] = LEAST + np.exp(-np.log(1000) * at / needed[..., None])
    loss[..., at > last] = np.nan
    dims = ["task", "protocol", "depth", "width", "n_train", "draw", "learning_rate", "seed"]
    coords = [["d"], list(known), list(depths), [0, 1], [50], range(DRAWS), list(RATES), [0]]
    status = np.where(np.isnan(loss[..., 0]), "missing", "unfitted").astype(object)
    table = xr.Dataset({"recorded_loss": ([*dims, "step"], loss), "status": (dims, status)})
    table = table.assign_coords({**dict(zip(dims, coords, strict=True)), "step": list(STEPS)})
    return describe(table, {"task": {"d": {"kind": "diabetes"}}, "protocol": known})


def grid(name, tasks, **groups):
    """Make a grid with its groups, named ``networks``, ``constructions``, ``oscillation_counts`` or as calculations."""
    inner = {
        k if k in ("networks", "constructions", "oscillation_counts") else f"calculations/{k}": v
        for k, v in groups.items()
    }
    node = xr.DataTree.from_dict(inner)
    node.attrs |= {"n_test": 100_000, "spec": json.dumps({"tasks": tasks})}
    return {f"/{name}": node}
