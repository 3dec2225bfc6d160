"""Kernel regression of a cell: every depth in one pass."""

from typing import Any

import xarray as xr

from isobath.binding import bound
from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.command_line import Path
from isobath.jobs.specs import tensors
from isobath.regression.ridgeless import test_errors


def main(spec: dict[str, Any], code: str, training_set: Path, test_set: Path, memory_mb: int, output: Path) -> None:
    """Write per depth: test_error, and the jitter and residual of the linear system."""
    gram, device = bound("kernel", spec["kernel"]), command_line.device()
    columns = test_errors(
        gram, tensors(training_set, device), tensors(test_set, device), depth=spec["depth"], memory=memory_mb * 1e6
    )
    nouns = {
        "test_error": "misclassified fraction of the test set",
        "jitter": "jitter added to the Gram matrix, relative to its mean diagonal",
        "residual": "relative residual of the linear system",
    }
    dataset = xr.Dataset(
        {name: ("depth", columns[name], {"long_name": noun, "units": "1"}) for name, noun in nouns.items()},
        coords={"depth": spec["depth"], **spec["cell"]},
        attrs={
            "title": "kernel regression",
            "device": device.type,
            **command_line.provenance(spec, code, training_set, test_set),
        },
    )
    store.write(dataset, output)
    print(dataset.to_dataframe()[list(nouns)].to_string())


if __name__ == "__main__":
    command_line.run(main)
