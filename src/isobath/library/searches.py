"""Searches for a learning rate on one's own arrays, as the workflow makes them."""

from typing import Any

from torch import Tensor

from isobath.jobs.training_specs import recipe
from isobath.randomness import entropy, stream
from isobath.training.cross_validation import CrossValidation
from isobath.training.search import Search, folds
from isobath.training.trials import best


def learning_rate(spec: dict[str, Any], inputs: Tensor, truth: Tensor, *, memory: float) -> float:
    """Return the rate that the search of a cell finds; ``spec`` is that of its training. Raises ValueError."""
    settings, cell, seed = dict(spec["learning_rate"]), spec["cell"], spec["seed"]
    if settings["folds"] > len(truth):
        raise ValueError(f"rate has {settings['folds']} folds and X {len(truth)} samples; a fold needs one")
    partition = [part] if (part := settings.pop("partition")) else []
    names = [cell[key] for key in ("task", "n_train", "draw")]
    parts = folds(cell["n_train"], settings["folds"], stream(seed, "folds", *names, *partition))
    objective = CrossValidation(recipe(spec), inputs, truth, parts, ("search", *cell.values()), memory)
    root = entropy(seed, "search", *cell.values()) % 2**32
    search = Search(**settings, seed=root, together=inputs.device.type != "cpu")
    return float(best(search.run(objective), settings["ties"]).learning_rate)
