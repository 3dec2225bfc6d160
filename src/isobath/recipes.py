"""How the networks of a cell are made, trained and tested."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from isobath.costs import layer_sizes, network_bytes, step_bytes
from isobath.losses import Loss
from isobath.randomness import Name, entropy, stream
from isobath.stacks import Network, Stack, outputs_in_blocks, pack
from isobath.training import DIVERGED, Outcome, Protocol, fit


@dataclass(frozen=True)
class Members:
    """R networks to be trained: their names (of start and minibatch order), rows (R, n) and rates (R,)."""

    names: Sequence[tuple[Name, ...]]
    rows: np.ndarray
    rates: np.ndarray

    def __len__(self) -> int:
        return len(self.names)

    def chunks(self, size: int) -> Iterator["Members"]:
        for i in range(0, len(self), size):
            part = slice(i, i + size)
            yield Members(self.names[part], self.rows[part], self.rates[part])


def replicas(name: tuple[Name, ...], rates: Sequence[float], seeds: Sequence[int], n: int) -> Members:
    """Networks of every (rate, seed), rates outermost, on all n samples; a seed starts alike at every rate."""
    pairs = list(itertools.product(rates, seeds))
    return Members(
        names=[(*name, seed) for _, seed in pairs],
        rows=np.tile(np.arange(n), (len(pairs), 1)),
        rates=np.array([rate for rate, _ in pairs]),
    )


@dataclass(frozen=True)
class Recipe:
    """How the networks of a cell are made and trained."""

    network: Network
    protocol: Protocol
    loss: Loss
    shape: dict[str, int]  # depth, width
    stopping: dict[str, int]  # max_epochs, check_every
    seed: int

    def outcomes(self, members: Members, inputs: Tensor, labels: Tensor, *, memory: float) -> Iterator[Outcome]:
        """Train as many members at a time as ``memory`` bytes hold; yields their outcomes in order."""
        n_outputs = max(2, int(labels.max()) + 1)
        sizes = layer_sizes(inputs.shape[1], n_outputs=n_outputs, **self.shape)
        cache = CACHE if inputs.device.type == "cpu" else None
        for part in members.chunks(stack_size(sizes, len(labels), memory, cache=cache)):
            stack = self._stack(part, inputs, n_outputs)
            yield fit(stack, inputs, labels, protocol=self.protocol, loss=self.loss, **self.stopping)

    def tested(
        self, members: Members, train: tuple[Tensor, Tensor], test: tuple[Tensor, Tensor], *, memory: float
    ) -> dict[str, np.ndarray]:
        """Train on (inputs, labels) and test: status, epochs, train_error, test_error, loss, n_parameters, each (R,).

        A network that diverged has no test error: NaN, never the 0.5 that argmax would make of it.
        """
        parts = []
        for outcome in self.outcomes(members, *train, memory=memory):
            wrong = outputs_in_blocks(self.network, outcome.weights, test[0]).argmax(-1) != test[1]
            error = wrong.double().mean(1).cpu().numpy()
            columns = {name: getattr(outcome, name) for name in ("status", "epochs", "train_error", "loss")}
            columns["test_error"] = np.where(outcome.status == DIVERGED, np.nan, error)
            columns["n_parameters"] = np.full(len(error), sum(w[0].numel() for w in outcome.weights))
            parts.append(columns)
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _stack(self, members: Members, inputs: Tensor, n_outputs: int) -> Stack:
        starts = [stream(self.seed, "initialisation", *name) for name in members.names]
        shape = {"n_inputs": inputs.shape[1], "n_outputs": n_outputs, **self.shape}
        weights = self.network.init(starts, **shape, dtype=inputs.dtype)
        return Stack(
            network=self.network,
            parameters=pack(weights).to(inputs.device),
            shapes=[w.shape[1:] for w in weights],
            rows=members.rows,
            rates=torch.as_tensor(members.rates, dtype=inputs.dtype, device=inputs.device),
            orders=[entropy(self.seed, "minibatch order", *name) for name in members.names],
        )


CACHE = 12e6  # bytes; on a CPU larger stacks leave the cache and train slower per network (make bench)


def stack_size(sizes: Sequence[int], n: int, memory: float, *, cache: float | None = None) -> int:
    """How many networks with layers of ``sizes`` train at a time on ``n`` samples in ``memory`` bytes, at least one.

    With a ``cache``, what a step touches should fit in it, but four networks at a time always pay.
    """
    fitting = max(1, int(memory / network_bytes(sizes, n)))
    return min(fitting, max(4, int(cache / step_bytes(sizes)))) if cache else fitting
