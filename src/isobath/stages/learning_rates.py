"""Search for the learning rate of a cell, and keep all trials."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from isobath.classes import is_real
from isobath.disk import store
from isobath.disk.checkpoints import Checkpoints
from isobath.jobs import command_line, searches, time_limits
from isobath.jobs.device import choose_device
from isobath.jobs.provenance import provenance
from isobath.jobs.specs import tensors
from isobath.jobs.training_specs import FOR_NETWORKS
from isobath.results import labelled
from isobath.results.learning_rates import VARIABLES


def main(spec: dict[str, Any], code: str, training_set: Path, memory_mb: int, output: Path, checkpoints: Path) -> None:
    """Write the trials (trial, fold) and the ``learning_rate`` that was chosen."""
    device = choose_device()
    train = tensors(training_set, device, spec["protocol"]["precision"])
    belongs = (json.dumps(spec), code, store.digest(training_set))
    progress = Checkpoints(checkpoints, *belongs, every=time_limits.save_every(), deadline=time_limits.deadline())
    found = searches.trials(spec, train, memory=memory_mb * FOR_NETWORKS, checkpoint=progress)
    columns = searches.columns(found, spec["learning_rate"]["ties"])
    dataset = xr.Dataset(
        labelled(VARIABLES, columns, real=is_real(train[1])),
        coords={"trial": np.arange(len(found)), "fold": np.arange(len(found[0].error)), **spec["cell"]},
        attrs={"title": "learning-rate search", "device": device.type, **provenance(spec, code, training_set)},
    )
    store.write(dataset, output)
    progress.clear()
    print(dataset[["trial_rate", "cost", "verdict"]].to_dataframe().to_string())


if __name__ == "__main__":
    command_line.run(main)
