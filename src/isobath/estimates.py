"""What a job will cost, from its spec: for time limits. Counted operations at the rates of costs."""

import math
from collections.abc import Mapping
from typing import Any

from isobath import costs, plugins

IMAGE = 3072  # inputs of a task that has no dimension: an image of three times 32 x 32
START = 5.0  # minutes for a job to start, read, test and write
MARGIN = 2.0  # of a time limit over the estimate
LONGEST = 24 * 60  # minutes; a training that needs more saves its progress and continues in the next attempt


def network_size(spec: Mapping[str, Any], task: Mapping[str, Any]) -> costs.Size | None:
    """Of a network of a networks or learning_rates spec; None for an architecture whose size is not known."""
    network, cell = spec["protocol"]["network"], spec["cell"]
    kind = plugins.literal("network", network["kind"], "SIZE")
    if kind is None:
        return None
    inputs = int(task.get("dimension", IMAGE))
    outputs = 10 if "dimension" not in task else 2
    shape = {"n_inputs": inputs, "n_outputs": outputs, "depth": cell["depth"], "width": cell["width"]}
    try:
        return costs.size(kind, shape, network)
    except ValueError:  # not the images that are assumed
        return None


def training_minutes(spec: Mapping[str, Any], task: Mapping[str, Any]) -> int:
    """A time limit in minutes: every network to its last epoch on one core, with a margin."""
    size = network_size(spec, task)
    if size is None:
        return LONGEST
    protocol, cell = spec["protocol"], spec["cell"]
    number = 8 if protocol["precision"] == "float64" else 4
    batch = protocol.get("batch_size", 50)
    seconds = costs.training_seconds(
        size, cell["depth"], cell["n_train"], protocol["max_epochs"], _networks(spec), batch=batch, number=number
    )
    return int(min(LONGEST, math.ceil(START + MARGIN * seconds / 60)))


def memory_mb(spec: Mapping[str, Any], task: Mapping[str, Any], *, networks: int, copies: int) -> int:
    """What a job takes that holds ``copies`` of the weights of so many networks in float64, and 4 GB besides."""
    size = network_size(spec, task)
    return 4000 + math.ceil(copies * networks * 8 * (size.parameters if size else 0) / 1e6)


def _networks(spec: Mapping[str, Any]) -> int:
    """How many networks a job trains: seeds of every rate, or folds of every trial of a search."""
    rate = spec["learning_rate"]
    if "seeds" in spec:
        first, last = spec["seeds"]
        return int(last - first + 1) * (len(rate) if isinstance(rate, list) else 1)
    return int(rate["folds"]) * (int(rate["initial"]) + int(rate["rounds"]) * int(rate["suggestions"]))
