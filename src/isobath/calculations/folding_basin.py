"""The basin of the network that folds a sawtooth: what noise on its weights does, and what training makes of it.

All parameters of the exact network are multiplied by 1 + s N(0, 1), and the networks are trained from there by Adam
with the hinge loss. Every s scales the same noise, and orders of minibatches are the same, so that networks that are
compared over s differ in s alone.

- ``noise``: relative sizes s of the noise on the weights
- ``batch_size``: samples of a minibatch
"""

import itertools
from functools import partial
from typing import Annotated

import numpy as np
import torch
import xarray as xr
from annotated_types import Ge, Le

from isobath.constructions import sawtooth_folding
from isobath.losses import linear_hinge
from isobath.networks import mlp
from isobath.protocols import adam
from isobath.separation.sawtooth import pieces
from isobath.separation.sawtooth_networks import Training, each, judge
from isobath.settings import Count, NonNegative, Positive, Values
from isobath.tasks import sawtooth
from isobath.training.architecture import Architecture, Weights
from isobath.training.objective import Loss


def calculate(
    *,
    generator: np.random.Generator,
    folds: Values[Annotated[int, Ge(1), Le(20)]],
    noise: Values[NonNegative],
    networks: Count,
    steps: Count,
    rate: Positive,
    n_train: Count = 2000,
    batch_size: Count = 100,
) -> xr.Dataset:
    """Return the accuracies, in closed form, of ``networks`` networks of each number of folds and each noise s.

    The accuracies are those ``before`` and ``after`` a training of about ``steps`` minibatches, in whole epochs, at
    ``rate``. The accuracy of a network that diverged is NaN after training.
    """
    epochs = max(1, round(steps * batch_size / n_train))
    table = []
    for k in folds:
        training = Training.on(
            partial(sawtooth.sample, folds=k),
            n_train,
            protocol=partial(adam.train, batch_size=batch_size),
            loss=Loss(linear_hinge),
            epochs=epochs,
            generator=generator,
        )
        table.append(_accuracies(k, noise, networks, training, rate, generator))
    dims, unitless = ["folds", "noise", "network"], {"units": "1"}
    variables = {
        name: (dims, np.array(table)[:, i], {"long_name": f"accuracy {name} training", **unitless})
        for i, name in enumerate(("before", "after"))
    }
    coords = {"folds": list(folds), "noise": list(noise), "network": range(networks)}
    return xr.Dataset(variables, coords={**coords, "learning_rate": rate, "steps": steps})


def _accuracies(
    folds: int,
    noise: tuple[float, ...],
    networks: int,
    training: Training,
    rate: float,
    generator: np.random.Generator,
) -> np.ndarray:
    """Return the accuracies before and after training, (2, noise, networks)."""
    exact = sawtooth_folding.build({"kind": "sawtooth", "folds": folds}).weights
    normals = [[generator.standard_normal(w.shape[1:]) for w in exact] for _ in range(networks)]
    pairs = list(itertools.product(noise, normals))
    weights = [
        torch.from_numpy(np.stack([w[0].numpy() * (1 + s * normal[i]) for s, normal in pairs]))
        for i, w in enumerate(exact)
    ]
    rates, orders = np.full(len(pairs), rate), [*range(networks)] * len(noise)
    after = training.run(Architecture(mlp), [w.float() for w in weights], rates, orders=orders)
    count = pieces(folds=folds, triangles=1)
    return np.reshape([_accuracy(w, count) for w in (weights, after)], (2, len(noise), networks))


def _accuracy(weights: Weights, count: int) -> list[float]:
    return [
        judge(network, count).agreement.accuracy if all(np.isfinite(w).all() for w in network) else np.nan
        for network in each(weights)
    ]
