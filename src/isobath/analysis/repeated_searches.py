"""Test errors where searches for the learning rate were repeated: by data set, by search, by start of the network."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import xarray as xr

from isobath.statuses import FINITE

CELL = ("task", "depth", "width", "n_train")
PARTITION = "partition"  # of the training set into folds: all that differs between two searches on one data set


def searches_of(cube: xr.DataTree) -> Iterator[tuple[str, ...]]:
    """Yield the names of protocols of a cube that differ in their search alone, two or more at a time.

    Protocols whose data sets share a search are left out: its part of the variance would count as theirs.
    """
    alike: dict[str, list[str]] = {}
    for name, protocol in _protocols(cube).items():
        if isinstance(protocol["learning_rate"], dict) and not _is_shared(protocol):
            alike.setdefault(json.dumps(_without_partition(protocol), sort_keys=True), []).append(name)
    yield from (tuple(names) for names in alike.values() if len(names) > 1)


def require_own_searches(cube: xr.DataTree, searches: Sequence[str]) -> None:
    """Raise ValueError where data sets share one of the ``searches``, protocols of the cube."""
    for name, protocol in _protocols(cube).items():
        if name in searches and _is_shared(protocol):
            raise ValueError(f"data sets share the searches of {name}; protocols.{name}.learning_rate.draws must be 1")


def errors_by_search(cube: xr.DataTree, searches: Sequence[str]) -> Iterator[tuple[dict[str, Any], xr.DataArray]]:
    """Yield each cell, by task, depth, width and n_train, with its errors (draw, search, seed), if it has any.

    ``searches`` are protocols that differ in their search alone. Errors are of all networks that did not diverge.
    """
    networks = cube["networks"].to_dataset().sel(protocol=list(searches))
    errors = networks.test_error.where(networks.status.isin(FINITE)).rename(protocol="search")
    for coords in itertools.product(*(errors[axis].values.tolist() for axis in CELL)):
        cell = dict(zip(CELL, coords, strict=True))
        if bool((of_cell := errors.sel(cell)).notnull().any()):
            yield cell, of_cell.transpose("draw", "search", "seed")


def _protocols(cube: xr.DataTree) -> Mapping[str, Mapping[str, Any]]:
    protocols: Mapping[str, Mapping[str, Any]] = json.loads(cube.attrs.get("spec", "{}")).get("protocols", {})
    return protocols


def _is_shared(protocol: Mapping[str, Any]) -> bool:
    rate = protocol["learning_rate"]
    return isinstance(rate, dict) and rate["draws"] > 1


def _without_partition(protocol: Mapping[str, Any]) -> dict[str, Any]:
    rate = protocol["learning_rate"]
    return {**protocol, "learning_rate": {key: value for key, value in rate.items() if key != PARTITION}}
