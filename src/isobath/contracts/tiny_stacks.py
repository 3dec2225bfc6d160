"""Stacks of tiny perceptrons in float64, the losses, and made-up samples to learn."""

import numpy as np
import torch

from isobath.jobs.specs import loss
from isobath.networks import mlp
from isobath.randomness import entropy, stream
from isobath.training.architecture import Architecture
from isobath.training.stacks import Stack, pack

LOSSES = ["cross_entropy", "mean_squared_error", "squared_hinge", "linear_hinge"]
LOSS = {kind: loss(kind) for kind in LOSSES}
DIMENSION = 6


def start_settings(name):
    """The settings of a start: an initialisation, or the NTK parametrisation with its own."""
    return (
        {"initialisation": "standard_normal", "parametrisation": "ntk"} if name == "ntk" else {"initialisation": name}
    )


def data(n=53, k=2):
    x = stream(0, "training").standard_normal((n, DIMENSION))
    return torch.from_numpy(x), torch.from_numpy((np.prod(x[:, :k], 1) < 0).astype(np.int64))


def stack(rates, rows, *, depth=2, width=5, initialisation="glorot_uniform", first=0, outputs=2):
    network = Architecture(mlp, start_settings(initialisation))
    members = range(first, first + len(rates))
    weights = network.init(
        [stream(0, "start", i) for i in members],
        n_inputs=DIMENSION, n_outputs=outputs, depth=depth, width=width, dtype=torch.float64,
    )  # fmt: skip
    rates = torch.tensor(rates, dtype=torch.float64)
    orders = [entropy(0, "order", i) for i in members]
    return Stack(network, pack(weights), [w.shape[1:] for w in weights], rows, rates, orders)


def padded(n, lists):
    rows = np.full((len(lists), n), -1)
    for row, values in zip(rows, lists, strict=True):
        row[: len(values)] = values
    return rows
