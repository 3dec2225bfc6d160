"""Kernel regression of a cell: every depth in one pass."""

from typing import Any

import xarray as xr

from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.command_line import Path
from isobath.jobs.specs import bound, tensors
from isobath.regression.ridgeless import test_errors
from isobath.results import kernels


def main(spec: dict[str, Any], code: str, training_set: Path, test_set: Path, memory_mb: int, output: Path) -> None:
    """Write per depth: test_error, and the jitter and residual of the linear system."""
    gram, device = bound("kernel", spec["kernel"]), command_line.device()
    columns = test_errors(
        gram, tensors(training_set, device), tensors(test_set, device), depth=spec["depth"], memory=memory_mb * 1e6
    )
    dataset = xr.Dataset(
        {name: ("depth", columns[name], variable.attrs) for name, variable in kernels.VARIABLES.items()},
        coords={"depth": spec["depth"], **spec["cell"]},
        attrs={
            "title": "kernel regression",
            "device": device.type,
            **command_line.provenance(spec, code, training_set, test_set),
        },
    )
    store.write(dataset, output)
    print(dataset.to_dataframe()[list(kernels.VARIABLES)].to_string())


if __name__ == "__main__":
    command_line.run(main)
