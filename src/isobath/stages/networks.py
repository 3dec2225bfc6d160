"""A block of seeds of a cell: train the networks as one stack, test them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from isobath.disk import store
from isobath.disk.checkpoints import Checkpoints
from isobath.jobs import command_line, time_limits
from isobath.jobs.device import choose_device
from isobath.jobs.provenance import provenance
from isobath.jobs.specs import tensors
from isobath.jobs.training_specs import recipe
from isobath.results import networks
from isobath.training.recipes import replicas

EXTRA = {"recorded": ["step"], "outputs": ["test_sample", "output"], "weights": ["parameter"]}


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
    """Write per network (seed), or per (learning_rate, seed) of a sweep, what results/networks.py declares."""
    cell, device = spec["cell"], choose_device()
    train, test = tensors(training_set, device), tensors(test_set, device)
    found = store.read(learning_rate).learning_rate.values if learning_rate else spec["learning_rate"]
    rates, seeds = np.atleast_1d(found).tolist(), range(spec["seeds"][0], spec["seeds"][1] + 1)
    members = replicas((cell["task"], cell["depth"], cell["width"]), rates, seeds, len(train[1]))
    data = (store.digest(path) for path in (training_set, test_set))
    belongs = (json.dumps(spec), code, str(rates), device.type, *data)
    progress = Checkpoints(checkpoints, *belongs, every=time_limits.save_every(), deadline=time_limits.deadline())
    how = {"memory": memory_mb * 0.5e6, "outputs": spec["store"] == "outputs", "checkpoint": progress}
    columns = recipe(spec).tested(members, train, test, **how)
    dims = {"learning_rate": rates, "seed": list(seeds)}
    if not isinstance(found, list):  # one rate is a result, several are an axis
        columns["learning_rate"] = members.rates
        dims.pop("learning_rate")
    shape = [len(values) for values in dims.values()]
    variables = {}
    for name, column in columns.items():
        extra = EXTRA.get(name.partition("_")[0], [])
        variables[name] = ([*dims, *extra], column.reshape(*shape, *column.shape[1:]), networks.VARIABLES[name].attrs)
    if how["outputs"]:
        about = {"long_name": "class index of the test samples", "units": "1"}
        variables["test_labels"] = (["test_sample"], test[1].cpu().numpy(), about)
    if spec["records"]:
        dims["step"] = spec["records"]
    inputs = [path for path in (training_set, test_set, learning_rate) if path]
    attrs = {"title": "trained networks", "device": device.type, **provenance(spec, code, *inputs)}
    dataset = xr.Dataset(variables, coords={**dims, **cell}, attrs=attrs)
    dataset = dataset.assign_coords({d: np.arange(n) for d, n in dataset.sizes.items() if d not in dataset.coords})
    store.write(dataset, output)
    progress.clear()
    scalars = [name for name in columns if not EXTRA.get(name.partition("_")[0])]
    print(dataset[scalars].to_dataframe()[scalars].to_string())


if __name__ == "__main__":
    command_line.run(main)
