"""Networks that were recorded on the way, with numbers that differ along every axis of a cube."""

import json

import xarray as xr
from planted_numbers import numbers

AXES = ("task", "protocol", "depth", "width", "n_train", "draw", "learning_rate", "seed", "step")
SIZES = {"protocol": ["sgd", "adam"], "n_train": [100, 900], "draw": 2, "learning_rate": [0.1, 0.01, 1.0], "seed": 2}
RECORDED = ("test_error", "first_half_error", "second_half_error", "train_error")
FIRST = {"protocol": "adam", "n_train": 100}  # what the figures below are of: n_train is the first by default


def recorded(first, trained=None, /, *, steps=(1, 5, 20), low=0.1, high=0.45, **axes):
    """Make networks along ``axes``, by the seed ``first`` and the next: one in ten diverged.

    Nothing is there where ``trained(networks)`` is false.
    """
    given = {**SIZES, "step": list(steps), **axes}
    sizes = {axis: given[axis] for axis in AXES}
    found = xr.Dataset({f"recorded_{name}": numbers(first + i, low, high, **sizes) for i, name in enumerate(RECORDED)})
    alive = numbers(first + 9, 0, 1, **{axis: sizes[axis] for axis in AXES[:-1]}) > 0.1
    there = xr.ones_like(alive) if trained is None else trained(found) & xr.ones_like(alive)
    rank = xr.DataArray(range(len(found.task)), dims="task", coords={"task": found.task})
    parameters = (found.depth + 1) * 10 * found.width + 7 * rank + 1 + (found.protocol == "sgd") * 1000
    found = found.where(alive & there)
    status = xr.where(alive, "fitted", "diverged").where(there, "missing").transpose(*AXES[:-1])
    parameters = parameters.broadcast_like(alive).where(there).transpose(*AXES[:-1])
    return found.assign(n_parameters=parameters, status=status)


def cube(networks, *, tasks=None, epochs=None, **groups):
    """Put networks and other groups into a cube; its settings say the tasks, and the epochs of ``adam``."""
    protocols = {"protocols": {"adam": {"max_epochs": epochs}}} if epochs else {}
    made = {"networks": networks, **groups}
    tree = xr.DataTree.from_dict({name.replace("__", "/"): group for name, group in made.items()})
    tree.attrs["spec"] = json.dumps({"tasks": tasks or {}, **protocols})
    return tree
