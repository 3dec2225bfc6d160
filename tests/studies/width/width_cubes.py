"""A made-up cube of the width study: networks, ensembles of them, and the laws and thresholds that they have."""

import json
from functools import lru_cache

import numpy as np
import xarray as xr
from few_resamples import fitted_laws

from isobath.analysis.fits import thresholds

WIDTHS, MISSING = [3, 4, 6, 8, 12, 16, 24, 32], 12  # nothing was trained at MISSING
STEPS = [10, 100]
N = np.array([h * h + 11 * h for h in WIDTHS], dtype=float)
TRAINED = np.array([h != MISSING for h in WIDTHS])
LAWS = {
    "fluctuation": ("powers", {"exponents": [-0.25]}, "ensembles", "fluctuation", "n_weights", "width"),
    "kernel_fluctuation": (
        "powers",
        {"exponents": [-0.25]},
        "tangent_kernels",
        "kernel_fluctuation",
        "n_weights",
        "width",
    ),
    "kernel_change": ("powers", {"exponents": [-0.5]}, "tangent_kernels", "kernel_change", "n_weights", "width"),
    "gradient_norm": ("powers", {"exponents": [0, -0.25]}, "ensembles", "gradient_norm", "n_weights", "width"),
    "error_and_distance": ("powers", {"exponents": [0, 2]}, "ensembles", "excess_error", "distance", "width"),
    "distance_estimate": ("powers", {"exponents": [1]}, "ensembles", "distance", "distance_estimate", "width"),
    "excess_error": ("powers", {"exponents": [-0.5, -0.75]}, "ensembles", "excess_error", "n_weights", "width"),
    "test_error": ("powers", {"exponents": [0, -0.5, -0.75]}, "networks", "test_error", "n_weights", "width"),
    "norm": ("divergence", {"exponent": -1}, "networks", "recorded_test_norm", "n_weights", "width"),
    "ensemble_size": ("powers", {"exponents": [0, -1]}, "ensembles", "ensemble_error_pseudo", "size", "size"),
    "distance_size": ("powers", {"exponents": [-0.5]}, "ensembles", "distance_pseudo", "size", "size"),
    "error_and_distance_size": (
        "powers",
        {"exponents": [0, 2]},
        "ensembles",
        "ensemble_error_pseudo",
        "distance_pseudo",
        "size",
    ),
}
SELECT = {"fluctuation": {"measure": "test"}, "norm": {"step": STEPS}}
ASKED = {
    name: {"form": {"kind": kind, **form}, "group": group, "variable": variable, "axis": axis, "along": along}
    | {"select": SELECT.get(name, {}), "statistic": "mean"}
    | dict.fromkeys(("above", "below", "beyond", "within"))
    for name, (kind, form, group, variable, axis, along) in LAWS.items()
}


def networks():
    """Make networks; of the six of a width none, some or all fit, and one of the widest diverged."""
    rng, shape = np.random.default_rng(0), (len(WIDTHS), 6)
    status = np.full(shape, "fitted", dtype=object)
    for i, unfitted in enumerate([6, 4, 2, 1]):
        status[i, :unfitted] = "unfitted"
    status[-1, 0], status[~TRAINED] = "diverged", "missing"
    there = np.isin(status, ["fitted", "unfitted"])

    def noisy(mean):
        return np.where(there, np.asarray(mean)[:, None] * (1 + 0.02 * rng.standard_normal(shape)), np.nan)

    recorded = np.stack([noisy(5 + 100 / (N - 40)), noisy(5 + 400 / (N - 40))], -1)
    own = ("width", "seed")
    data = {
        "status": (own, status),
        "epochs": (own, np.where(there, np.where(status == "fitted", 50.0, 100.0), np.nan)),
        "n_weights": (own, np.where(TRAINED[:, None], N[:, None], np.nan) * np.ones(shape)),
        "test_error": (own, noisy(0.03 + 0.5 / N**0.5)),
        "early_stopping_error": (own, noisy(0.03 + 0.4 / N**0.5)),
        "train_error": (own, noisy(np.where(N < 100, 0.1, 0.0))),
        "train_norm": (own, noisy(3 + 50 / N)),
        "test_norm": (own, noisy(2 + 50 / N)),
        "recorded_test_norm": ((*own, "step"), recorded),
    }
    return xr.Dataset(data, coords={"width": WIDTHS, "seed": range(6), "step": STEPS})


