"""How the networks of a cell are made, trained and tested."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isobath.randomness import Name, entropy, stream
from isobath.sizes import Size, network_bytes, step_bytes
from isobath.statuses import DIVERGED
from isobath.training.fit import Arrays, Outcome, Progress, Protocol, fit
from isobath.training.losses import Loss, misclassified
from isobath.training.observables import early_stopping, observations
from isobath.training.stacks import Network, Stack, outputs_in_blocks, pack

Samples = tuple[Tensor, Tensor]  # inputs (n, d), class indices (n,)
# Of a part of the networks, by their names: what to resume from, and what to do with progress.
Checkpoint = Callable[[str], tuple[Arrays | None, Callable[[Progress], None]]]


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
    stopping: dict[str, int]  # max_epochs, check_every, watch_every
    seed: int
    dtype: torch.dtype = torch.float32
    batch_size: int | None = 50  # for the model of memory: what a step sees, None for all rows
    records: Sequence[int] = ()  # epochs at which the training is recorded

    def outcomes(
        self,
        members: Members,
        inputs: Tensor,
        labels: Tensor,
        *,
        memory: float,
        test: Samples | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> Iterator[Outcome]:
        """Train as many members at a time as ``memory`` bytes hold; yields their outcomes in order.

        With ``records``, what records.observations says of the data and of ``test`` is recorded on the way.
        """
        inputs = inputs.to(self.dtype)
        targets = self.loss.encoded(labels)
        size = self.network.size(n_inputs=inputs.shape[1], n_outputs=targets.shape[1], **self.shape)
        many = stack_size(size, len(labels), memory, **self._step(inputs))
        for part in members.chunks(many):
            stack = self._stack(part, inputs, targets.shape[1])
            how: dict[str, Any] = dict(self.stopping)
            if self.records and test is not None:
                how["observe"] = partial(observations, loss=self.loss, train=(inputs, labels), test=test)
                how["schedule"] = self.records
            if checkpoint is not None:
                how["resume"], how["keep"] = checkpoint(str([*zip(part.names, part.rates.tolist(), strict=True)]))
            yield fit(stack, inputs, labels, protocol=self.protocol, loss=self.loss, **how)

    def tested(
        self,
        members: Members,
        train: Samples,
        test: Samples,
        *,
        memory: float,
        outputs: bool = False,
        checkpoint: Checkpoint | None = None,
    ) -> dict[str, np.ndarray]:
        """Train on (inputs, labels) and test: status, epochs, train_error, test_error, ... each (R,).

        With ``records``: recorded_* (R, steps) and the errors of early stopping; with ``outputs``: outputs
        (R, n_test, K) and weights (R, parameters). A network that diverged has no test error: NaN, never the
        0.5 that argmax would make of it.
        """
        test = (test[0].to(self.dtype), test[1])
        parts = [
            self._columns(outcome, test, outputs=outputs)
            for outcome in self.outcomes(members, *train, memory=memory, test=test, checkpoint=checkpoint)
        ]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _columns(self, outcome: Outcome, test: Samples, *, outputs: bool) -> dict[str, np.ndarray]:
        f = outputs_in_blocks(self.network, outcome.weights, test[0])
        error = misclassified(f, test[1]).double().mean(1).cpu().numpy()
        diverged = outcome.status == DIVERGED
        names = ("status", "epochs", "train_error", "loss", "unmet")
        columns = {name: getattr(outcome, name) for name in names}
        columns["test_error"] = np.where(diverged, np.nan, error)
        numbers = sum(w[0].numel() for w in outcome.weights)
        columns["n_parameters"] = np.full(len(error), numbers)
        columns["n_weights"] = np.full(len(error), self.network.n_weights(outcome.weights))
        if outcome.records:
            recorded = {f"recorded_{name}": _to_the_end(values) for name, values in outcome.records.items()}
            recorded |= {name: outcome.records[name][:, -1] for name in ("n_unmet", "train_norm", "test_norm")}
            recorded |= early_stopping(outcome.records)
            for name, values in recorded.items():
                lost = diverged.reshape(-1, *[1] * (values.ndim - 1))
                columns[name] = np.where(lost, np.nan, values)
        if outputs:
            flat = torch.cat([w.flatten(1) for w in outcome.weights], dim=1).cpu().numpy()
            columns["outputs"] = np.where(diverged[:, None, None], np.nan, f.cpu().numpy())
            columns["weights"] = np.where(diverged[:, None], np.nan, flat)
        return columns

    def _step(self, inputs: Tensor) -> dict[str, Any]:
        cache = CACHE if inputs.device.type == "cpu" else None
        return {"batch": self.batch_size or len(inputs), "number": self.dtype.itemsize, "cache": cache}

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


def _to_the_end(records: np.ndarray) -> np.ndarray:
    """Records (R, steps) off (R, steps + 1): a network that stopped stays as it was at the stop, the last column."""
    return np.where(np.isnan(records[:, :-1]), records[:, -1:], records[:, :-1])


CACHE = 12e6  # bytes; on a CPU larger stacks leave the cache and train slower per network (make bench)


def stack_size(
    size: Size, n: int, memory: float, *, cache: float | None = None, batch: int = 50, number: int = 4
) -> int:
    """How many networks of a size train at a time on ``n`` samples in ``memory`` bytes, at least one.

    With a ``cache``, what a step touches should fit in it, but four networks at a time always pay.
    """
    fitting = max(1, int(memory / network_bytes(size, n, batch, number=number)))
    return min(fitting, max(4, int(cache / step_bytes(size, batch, number=number)))) if cache else fitting
