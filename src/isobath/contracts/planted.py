"""Planted cubes: trees as claims read them, of networks whose test errors are known, for the tests of claims."""

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from isobath.statuses import FITTED


def planted(
    grid: str,
    error: Callable[..., float],
    *,
    tasks: Mapping[str, Mapping[str, Any]],
    protocol: Sequence[str],
    depth: Sequence[int],
    width: Sequence[int],
    n_train: Sequence[int],
    draws: int = 1,
    seeds: int = 5,
    n_test: int = 10_000,
) -> xr.DataTree:
    """Return a tree with the node ``/<grid>/networks``, all of whose networks fitted.

    Their test errors are ``error(task=, protocol=, depth=, width=, n_train=)``, and differ by a hundredth between
    draws and between seeds. ``tasks`` are the settings by name, as in a study.
    """
    axes = {"task": [*tasks], "protocol": protocol, "depth": depth, "width": width, "n_train": n_train}
    cells = (dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values()))
    means = np.reshape([error(**cell) for cell in cells], [*map(len, axes.values()), 1, 1])
    errors = means * (1 + 0.01 * np.random.default_rng(0).standard_normal((*means.shape[:-2], draws, seeds)))
    dims = [*axes, "draw", "seed"]
    coordinates = axes | {"draw": range(draws), "seed": range(seeds)}
    status = np.full(errors.shape, FITTED, dtype=object)
    networks = xr.Dataset({"test_error": (dims, errors), "status": (dims, status)}, coordinates)
    tree = xr.DataTree.from_dict({f"{grid}/networks": networks})
    tree[grid].attrs |= {"n_test": n_test, "spec": json.dumps({"tasks": {name: dict(tasks[name]) for name in tasks}})}
    return tree
