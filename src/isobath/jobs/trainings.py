"""The search for a learning rate and the training of networks that a spec describes, on given samples.

The jobs of the workflow and ``isobath.train`` share them: equal specs and samples give equal numbers.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from isobath.jobs.labelled_networks import labelled
from isobath.jobs.training_specs import recipe
from isobath.randomness import entropy, stream
from isobath.training.cross_validation import CrossValidation
from isobath.training.recipes import Checkpoint, Samples, replicas
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


def networks(
    spec: dict[str, Any],
    rate: float | list[float],
    seeds: Sequence[int],
    train: Samples,
    test: Samples,
    *,
    memory: float,
    checkpoint: Checkpoint | None = None,
) -> xr.Dataset:
    """Return the networks of a cell, trained and tested: along seed, or along learning_rate and seed of several rates.

    ``spec`` is that of a networks job, without its seeds; the variables are those of results/networks.py.
    """
    cell, swept = spec["cell"], isinstance(rate, list)  # one rate is a result, several are an axis
    rates = np.atleast_1d(rate).tolist()
    trained = replicas((cell["task"], cell["depth"], cell["width"]), rates, seeds, len(train[1]))
    stores = {kind: spec["store"] == kind for kind in ("weights", "outputs")}
    columns = recipe(spec).train_and_test(trained, train, test, memory=memory, checkpoint=checkpoint, **stores)
    if not swept:
        columns["learning_rate"] = trained.rates
    axes: dict[str, Any] = {"rates": rates if swept else None, "seeds": seeds, "records": spec["records"]}
    return labelled(columns, cell, **axes, truth=test[1])
