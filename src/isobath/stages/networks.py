"""A block of seeds of a cell: train the networks as one stack, test them."""

from typing import Any

import numpy as np
import xarray as xr

from isobath import cli, store
from isobath.cli import Path
from isobath.recipes import replicas
from isobath.specs import tensors
from isobath.training_specs import recipe

NOUNS = {
    "status": "what became of the training: fitted, unfitted or diverged",
    "epochs": "epochs of training",
    "train_error": "misclassified fraction of the training set",
    "test_error": "misclassified fraction of the test set",
    "loss": "mean training loss at the stop",
    "n_parameters": "number of weights and biases",
    "learning_rate": "learning rate",
}


def main(
    spec: dict[str, Any],
    code: str,
    training_set: Path,
    test_set: Path,
    memory_mb: int,
    output: Path,
    learning_rate: Path | None = None,
) -> None:
    """Write per network (seed), or per (learning_rate, seed) of a sweep, what NOUNS says."""
    cell, device = spec["cell"], cli.device()
    train, test = tensors(training_set, device), tensors(test_set, device)
    found = store.read(learning_rate).learning_rate.values if learning_rate else spec["learning_rate"]
    rates, seeds = np.atleast_1d(found).tolist(), range(spec["seeds"][0], spec["seeds"][1] + 1)
    members = replicas((cell["task"], cell["depth"], cell["width"]), rates, seeds, len(train[1]))
    columns = recipe(spec).tested(members, train, test, memory=memory_mb * 0.5e6)
    dims = {"learning_rate": rates, "seed": list(seeds)}
    if not isinstance(found, list):  # one rate is a result, several are an axis
        columns["learning_rate"] = members.rates
        dims.pop("learning_rate")
    shape = [len(values) for values in dims.values()]
    dataset = xr.Dataset(
        {n: (list(dims), c.reshape(shape), {"long_name": NOUNS[n], "units": "1"}) for n, c in columns.items()},
        coords={**dims, **cell},
        attrs={"title": "trained networks", "device": device.type, **cli.provenance(spec, code)},
    )
    store.write(dataset, output)
    print(dataset.to_dataframe()[list(columns)].to_string())


if __name__ == "__main__":
    cli.run(main)
