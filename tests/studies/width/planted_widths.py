"""Cubes of the width study in which the truth is planted: fluctuations, a threshold, a peak of the error."""

import json
from functools import lru_cache

import numpy as np
import xarray as xr

from isobath import claim_files
from isobath.analysis.ensembles.tables import of_errors, of_fluctuations
from isobath.analysis.fits import fitted_laws, thresholds
from isobath.analysis.verdicts import judge

WIDTHS, N_STAR, R, T = [4, 6, 8, 12, 16, 24, 40, 64], 300.0, 20, 2500
STEPS = [0, 10, 100, 316, 1000]
CELL = {"task": "digits", "protocol": "adam", "depth": 3, "n_train": 100, "draw": 0}
DIMS = ["task", "protocol", "depth", "width", "n_train", "draw"]


def weights_of(width):
    return 10.0 * width + 4 * width**2


def cube(**planted):
    """Make f_i(x) = m(x) + fluctuation(N) z_i(x) + shift(N) e(x).

    The fluctuations are Gaussian, around a classifier m of unit spread. All networks of a width share the shift.
    """
    return {name: group.copy(deep=True) for name, group in _cube(**planted).items()}


@lru_cache(maxsize=8)
def _cube(*, fluctuation, fits=lambda n: n > N_STAR, early=0.0, growth=0.5, shift=lambda n: 0.0):
    random = np.random.default_rng(0)
    m = random.standard_normal(T)
    labels = (m + 0.1 * random.standard_normal(T) > 0).astype(np.int64)
    shared = random.standard_normal(T)
    networks, ensembles = [], []
    for width in WIDTHS:
        n = weights_of(width)
        f = (m + shift(n) * shared + fluctuation(n) * random.standard_normal((R, T)))[..., None]
        error = ((f[..., 0] > 0) != labels).mean(1)
        norm = np.sqrt((f[..., 0] ** 2).mean(1))
        near = np.exp(-(np.log(n / N_STAR) ** 2))
        recorded = norm[:, None] * np.array([0.1, 0.5, 1 - growth * near, 1 - growth * near, 1])
        at = {**CELL, "width": width}
        coords = {**at, "seed": np.arange(R), "test_sample": np.arange(T), "output": [0], "step": STEPS}
        columns = {
            "status": np.array(["fitted" if fits(n) else "unfitted"] * R, dtype=object),
            "test_error": error,
            "train_error": np.full(R, 0.0 if fits(n) else 0.1),
            "early_stopping_error": error - early * near,
            "epochs": np.full(R, 1000),
            "n_weights": np.full(R, n),
            "test_norm": norm,
        }
        data = {name: ("seed", values) for name, values in columns.items()}
        data |= {"outputs": (("seed", "test_sample", "output"), f), "recorded_test_norm": (("seed", "step"), recorded)}
        networks.append(xr.Dataset(data, coords=coords).expand_dims(DIMS))
        table = xr.merge([of_errors(f, labels, generator=random), of_fluctuations({"test": f})]).assign(n_weights=n)
        ensembles.append(table.assign_coords(seed=np.arange(R), **at).expand_dims(DIMS))
    groups = {"networks": xr.concat(networks, "width"), "ensembles": xr.concat(ensembles, "width")}
    shape = {"task": ["digits"], "n_train": [100], "draw": [0], "test_sample": np.arange(T)}
    groups["networks"]["test_labels"] = xr.DataArray(labels.astype(object)[None, None, None], shape, list(shape))
    groups["jamming"] = thresholds(
        groups["networks"].assign_coords(protocol_max_epochs=("protocol", [1000.0])), generator=np.random.default_rng(1)
    )
    return groups


LAW = {
    "group": "ensembles", "variable": "fluctuation", "axis": "n_weights", "along": "width",
    "select": {"measure": "test"}, "form": {"kind": "powers", "exponents": (-0.25,)},
    "statistic": "root_mean_square", "above": None, "below": None, "beyond": None, "within": None,
}  # fmt: skip


def tree_of(groups, laws=None):
    fitted = fitted_laws(groups, laws or {}, generators=lambda name: np.random.default_rng(2))
    tree = xr.DataTree.from_dict({f"widths/{name}": group for name, group in (groups | fitted).items()})
    for name, group in {"networks": data_sets(groups["networks"]), "jamming": groups["jamming"]}.items():
        tree[f"data_sets/{name}"] = xr.DataTree(group)
    tree["data_sets"].attrs |= {"n_test": T, "spec": json.dumps({"tasks": {"digits": {"kind": "digits_parity"}}})}
    return tree


def data_sets(networks, draws=6, spread=0.02, own=0.005):
    """Make the same networks on several data sets, each of which moves all errors, by nearly as much at every width."""
    rng, each = np.random.default_rng(3), []
    for draw in range(draws):
        moved = spread * rng.standard_normal() + own * rng.standard_normal(networks.sizes["width"])
        errors = networks.test_error + xr.DataArray(moved, dims="width")
        each.append(networks.assign(test_error=errors.transpose(*DIMS, "seed")).assign_coords(draw=[draw]))
    return xr.concat(each, "draw").drop_vars(["outputs", "test_labels"])


def verdict(name, tree):
    return judge(claim_files.load_claim("width", name), tree)["verdict"]


def peaked(n):
    """Return fluctuations with a peak at N*, and a fall as N^-1/4."""
    return 1.2 * (n / N_STAR) ** -0.25 + 3 * np.exp(-4 * np.log(n / N_STAR) ** 2)


def decaying(n):
    return 1.2 * (n / N_STAR) ** -0.25


def constant(n):
    return 0.3


def planted_trees():
    """Return a cube for each truth: a peak at N*, a fall, no change, no network that fits, a rise."""
    return {name: tree.copy(deep=True) for name, tree in _planted_trees().items()}


@lru_cache(maxsize=1)
def _planted_trees():
    return {
        "peak": tree_of(cube(fluctuation=peaked, early=0.25), {"fluctuation": LAW | {"beyond": 2.5}}),
        "decay": tree_of(cube(fluctuation=decaying, growth=0.0), {"fluctuation": LAW}),
        "constant": tree_of(cube(fluctuation=constant, fits=lambda n: n > 1e9)),
        "flat": tree_of(cube(fluctuation=constant)),
        "rise": tree_of(cube(fluctuation=decaying, shift=lambda n: 0.8 * np.log(n / N_STAR) / np.log(50))),
    }
