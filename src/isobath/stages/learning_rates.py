"""The learning rate of a cell: a search, with all its trials."""

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
from isobath.jobs.training_specs import FOR_NETWORKS, recipe
from isobath.randomness import entropy, stream
from isobath.results import labelled
from isobath.results.learning_rates import VARIABLES
from isobath.training.cross_validation import CrossValidation
from isobath.training.objective import is_real
from isobath.training.search import Search, folds
from isobath.training.trials import best


def main(spec: dict[str, Any], code: str, training_set: Path, memory_mb: int, output: Path, checkpoints: Path) -> None:
    """Write the trials (trial, fold) and the ``learning_rate`` that was chosen."""
    settings, cell, seed = dict(spec["learning_rate"]), spec["cell"], spec["seed"]
    names = [cell[key] for key in ("task", "n_train", "draw")]
    partition = [part] if (part := settings.pop("partition", 0)) else []
    parts = folds(cell["n_train"], settings["folds"], stream(seed, "folds", *names, *partition))
    inputs, truth = tensors(training_set, device := choose_device())
    belongs = (json.dumps(spec), code, device.type, store.digest(training_set))
    progress = Checkpoints(checkpoints, *belongs, every=time_limits.save_every(), deadline=time_limits.deadline())
    name, memory = ("search", *cell.values()), memory_mb * FOR_NETWORKS
    objective = CrossValidation(recipe(spec), inputs, truth, parts, name, memory, progress)
    search = Search(
        **settings,
        seed=entropy(seed, "search", *cell.values()) % 2**32,
        together=device.type != "cpu",  # compiled code trains one network after the other anyway
    )
    trials = search.run(objective)
    columns = {
        "trial_rate": [t.learning_rate for t in trials],
        "validation_error": np.stack([t.error for t in trials]),
        "status": np.stack([t.status for t in trials]),
        "epochs": np.stack([t.epochs for t in trials]),
        "verdict": np.array([t.verdict for t in trials], dtype=object),
        "cost": [t.cost for t in trials],
        "learning_rate": best(trials, settings["ties"]).learning_rate,
    }
    dataset = xr.Dataset(
        labelled(VARIABLES, columns, real=is_real(truth)),
        coords={"trial": np.arange(len(trials)), "fold": np.arange(parts.max() + 1), **cell},
        attrs={"title": "learning-rate search", **provenance(spec, code, training_set)},
    )
    store.write(dataset, output)
    progress.clear()
    print(dataset[["trial_rate", "cost", "verdict"]].to_dataframe().to_string())


if __name__ == "__main__":
    command_line.run(main)
