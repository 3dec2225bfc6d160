"""Recipes: making, training and testing the networks of a cell."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isobath.classes import is_real
from isobath.randomness import Name, entropy, stream
from isobath.sizes import Size, network_bytes
from isobath.statuses import DIVERGED
from isobath.training.architecture import Architecture, outputs_in_blocks
from isobath.training.fit import Protocol, Recording, Stopping, fit
from isobath.training.objective import Loss
from isobath.training.observables import early_stopping, observations
from isobath.training.progress import Arrays, Outcome, Progress
from isobath.training.replay import replays
from isobath.training.stacks import Stack

Samples = tuple[Tensor, Tensor]  # inputs (n, d); labels (n,) or targets (n, K)
# Maps the names of a chunk of networks to the arrays that it resumes from, or None, and a callback that saves progress.
Checkpoint = Callable[[str], tuple[Arrays | None, Callable[[Progress], None]]]


@dataclass(frozen=True)
class Replicas:
    """R networks to be trained: their names (of start and minibatch order), rows (R, n) and rates (R,)."""

    names: Sequence[tuple[Name, ...]]
    rows: np.ndarray
    rates: np.ndarray

    def __len__(self) -> int:
        return len(self.names)

    def chunks(self, size: int) -> Iterator["Replicas"]:
        """Yield them in order, at most ``size`` at a time."""
        for i in range(0, len(self), size):
            part = slice(i, i + size)
            yield Replicas(self.names[part], self.rows[part], self.rates[part])


def replicas(name: tuple[Name, ...], rates: Sequence[float], seeds: Sequence[int], n: int) -> Replicas:
    """Return networks of every (rate, seed), rates outermost, on all n samples; a seed starts alike at every rate."""
    pairs = list(itertools.product(rates, seeds))
    return Replicas(
        names=[(*name, seed) for _, seed in pairs],
        rows=np.tile(np.arange(n), (len(pairs), 1)),
        rates=np.array([rate for rate, _ in pairs]),
    )


@dataclass(frozen=True)
class Recipe:
    """Recipe of a cell: its architecture, protocol, loss, and when its trainings stop and are recorded."""

    architecture: Architecture
    protocol: Protocol
    loss: Loss
    shape: dict[str, int]  # depth, width
    stopping: Stopping
    seed: int
    dtype: torch.dtype = torch.float32
    batch_size: int | None = None  # for the model of memory: rows in a step, None for all
    records: Sequence[int] = ()  # epochs at which the training is recorded

    def train(
        self,
        networks: Replicas,
        inputs: Tensor,
        truth: Tensor,
        *,
        memory: float,
        test: Samples | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> Iterator[Outcome]:
        """Train as many networks at a time as ``memory`` bytes hold; yield their outcomes in order.

        With ``records``, the observations of the data and of ``test`` are recorded on the way.
        """
        inputs = inputs.to(self.dtype)
        n_outputs = self.loss.targets(truth, self.dtype).shape[1]
        size = self.architecture.size(n_inputs=inputs.shape[1], n_outputs=n_outputs, **self.shape)
        recording = None
        if self.records and test is not None:
            observe = partial(observations, loss=self.loss, train=(inputs, truth), test=test)
            recording = Recording(observe, self.records)
        for chunk in networks.chunks(stack_size(size, len(truth), memory, **self._step(inputs))):
            saved: dict[str, Any] = {}
            if checkpoint is not None:
                names = str([*zip(chunk.names, chunk.rates.tolist(), strict=True)])
                saved["resume"], saved["on_epoch"] = checkpoint(names)
            options: dict[str, Any] = {
                "protocol": self.protocol,
                "loss": self.loss,
                "stopping": self.stopping,
                "recording": recording,
            }
            yield fit(self._stack(chunk, inputs, n_outputs), inputs, truth, **options, **saved)

    def train_and_test(
        self,
        networks: Replicas,
        train: Samples,
        test: Samples,
        *,
        memory: float,
        weights: bool = False,
        outputs: bool = False,
        checkpoint: Checkpoint | None = None,
    ) -> dict[str, np.ndarray]:
        """Train and test; return status, epochs, train_error, test_error, ... of each network, (R,).

        With ``records``: recorded_* (R, steps) and the errors of early stopping; with ``weights``: weights
        (R, parameters); with ``outputs``: these and outputs (R, n_test, K); of real targets test_error_sd, the
        deviation of the squared error over the test samples. A network that diverged has no test error, nor has one
        whose outputs on the test set are not finite: NaN, never the 0.5 that argmax would give.
        """
        test = (test[0].to(self.dtype), test[1])
        parts = [
            self._columns(outcome, test, weights=weights, outputs=outputs)
            for outcome in self.train(networks, *train, memory=memory, test=test, checkpoint=checkpoint)
        ]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _columns(self, outcome: Outcome, test: Samples, *, weights: bool, outputs: bool) -> dict[str, np.ndarray]:
        """Return the stored variables of the networks of an outcome, by the names of results/networks.py."""
        f = outputs_in_blocks(self.architecture, outcome.weights, test[0])
        errors = self.loss.error(f, test[1]).double()
        error = errors.mean(1).cpu().numpy()
        diverged = outcome.status == DIVERGED
        overflows = ~torch.isfinite(f).flatten(1).all(1).cpu().numpy()  # on the test set, if not on the training set
        columns = {name: getattr(outcome, name) for name in ("status", "epochs", "train_error", "loss")}
        columns["unmet"] = outcome.unsatisfied
        columns["test_error"] = np.where(diverged | overflows, np.nan, error)
        if is_real(test[1]):
            deviation = errors.std(1) if errors.shape[1] > 1 else torch.full_like(errors[:, 0], torch.nan)
            columns["test_error_sd"] = np.where(diverged | overflows, np.nan, deviation.cpu().numpy())
        columns["n_parameters"] = np.full(len(error), self.architecture.n_parameters(outcome.weights))
        columns["n_weights"] = np.full(len(error), self.architecture.n_weights(outcome.weights))
        if outcome.records:
            recorded = {f"recorded_{name}": _to_the_end(values) for name, values in outcome.records.items()}
            recorded |= {name: outcome.records[name][:, -1] for name in ("n_unmet", "train_norm", "test_norm")}
            recorded |= early_stopping(outcome.records)
            for name, values in recorded.items():
                lost = diverged.reshape(-1, *[1] * (values.ndim - 1))
                columns[name] = np.where(lost, np.nan, values)
        if outputs:
            columns["outputs"] = np.where(diverged[:, None, None], np.nan, f.cpu().numpy())
        if weights or outputs:
            flat = torch.cat([w.flatten(1) for w in outcome.weights], dim=1).cpu().numpy()
            columns["weights"] = np.where(diverged[:, None], np.nan, flat)
        return columns

    def _step(self, inputs: Tensor) -> dict[str, Any]:
        batch = min(self.batch_size or len(inputs), len(inputs))
        return {"batch": batch, "number": self.dtype.itemsize, "replayed": replays(inputs.device)}

    def _stack(self, networks: Replicas, inputs: Tensor, n_outputs: int) -> Stack:
        starts = [stream(self.seed, "initialisation", *name) for name in networks.names]
        shape = {"n_inputs": inputs.shape[1], "n_outputs": n_outputs, **self.shape}
        weights = self.architecture.init(starts, **shape, dtype=inputs.dtype)
        self.architecture.require_contract(weights, inputs[:2], networks=len(networks), n_outputs=n_outputs)
        return Stack.of(
            self.architecture,
            weights,
            rows=networks.rows,
            rates=torch.as_tensor(networks.rates, dtype=inputs.dtype, device=inputs.device),
            orders=[entropy(self.seed, "minibatch order", *name) for name in networks.names],
        )


def _to_the_end(records: np.ndarray) -> np.ndarray:
    """Return records (R, steps) of (R, steps + 1): a network that stopped stays as at the stop, the last column."""
    return np.where(np.isnan(records[:, :-1]), records[:, -1:], records[:, :-1])


def stack_size(size: Size, n: int, memory: float, *, batch: int, number: int = 4, replayed: bool = False) -> int:
    """Return how many networks of a size train at a time on ``n`` samples in ``memory`` bytes, at least one."""
    return max(1, int(memory / network_bytes(size, n, batch, number=number, replayed=replayed)))
