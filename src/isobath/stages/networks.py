"""A block of seeds of a cell: train the networks as one stack, test them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from isobath.disk import store
from isobath.disk.checkpoints import Checkpoints
from isobath.jobs import command_line, time_limits
from isobath.jobs.device import choose_device
from isobath.jobs.labelled_networks import labelled
from isobath.jobs.provenance import provenance
from isobath.jobs.specs import tensors
from isobath.jobs.training_specs import FOR_NETWORKS, recipe
from isobath.results.networks import VARIABLES
from isobath.training.recipes import replicas


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
    cell, device = spec["cell"], choose_device()
    train, test = tensors(training_set, device), tensors(test_set, device)
    rate = store.read(learning_rate).learning_rate.values if learning_rate else spec["learning_rate"]
    rates, seeds = np.atleast_1d(rate).tolist(), range(spec["seeds"][0], spec["seeds"][1] + 1)
    networks = replicas((cell["task"], cell["depth"], cell["width"]), rates, seeds, len(train[1]))
    data = (store.digest(path) for path in (training_set, test_set))
    belongs = (json.dumps(spec), code, str(rates), device.type, *data)
    progress = Checkpoints(checkpoints, *belongs, every=time_limits.save_every(), deadline=time_limits.deadline())
    stores = {kind: spec["store"] == kind for kind in ("weights", "outputs")}
    columns = recipe(spec).train_and_test(
        networks, train, test, memory=memory_mb * FOR_NETWORKS, checkpoint=progress, **stores
    )
    swept = isinstance(rate, list)  # one rate is a result, several are an axis
    if not swept:
        columns["learning_rate"] = networks.rates
    axes = {"rates": rates if swept else None, "seeds": seeds, "records": spec["records"]}
    inputs = [path for path in (training_set, test_set, learning_rate) if path]
    attrs = {"title": "trained networks", "device": device.type, **provenance(spec, code, *inputs)}
    dataset = labelled(columns, cell, **axes, truth=test[1]).assign_attrs(attrs)
    store.write(dataset, output)
    progress.clear()
    scalars = [name for name in columns if not set(VARIABLES[name].dims) - {"seed"}]
    print(dataset[scalars].to_dataframe()[scalars].to_string())


if __name__ == "__main__":
    command_line.run(main)
