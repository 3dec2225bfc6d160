"""What a spec says about training, as a recipe."""

from typing import Any

import torch

from isobath import plugins
from isobath.jobs.specs import bound
from isobath.training import losses
from isobath.training.recipes import Recipe
from isobath.training.stacks import Network


def recipe(spec: dict[str, Any]) -> Recipe:
    """The recipe of a networks or learning_rates spec (see grids.training_spec)."""
    protocol, cell = dict(spec["protocol"]), spec["cell"]
    network = dict(protocol.pop("network"))
    stopping = {key: protocol.pop(key) for key in ("max_epochs", "check_every")}
    batch_size = protocol.get("batch_size", 50)
    if batch_size is None:  # an epoch is a step: looking at every one of them would cost as much as the steps
        stopping["watch_every"] = stopping["check_every"]
    return Recipe(
        network=Network(plugins.load("network", network.pop("kind")), network),
        loss=getattr(losses, protocol.pop("loss")),
        dtype=getattr(torch, protocol.pop("precision")),
        records=spec.get("records", ()),
        protocol=bound("protocol", protocol),
        shape={"depth": cell["depth"], "width": cell["width"]},
        stopping=stopping,
        seed=spec["seed"],
        batch_size=batch_size,
    )
