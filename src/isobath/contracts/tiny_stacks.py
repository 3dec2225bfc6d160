"""Stacks of tiny perceptrons in float64, the losses, and made-up samples to learn."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from isobath.jobs.specs import loss
from isobath.networks import mlp
from isobath.randomness import entropy, stream
from isobath.training.architecture import Architecture
from isobath.training.stacks import Stack, pack

LOSSES = ["cross_entropy", "mean_squared_error", "squared_hinge", "linear_hinge"]
LOSS = {kind: loss(kind) for kind in LOSSES}
DIMENSION = 6


def start_settings(name: str) -> dict[str, str]:
    """Return the settings of a start: an initialisation, or the NTK parametrisation with its own."""
    return (
        {"initialisation": "standard_normal", "parametrisation": "ntk"} if name == "ntk" else {"initialisation": name}
    )


def data(n: int = 53, k: int = 2) -> tuple[Tensor, Tensor]:
    """Return normal inputs (n, DIMENSION), and labels (n,): the sign of the product of the first k features."""
    x = stream(0, "training").standard_normal((n, DIMENSION))
    return torch.from_numpy(x), torch.from_numpy((np.prod(x[:, :k], 1) < 0).astype(np.int64))


def stack(
    rates: Sequence[float],
    rows: np.ndarray,
    *,
    depth: int = 2,
    width: int = 5,
    initialisation: str = "glorot_uniform",
    first: int = 0,
    outputs: int = 2,
) -> Stack:
    """Return a stack of perceptrons, one per learning rate, with their numbers from ``first`` on."""
    network = Architecture(mlp, start_settings(initialisation))
    members = range(first, first + len(rates))
    weights = network.init(
        [stream(0, "start", i) for i in members],
        n_inputs=DIMENSION, n_outputs=outputs, depth=depth, width=width, dtype=torch.float64,
    )  # fmt: skip
    orders = [entropy(0, "order", i) for i in members]
    shapes = [w.shape[1:] for w in weights]
    return Stack(network, pack(weights), shapes, rows, torch.tensor(rates, dtype=torch.float64), orders)


def padded(n: int, lists: Sequence[Sequence[int]]) -> np.ndarray:
    """Return the rows of each network, (R, n), from lists of them; -1 is no row."""
    rows = np.full((len(lists), n), -1)
    for row, values in zip(rows, lists, strict=True):
        row[: len(values)] = values
    return rows
