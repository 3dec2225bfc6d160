"""The training of the networks that a spec describes, on given samples, as jobs and ``isobath.train`` do it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import chi2_contingency
from torch import Tensor

from isobath.classes import is_real
from isobath.jobs.labelled_networks import labelled
from isobath.jobs.network_streams import streams
from isobath.jobs.training_specs import recipe
from isobath.training.recipes import Checkpoint, Samples, replicas

UNMIXED = 1e-6  # probability by chance of halves of a test set that have as different classes


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

    ``spec`` is that of a networks job, without its seeds; the variables are those of results/networks.py. Raises
    ValueError where trainings are recorded and the two halves of the test set have different classes.
    """
    if spec["records"]:
        _require_mixed(test[1])
    cell, swept = spec["cell"], isinstance(rate, list)  # one rate is a result, several are an axis
    rates = np.atleast_1d(rate).tolist()
    trained = replicas(streams(cell), rates, seeds, len(train[1]))
    stores = {kind: spec["store"] == kind for kind in ("weights", "outputs")}
    columns = recipe(spec).train_and_test(trained, train, test, memory=memory, checkpoint=checkpoint, **stores)
    if not swept:
        columns["learning_rate"] = trained.rates
    axes: dict[str, Any] = {"rates": rates if swept else None, "seeds": seeds, "records": spec["records"]}
    return labelled(columns, cell, **axes, truth=test[1])


def _require_mixed(truth: Tensor) -> None:
    """Refuse a test set that is sorted by its labels (n,): the step is chosen on its first half, judged on its last."""
    if is_real(truth):
        return
    labels, half = truth.cpu().numpy(), len(truth) // 2
    counts = np.stack([np.bincount(part, minlength=labels.max() + 1) for part in (labels[:half], labels[half:])])
    present = counts[:, counts.any(0)]
    if half and present.shape[1] > 1 and chi2_contingency(present).pvalue < UNMIXED:
        raise ValueError(
            f"the first half of the test set has {counts[0].tolist()} samples of the classes, the last half "
            f"{counts[1].tolist()}; shuffle it: with records the step is chosen on one half and judged on the other"
        )
