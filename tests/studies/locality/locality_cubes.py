"""Made-up cubes of the locality study: blocks of cells, a planted truth, every grid of a study, failures and gaps."""

import itertools
import json
import math

import numpy as np
import xarray as xr

from isobath import results
from isobath.analysis.cubes import describe, gather
from isobath.results import kernels as kernels_kind
from isobath.results import networks as networks_kind
from isobath.study import network_cells


def block(seeds, errors, status=None, **cell):
    """Make the result of a networks job."""
    status = status or ["fitted"] * len(seeds)
    data = {
        "test_error": ("seed", np.array(errors, dtype=float)),
        "status": ("seed", np.array(status, dtype=object)),
        "n_parameters": ("seed", np.full(len(seeds), 10 * cell.get("width", 10))),
    }
    here = {"task": "2-local", "protocol": "sgd", "depth": 1, "width": 10, "n_train": 50, "draw": 0} | cell
    return xr.Dataset(data, coords={"seed": list(seeds), **here})


def regression(depth, errors, **cell):
    here = {"task": "2-local", "kernel": "ntk", "n_train": 50, "draw": 0} | cell
    return xr.Dataset({"test_error": ("depth", np.array(errors))}, coords={"depth": list(depth), **here})


def study(local=(0.4, 0.2), global_=(0.2, 0.4)):
    """Make a tree with a samples grid: (error at L = 1, error at L = 7) of a local and a global task."""
    rng = np.random.default_rng(1)
    parts = [
        block(range(5), error + rng.normal(0, 0.005, 5), task=task, depth=depth)
        for task, errors in (("2-local", local), ("2-global", global_))
        for depth, error in zip((1, 7), errors, strict=True)
    ]
    kernels = [regression([1, 7], [0.48, 0.49]), regression([1, 7], [0.15, 0.2], task="2-global")]
    tasks = {t: {"kind": f"k_{t[2:]}", "k": 2, "dimension": 9} for t in ("2-local", "2-global")}
    families = {"task": tasks, "kernel": {"ntk": {"kind": "ntk", "beta": 0.1}}}
    groups = {
        "samples/networks": describe(gather(parts, [*networks_kind.GROUPS["networks"]]), families),
        "samples/kernels": describe(gather(kernels, [*kernels_kind.GROUPS["kernels"]]), families),
    }
    tree = xr.DataTree.from_dict(groups)
    tree["samples"].attrs |= {"n_test": 10_000, "spec": json.dumps({"tasks": tasks})}
    return tree


def parameters(task, depth, width):
    """Return the number of parameters of a perceptron with two outputs."""
    sizes = [task.settings["dimension"], *[width] * depth, 2]
    return sum((a + 1) * b for a, b in itertools.pairwise(sizes))


def made_up(study):
    """Make the cubes of a study, with an error of 0.2 everywhere."""
    groups, seeds = {}, np.arange(3)
    for grid, blocks in study.grids.items():
        networks, kernels = [], []
        for cell in network_cells.cells(blocks):
            shape = {"seed": seeds}
            rates = study.protocols[cell.protocol].learning_rate
            if isinstance(rates, list):
                shape = {"learning_rate": rates, **shape}
            ones = np.ones([len(v) for v in shape.values()])
            data = {
                "test_error": (list(shape), 0.2 * ones),
                "status": (list(shape), np.full(ones.shape, "fitted", dtype=object)),
                "n_parameters": (list(shape), parameters(study.tasks[cell.task], cell.depth, cell.width) * ones),
            }
            networks.append(xr.Dataset(data, coords={**shape, **cell._asdict()}))
        for cell, depth in kernels_kind.cells(blocks).items():
            kernels.append(regression(depth, np.full(len(depth), 0.2), **cell._asdict()))
        families = {f: {n: v.model_dump() for n, v in getattr(study, f"{f}s").items()} for f in ("task", "kernel")}
        for name, parts in (("networks", networks), ("kernels", kernels)):
            if parts:
                groups[f"{grid}/{name}"] = describe(gather(parts, results.axes()[name]), families)
    tree = xr.DataTree.from_dict(groups)
    for grid in study.grids:
        tasks = {name: task.model_dump() for name, task in study.tasks.items()}
        tree[grid].attrs |= {"n_test": study.n_test, "spec": json.dumps({"tasks": tasks})}
    return tree


def figure_cubes():
    """Return (kind, settings, tree) of every figure.

    The cubes have failures, missing cells, a depth-0 network and kernels.
    """
    statuses = ["fitted", "unfitted", "diverged", "fitted"]
    parts = [
        block(range(4), [0.1 + 0.01 * n, 0.5, math.nan, 0.2], statuses, n_train=10 * n, depth=d, width=w)
        for n in (1, 2, 4)
        for d, w in ((0, 0), (1, 10), (7, 10))
    ]
    parts.append(block(range(4), [0.5] * 4, ["unfitted"] * 4, n_train=80, depth=1, width=10))
    kernels = [
        regression([1, 7], [0.4, 0.3], n_train=10 * n, kernel=k) for n in (1, 2, 4) for k in ("ntk", "ntk_beta1")
    ]
    families = {
        "task": {"2-local": {"kind": "k_local", "k": 2, "dimension": 9}},
        "kernel": {"ntk": {"kind": "ntk", "beta": 0.1}, "ntk_beta1": {"kind": "ntk", "beta": 1.0}},
    }
    networks = describe(gather(parts, [*networks_kind.GROUPS["networks"]]), families)
    both = {"networks": networks, "kernels": describe(gather(kernels, [*kernels_kind.GROUPS["kernels"]]), families)}
    sweep = [block([0, 1], [0.1, 0.2]).expand_dims(learning_rate=[0.01, 0.1])]
    swept = {"networks": describe(gather(sweep, [*networks_kind.GROUPS["networks"]]), families)}
    common = {"tasks": ["2-local"], "protocol": "sgd", "kernel": "ntk"}
    return {
        "learning_curves": (common, both),
        "depth_dependence": (common, both),
        "learning_rate_dependence": ({"groups": [["2-local"]], "protocol": "sgd", "kernel": "ntk"}, swept),
        "bias_dependence": ({"tasks": ["2-local"]}, both),
    }
