"""Recipes of the specs that train networks."""

from typing import Any

import torch

from isobath.binding import bound
from isobath.jobs.specs import loss
from isobath.training.architecture import Architecture
from isobath.training.fit import Stopping
from isobath.training.recipes import Recipe

FOR_NETWORKS = 0.5e6  # bytes that networks may fill of each MB of a job: half, beside data, outputs and libraries


def recipe(spec: dict[str, Any]) -> Recipe:
    """Return the recipe of a networks or learning_rates spec (see study.network_cells.training_spec)."""
    protocol, cell = dict(spec["protocol"]), spec["cell"]
    network, objective = Architecture.of(protocol.pop("network")), loss(protocol.pop("loss"))
    precision = protocol.pop("precision")
    max_epochs, check_every = protocol.pop("max_epochs"), protocol.pop("check_every")
    batch_size = protocol.get("batch_size")
    # Without minibatches an epoch is a step: checking every one of them would cost as much as the steps.
    stopping = Stopping(max_epochs, check_every, check_finite_every=1 if batch_size else check_every)
    return Recipe(
        architecture=network,
        loss=objective,
        dtype=getattr(torch, precision),
        records=spec.get("records", ()),
        protocol=bound("protocol", protocol),
        shape={"depth": cell["depth"], "width": cell["width"]},
        stopping=stopping,
        seed=spec["seed"],
        batch_size=batch_size,
    )
