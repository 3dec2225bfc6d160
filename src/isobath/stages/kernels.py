"""Regress the labels of a cell with a kernel: every depth in one pass."""

from pathlib import Path
from typing import Any

import xarray as xr

from isobath.binding import bound
from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.device import choose_device
from isobath.jobs.labelled_regressions import labelled
from isobath.jobs.provenance import provenance
from isobath.jobs.specs import tensors
from isobath.randomness import stream
from isobath.regression.ridge import Validation, regress


def main(spec: dict[str, Any], code: str, training_set: Path, test_set: Path, memory_mb: int, output: Path) -> None:
    """Write per depth, if the kernel has one: the test error, how the linear system was solved, and the ridge."""
    profile, device = bound("kernel", spec["kernel"]), choose_device()
    train, test = tensors(training_set, device), tensors(test_set, device)
    depth = spec.get("depth")
    validation = _validation(spec, len(train[1]))
    columns = regress(profile, train, test, depth=depth, memory=memory_mb * 1e6, validation=validation)
    variables = labelled(columns, depth, train[1])
    axes = ({"depth": depth} if depth else {}) | ({"ridge": spec["ridges"]} if "ridges" in spec else {})
    attrs = {
        "title": "kernel regression",
        "device": device.type,
        **provenance(spec, code, training_set, test_set),
    }
    dataset = xr.Dataset(variables, coords={**axes, **spec["cell"]}, attrs=attrs)
    store.write(dataset, output)
    print(dataset.to_dataframe()[list(variables)].to_string() if dataset.sizes else dataset)


def _validation(spec: dict[str, Any], n: int) -> Validation | None:
    """Return the choice of a ridge, if there are any, with one draw for all kernels on a training set."""
    if "ridges" not in spec:
        return None
    cell = spec["cell"]
    generator = stream(spec["seed"], "validation", cell["task"], cell["n_train"], cell["draw"])
    return Validation.drawn(spec["ridges"], spec["validation"], n, generator)


if __name__ == "__main__":
    command_line.run(main)
