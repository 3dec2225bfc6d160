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
from isobath.results.networks import VARIABLES
from isobath.training.objective import is_real
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
    """Write per network (seed), or per (learning_rate, seed) of a sweep, the variables of results/networks.py."""
    cell, device = spec["cell"], choose_device()
    train, test = tensors(training_set, device), tensors(test_set, device)
    found = store.read(learning_rate).learning_rate.values if learning_rate else spec["learning_rate"]
    rates, seeds = np.atleast_1d(found).tolist(), range(spec["seeds"][0], spec["seeds"][1] + 1)
    networks = replicas((cell["task"], cell["depth"], cell["width"]), rates, seeds, len(train[1]))
    data = (store.digest(path) for path in (training_set, test_set))
    belongs = (json.dumps(spec), code, str(rates), device.type, *data)
    progress = Checkpoints(checkpoints, *belongs, every=time_limits.save_every(), deadline=time_limits.deadline())
    how = {"memory": memory_mb * 0.5e6, "outputs": spec["store"] == "outputs", "checkpoint": progress}
    columns = recipe(spec).train_and_test(networks, train, test, **how)
    dims = {"learning_rate": rates, "seed": list(seeds)}
    if not isinstance(found, list):  # one rate is a result, several are an axis
        columns["learning_rate"] = networks.rates
        dims.pop("learning_rate")
    shape = [len(values) for values in dims.values()]
    variables, real = {}, is_real(train[1])
    for name, column in columns.items():
        extra = EXTRA.get(name.partition("_")[0], [])
        attrs = VARIABLES[name].attrs_of(real=real)
        variables[name] = ([*dims, *extra], column.reshape(*shape, *column.shape[1:]), attrs)
    if how["outputs"]:
        variables |= _truth(test[1].cpu().numpy())
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


def _truth(truth: np.ndarray) -> dict[str, tuple[list[str], np.ndarray, dict[str, str]]]:
    """Return the class indices or the real targets of the test samples, labelled."""
    if truth.ndim > 1:
        return {"test_targets": (["test_sample", "output"], truth, {"long_name": "real target y", "units": "1"})}
    about = {"long_name": "class index of the test samples", "units": "1"}
    return {"test_labels": (["test_sample"], truth, about)}


if __name__ == "__main__":
    command_line.run(main)
