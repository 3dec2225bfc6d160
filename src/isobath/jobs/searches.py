"""The search for a learning rate that a spec describes, on given samples, as jobs and ``isobath.train`` make it.

A module of its own: an edit of the search trains no network anew whose rate was given.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from isobath.jobs.training_specs import recipe
from isobath.randomness import entropy, stream
from isobath.training.cross_validation import CrossValidation
from isobath.training.recipes import Checkpoint, Samples
from isobath.training.search import Search, folds
from isobath.training.trials import Trial, best


def trials(spec: dict[str, Any], train: Samples, *, memory: float, checkpoint: Checkpoint | None = None) -> list[Trial]:
    """Return the trials of the search that ``spec["learning_rate"]`` describes; ``memory`` is what networks may fill.

    Streams are named by the cell, and the partition into folds by its data set alone, which protocols share.
    """
    settings, cell, seed = dict(spec["learning_rate"]), spec["cell"], spec["seed"]
    partition = [part] if (part := settings.pop("partition", 0)) else []
    names = [cell[key] for key in ("task", "n_train", "draw")]
    parts = folds(cell["n_train"], settings["folds"], stream(seed, "folds", *names, *partition))
    objective = CrossValidation(recipe(spec), *train, parts, ("search", *cell.values()), memory, checkpoint)
    root = entropy(seed, "search", *cell.values()) % 2**32
    together = train[0].device.type != "cpu"  # compiled code trains one network after the other anyway
    return Search(**settings, seed=root, together=together).run(objective)


def columns(found: Sequence[Trial], ties: str) -> dict[str, Any]:
    """Return the variables of a search by name, along trial and fold: its trials, and the rate that was chosen."""
    return {
        "trial_rate": [t.learning_rate for t in found],
        "validation_error": np.stack([t.error for t in found]),
        "status": np.stack([t.status for t in found]),
        "epochs": np.stack([t.epochs for t in found]),
        "verdict": np.array([t.verdict for t in found], dtype=object),
        "cost": [t.cost for t in found],
        "learning_rate": best(found, ties).learning_rate,
    }
