"""What a spec says about training, as a recipe."""

from typing import Any

from isobath import losses, plugins
from isobath.recipes import Recipe
from isobath.specs import bound
from isobath.stacks import Network


def recipe(spec: dict[str, Any]) -> Recipe:
    """The recipe of a networks or learning_rates spec (see grids.training_spec)."""
    protocol, cell = dict(spec["protocol"]), spec["cell"]
    network = dict(protocol.pop("network"))
    stopping = {key: protocol.pop(key) for key in ("max_epochs", "check_every")}
    return Recipe(
        network=Network(plugins.load("network", network.pop("kind")), network),
        loss=getattr(losses, protocol.pop("loss")),
        protocol=bound("protocol", protocol),
        shape={"depth": cell["depth"], "width": cell["width"]},
        stopping=stopping,
        seed=spec["seed"],
    )