def ensembles():
    rng, w = np.random.default_rng(1), len(WIDTHS)
    size, gap = np.arange(1, 7), 3 * N**-0.25

    def noisy(mean, *shape):
        mean = np.asarray(mean).reshape(*np.shape(mean), *[1] * (len(shape) + 1 - np.ndim(mean)))
        return mean * (1 + 0.02 * rng.standard_normal((w, *shape)))

    sizes, seeds, subsets = size[None, None], (w, 6), ("width", "size", "subset")
    pairs = {
        "gradient_norm": (("width", "seed"), noisy(2 + 20 * N**-0.25, 6)),
        "distance": (("width", "seed"), noisy(gap, 6)),
        "distance_estimate": (("width", "seed"), noisy(0.9 * gap, 6)),
        "distance_along_gradient": (("width", "seed"), noisy(gap, 6)),
        "excess_error": (("width", "seed"), noisy(0.5 * N**-0.5, 6)),
        "ensemble_error_pseudo": (("width", "seed", "size"), 0.03 + noisy(0.5 * N**-0.5, 6, 6) / sizes),
        "distance_pseudo": (("width", "seed", "size"), noisy(gap, 6, 6) / sizes**0.5),
        "ensemble_error": (("width", "size"), 0.03 + (0.5 * N**-0.5)[:, None] / size),
        "limit_error": ("width", np.full(w, 0.03)),
        "ensemble_distance": (subsets, noisy(gap, 6, 4)),
        "ensemble_distance_estimate": (subsets, noisy(0.9 * gap, 6, 4)),
        "variance_unbiased": (("width", "measure"), noisy(9 * N**-0.5, 3)),
        "fluctuation": (("width", "seed", "measure"), noisy(3 * N**-0.25, 6, 3)),
        "profile": (("width", "point", "position"), np.full((w, 8, 5), np.nan)),
        "crossing": (("width", "point"), np.full((w, 8), np.nan)),
        "plane_network": (("width", "plane_column", "plane_row"), rng.standard_normal((w, 6, 5))),
        "plane_mean": (("width", "plane_column", "plane_row"), rng.standard_normal((w, 6, 5))),
        "plane_first": (("width", "plane_column"), np.tile(np.arange(6.0), (w, 1))),
        "plane_second": (("width", "plane_row"), np.tile(np.arange(5.0), (w, 1))),
        "plane_corners": (("width", "corner", "axis"), rng.uniform(0, 4, (w, 3, 2))),
        "n_weights": ("width", N),
    }
    assert all(np.shape(values)[0] == seeds[0] for _, values in pairs.values())
    coords = {"width": WIDTHS, "seed": range(6), "size": size, "subset": range(4), "point": range(8)}
    data = xr.Dataset(
        pairs, coords={**coords, "measure": ["test", "train", "normal"], "position": np.linspace(-1, 3, 5)}
    )
    data.profile[5, :5] = 1 - data.position  # five samples lie between the boundaries, three places are empty
    data.crossing[5, :4] = [1.2, 1.0, 0.8, 1.4]
    data.ensemble_error[-1, -1] = np.nan  # five networks are left
    return data.where(data.width != MISSING)


def tangent_kernels():
    rng, own = np.random.default_rng(3), ("width", "seed")
    laws = {"kernel_fluctuation": N**-0.25, "kernel_change": N**-0.5, "predicted_correlation": 0.5 + 0 * N}
    columns = {name: law[:, None] * (1 + 0.02 * rng.standard_normal((len(N), 6))) for name, law in laws.items()}
    data = {name: (own, values) for name, values in columns.items()}
    found = xr.Dataset({**data, "n_weights": ("width", N)}, coords={"width": WIDTHS, "seed": range(6)})
    return found.where(found.width != MISSING)


def cube(asked=ASKED):
    return _cube(json.dumps(asked)).copy(deep=True)


@lru_cache(maxsize=4)
def _cube(asked):
    asked = json.loads(asked)
    axes = {"task": ["digits"], "protocol": ["adam"], "depth": [3], "n_train": [100], "draw": [0]}
    made = {"networks": networks(), "ensembles": ensembles(), "tangent_kernels": tangent_kernels()}
    groups = {name: group.expand_dims(axes) for name, group in made.items()}
    generator = np.random.default_rng(2)
    timed = groups["networks"].drop_sel(width=MISSING).assign_coords(protocol_max_epochs=("protocol", [1000.0]))
    groups["jamming"] = thresholds(timed, generator=generator)
    tree = xr.DataTree.from_dict(groups | fitted_laws(groups, asked, generators=lambda name: generator))
    tree.attrs["spec"] = json.dumps({"laws": asked})
    return tree
