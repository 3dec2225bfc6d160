"""A made-up grid of the theory of the fractals study in which every number differs along every axis."""

import functools
import json

import numpy as np
import xarray as xr
from fractal_cubes import STARTS, fractal

from isobath.analysis.cubes import describe

TASKS = {
    "sierpinsky_margin": fractal("sierpinsky", 1, levels=6),
    "cantor_margin": fractal("cantor", 1, levels=4),
    "line-1": fractal("cantor_1d", 1, levels=9),
    "line-6": fractal("cantor_1d", 6, levels=7),
    "cantor_coarse": fractal("cantor", 1, levels=5),
    "cantor_finer": fractal("cantor", 4, levels=5),
}
KINDS = {
    "folding": {"kind": "fractal_folding"},
    "folding_by_2": {"kind": "fractal_folding", "shortcut": 2},
    "folding_by_3": {"kind": "fractal_folding", "shortcut": 3},
    "folding_2_by_1": {"kind": "fractal_folding", "levels": 2, "shortcut": 1},
    "folding_3_by_2": {"kind": "fractal_folding", "levels": 3, "shortcut": 2},
    "folding_4_by_2": {"kind": "fractal_folding", "levels": 4, "shortcut": 2},
    "folding_wide_margin": {"kind": "fractal_folding", "margin": 0.001},
    "certificate": {"kind": "cantor_certificate"},
    "certificate_by_three": {"kind": "cantor_certificate", "shortcut": 3},
}
MARGINS, COARSE = ("sierpinsky_margin", "cantor_margin"), ("cantor_coarse", "cantor_finer")
ASKED = [
    *((task, kind) for task in (*MARGINS, "line-1", "line-6") for kind in ("folding", "folding_by_2", "folding_by_3")),
    *((task, f"folding_{partial}") for task in COARSE for partial in ("2_by_1", "3_by_2", "4_by_2")),
    *((task, kind) for task in COARSE for kind in ("folding_wide_margin", "certificate")),
    ("sierpinsky_margin", "folding_wide_margin"),
    ("line-6", "certificate"),
    ("line-1", "certificate_by_three"),
    ("line-6", "certificate_by_three"),
]
START_NAMES = [name for name, _ in STARTS]


def scores(rng):
    """Return samples by class, wrong ones by class, largest width and hidden layers of each pair of ASKED."""
    found = {}
    for task, kind in ASKED:
        counts = rng.integers(900, 1500, 2)
        wrong = [int(rng.integers(1, 300)), int(rng.integers(1, 300))]
        # Layers are fewer than levels in what Corollary 3 is about.
        found[task, kind] = (counts, wrong, int(rng.integers(3, 300)), int(rng.integers(1, 5)))
    return found


SCORES = scores(np.random.default_rng(3))


def constructions():
    coords = {"task": list(TASKS), "construction": list(KINDS), "class": [0, 1]}
    table, shape = xr.Dataset(coords=coords), [len(values) for values in coords.values()]
    by_class, whole = ("class_error", "class_count"), ("test_error", "largest_width", "n_hidden_layers")
    table = table.assign({name: (tuple(coords), np.full(shape, np.nan)) for name in by_class})
    table = table.assign({name: (("task", "construction"), np.full(shape[:2], np.nan)) for name in whole})
    for (task, kind), (counts, wrong, width, layers) in SCORES.items():
        values = (wrong / counts, counts, sum(wrong) / sum(counts), width, layers)
        for name, value in zip((*by_class, *whole), values, strict=True):
            table[name].loc[{"task": task, "construction": kind}] = value
    return describe(table, {"task": TASKS, "construction": KINDS})


def region_counts(rng):
    """Return counts near their bounds, of which some are above."""
    dims = {"start": START_NAMES, "depth": [1, 2, 4], "width": [5, 7], "network": range(3), "level": [1, 2, 3, 4]}
    of = {
        "regions": (("start", "depth", "width", "network"), rng.integers(20, 90, (4, 3, 2, 3))),
        "region_bound": (("depth", "width"), rng.uniform(100, 200, (3, 2))),
        "known_regions": ("level", rng.integers(20, 90, 4)),
        "known_bound": ("level", rng.uniform(100, 200, 4)),
        "needed_regions": ("level", rng.integers(5, 20, 4)),
    }
    return xr.Dataset(of, coords=dims)


def least_errors(rng):
    dims, shape = {"curve": [6, 1, 2], "regions": [2, 4, 8, 16], "levels": 5}, (3, 4)
    of = {name: (("curve", "regions"), rng.uniform(0.1, 0.5, shape)) for name in ("least_error", "error_bound")}
    return xr.Dataset(of, coords=dims)


def initial_gradients(rng, *, depth, growth, levels, delta):
    """Return gradients of which about half keep the bounds, of networks of which about half are small."""
    shape = (len(START_NAMES), len(depth), 9, len(growth))
    dims = ("start", "depth", "network", "growth")
    outputs = np.repeat(rng.uniform(0.2, 1.8, shape[:3])[..., None], len(growth), -1)  # of no distribution
    of = {
        "gradient_norm": (dims, rng.uniform(0, 1, shape)),
        "error": (dims, rng.uniform(0.2, 0.6, shape)),
        "imbalance": (dims, rng.uniform(0.2, 0.6, shape)),
        "largest_output": (dims, outputs),
        "fine_gradient_norm": (dims[:3], np.maximum(rng.uniform(-2, 1, shape[:3]), 0)),
        "fine_error": (dims[:3], np.minimum(rng.uniform(0.4, 0.8, shape[:3]), 0.5)),
        "fine_imbalance": (dims[:3], rng.uniform(0, 0.3, shape[:3])),
        "gradient_bound": (("depth", "growth"), rng.uniform(0.7, 0.9, (len(depth), len(growth)))),
        "error_bound": (("depth", "growth"), rng.uniform(0.2, 0.35, (len(depth), len(growth)))),
        "needed_levels": ("depth", 12 + rng.permutation(len(depth))),
    }
    coords = {"start": START_NAMES, "depth": list(depth), "network": range(9), "growth": list(growth)}
    return xr.Dataset(of, coords={**coords, "levels": levels, "width": 5, "delta": delta})


def deep_certificates(rng):
    names = ("depth", "largest_width", "wrong_positives", "wrong_negatives")
    of = {name: ("level", rng.permutation(20)[:3] + 1) for name in names}
    of["shallow_error"] = ("level", rng.uniform(0.2, 0.5, 3))
    return xr.Dataset(of, coords={"level": [18, 24, 30], "samples": 40})


@functools.cache
def groups():
    """Return the groups of the grid by their path."""
    rng = np.random.default_rng(4)
    calculations = {
        "region_counts": region_counts(rng),
        "least_errors": least_errors(rng),
        "initial_gradients": initial_gradients(rng, depth=(1, 3), growth=(1.0, 2.0, 4.0), levels=20, delta=0.15),
        "deep_gradients": initial_gradients(rng, depth=(8, 5, 2), growth=(1.0,), levels=24, delta=0.2),
        "deep_certificates": deep_certificates(rng),
    }
    parts = {f"theory/calculations/{name}": table for name, table in calculations.items()}
    return {**parts, "theory/constructions": constructions()}


def tree(networks):
    """Return a tree of networks with the grid of the theory."""
    both = {path: node.to_dataset() for path, node in networks.subtree_with_keys} | groups()
    node = xr.Dataset(attrs={"spec": json.dumps({"tasks": TASKS})})
    return xr.DataTree.from_dict({**both, "theory": node})
