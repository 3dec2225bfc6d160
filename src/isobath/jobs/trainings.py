"""The training of the networks that a spec describes, on given samples, as jobs and ``isobath.train`` do it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from isobath.jobs.labelled_networks import labelled
from isobath.jobs.network_streams import streams
from isobath.jobs.training_specs import recipe
from isobath.training.recipes import Checkpoint, Samples, replicas


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
    trained = replicas(streams(cell), rates, seeds, len(train[1]))
    stores = {kind: spec["store"] == kind for kind in ("weights", "outputs")}
    columns = recipe(spec).train_and_test(trained, train, test, memory=memory, checkpoint=checkpoint, **stores)
    if not swept:
        columns["learning_rate"] = trained.rates
    axes: dict[str, Any] = {"rates": rates if swept else None, "seeds": seeds, "records": spec["records"]}
    return labelled(columns, cell, **axes, truth=test[1])
