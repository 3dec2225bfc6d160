"""Networks of one input that are to learn a wave: drawn, trained from a start, and judged in closed form."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from isobath.geometry.linear_regions import crossings
from isobath.randomness import entropy
from isobath.separation.sawtooth import Agreement, agreement
from isobath.statuses import DIVERGED
from isobath.training.architecture import Architecture, Weights
from isobath.training.fit import Protocol, Stopping, fit
from isobath.training.objective import Loss
from isobath.training.stacks import Stack

Network = list[np.ndarray]


class Judged(NamedTuple):
    """A classifier 1[f >= 0] on [0, 1]: its intervals, and how it agrees with a wave."""

    intervals: int
    agreement: Agreement


def each(weights: Weights) -> Iterator[Network]:
    """Yield the networks of a stack, in float64."""
    for r in range(len(weights[0])):
        yield [w[r].double().cpu().numpy() for w in weights]


def judge(network: Network, count: int) -> Judged:
    """Judge a network of z = 2 x - 1 on a wave of ``count`` pieces, from its kinks."""
    kinks = (crossings(network, low=-1, high=1) + 1) / 2
    begins = int(value(network, np.array([-1.0]))[0] >= 0)
    return Judged(len(kinks) + 1, agreement(kinks, begins, count))


def value(network: Network, z: np.ndarray) -> np.ndarray:
    """Return f(z), (n,), of a network with ReLUs and one output."""
    values = z[:, None]
    for i, (w, b) in enumerate(zip(network[::2], network[1::2], strict=True)):
        values = (values if i == 0 else np.maximum(values, 0)) @ w.T + b
    return values[:, 0]


class Training(NamedTuple):
    """Training of a stack: how, with which loss, on which data, for how many epochs, and the root of its orders."""

    protocol: Protocol
    loss: Loss
    data: tuple[Tensor, Tensor]
    epochs: int
    seed: int

    @classmethod
    def on(
        cls,
        sample: Callable[..., tuple[np.ndarray, np.ndarray]],
        n_train: int,
        *,
        protocol: Protocol,
        loss: Loss,
        epochs: int,
        generator: np.random.Generator,
    ) -> "Training":
        """Return the training on ``n_train`` labelled points that ``sample`` draws: the verb of a task, bound."""
        x, labels = sample(n_train, generator=generator)
        data = torch.from_numpy(x), torch.from_numpy(labels)
        return cls(protocol, loss, data, epochs, seed=int(generator.integers(2**31)))

    def run(self, architecture: Architecture, weights: Weights, rates: np.ndarray, *, orders: Sequence[int]) -> Weights:
        """Return the weights (R, ...) after training from ``weights`` at ``rates`` (R,), in their own precision.

        Networks with the same number in ``orders`` (R,) see the samples in the same order. The weights of a network
        that diverged are NaN.
        """
        like, networks = weights[0], len(weights[0])
        stack = Stack.of(
            architecture,
            weights,
            rows=np.tile(np.arange(len(self.data[1])), (networks, 1)),
            rates=torch.as_tensor(rates, dtype=like.dtype),
            orders=[entropy(self.seed, "minibatch order", order) for order in orders],
        )
        settings = {"protocol": self.protocol, "loss": self.loss, "stopping": Stopping(self.epochs, self.epochs)}
        outcome = fit(stack, self.data[0].to(like.dtype), self.data[1], **settings)  # type: ignore[arg-type]
        for w in outcome.weights:
            w[outcome.status == DIVERGED] = torch.nan
        return outcome.weights
