"""Train the networks of a block of seeds as one stack, and test them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from isobath.disk import store
from isobath.disk.checkpoints import Checkpoints
from isobath.jobs import command_line, time_limits, trainings
from isobath.jobs.device import choose_device
from isobath.jobs.provenance import provenance
from isobath.jobs.specs import tensors
from isobath.jobs.training_specs import FOR_NETWORKS


def main(
    spec: dict[str, Any],
    code: str,
    training_set: Path,
    test_set: Path,
    memory_mb: int,
    output: Path,
    checkpoints: Path,
    learning_rate: Path | None = None,
) -> None:
    """Write per network (seed), or per (learning_rate, seed) of a sweep, the variables of results/networks.py."""
    device = choose_device()
    train, test = (tensors(path, device, spec["protocol"]["precision"]) for path in (training_set, test_set))
    rate = float(store.read(learning_rate).learning_rate) if learning_rate else spec["learning_rate"]
    seeds = range(spec["seeds"][0], spec["seeds"][1] + 1)
    data = (store.digest(path) for path in (training_set, test_set))
    belongs = (json.dumps(spec), code, str(np.atleast_1d(rate).tolist()), *data)
    progress = Checkpoints(checkpoints, *belongs, every=time_limits.save_every(), deadline=time_limits.deadline())
    memory = memory_mb * FOR_NETWORKS
    trained = trainings.networks(spec, rate, seeds, train, test, memory=memory, checkpoint=progress)
    inputs = [path for path in (training_set, test_set, learning_rate) if path]
    attrs = {"title": "trained networks", "device": device.type, **provenance(spec, code, *inputs)}
    store.write(trained.assign_attrs(attrs), output)
    progress.clear()
    scalars = [name for name, values in trained.items() if not set(values.dims) - {"learning_rate", "seed"}]
    print(trained[scalars].to_dataframe()[scalars].to_string())


if __name__ == "__main__":
    command_line.run(main)
