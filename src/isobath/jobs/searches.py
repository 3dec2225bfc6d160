"""The search for a learning rate that a spec describes, on given samples, as jobs and ``isobath.train`` make it.

A module of its own: an edit of the search trains no network anew whose rate was given.
"""

from typing import Any

from isobath.jobs.training_specs import recipe
from isobath.randomness import entropy, stream
from isobath.training.cross_validation import CrossValidation
from isobath.training.recipes import Checkpoint, Samples
from isobath.training.search import Search, folds
from isobath.training.trials import Trial


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
