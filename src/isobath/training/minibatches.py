"""Epochs over the data in minibatches, each network of a stack in an order of its own; or all rows at once."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isobath.randomness import permutation
from isobath.training import fused
from isobath.training.objective import Loss
from isobath.training.replay import Eager, Number, Replayed, Table, at, replays
from isobath.training.stacks import Stack

SPAN = 100  # epochs of a single step that a device is prepared for at a time


@dataclass(frozen=True)
class Epoch:
    """State after an epoch: the number of epochs passed, and whether outputs are finite, to be read before the next.

    Outputs count as finite if the derivative of the loss on the last minibatch of the epoch is finite.
    """

    number: int
    look: Callable[[], Tensor]

    @property
    def finite(self) -> Tensor:
        """Return which networks still have finite outputs, bool (R,)."""
        return self.look()


class Schedule:
    """The rows that each network sees in each step of an epoch. Its last minibatch may be smaller, or missing.

    Without a ``batch_size`` each step sees all rows: gradient descent proper; a batch has no more rows than that.
    Numbers that differ from step to step are tables, whose row is read by ``replay.at``.
    """

    def __init__(self, stack: Stack, batch_size: int | None) -> None:
        self.counts = (stack.rows >= 0).sum(axis=1)
        self.whole = batch_size is None
        most = int(self.counts.max())
        self.stack, self.batch_size = stack, min(batch_size or most, most)
        self.steps_per_network = -(-self.counts // self.batch_size)  # (R,)
        self.steps = int(self.steps_per_network.max())
        self.span = SPAN if self.whole and replays(stack.parameters.device) else 1  # epochs that tables hold

    @cached_property
    def weights(self) -> Tensor:
        """Return 1 / (size of the minibatch), and 0 where a network's batch is padded: (steps, R, B, 1).

        Where every minibatch is full, one row holds for all steps.
        """
        filled = np.arange(self.steps * self.batch_size) < self.counts[:, None]
        filled = filled.reshape(len(self.counts), self.steps, self.batch_size).swapaxes(0, 1)
        filled = filled[:1] if filled.all() else filled
        weights = filled / np.maximum(filled.sum(axis=2, keepdims=True), 1)
        return torch.from_numpy(np.ascontiguousarray(weights)[..., None]).to(self.stack.parameters)

    @cached_property
    def idle(self) -> np.ndarray:
        """Return whether a network has no minibatch in a step, bool (steps, R)."""
        return np.asarray(np.arange(self.steps)[:, None] >= self.steps_per_network)

    def taken(self, epoch: int) -> np.ndarray:
        """Return how many steps each network has taken in all, after each step from an epoch on, (span steps, R)."""
        last, within = self.steps_per_network, np.arange(1, self.steps + 1)[:, None]
        counts = [(epoch + i) * last + np.minimum(within, last) for i in range(self.span)]
        return np.concatenate(counts)

    def table(self, *shape: int, dtype: torch.dtype | None = None) -> Table:
        """Return a table with a row of some shape for each step that it is prepared for."""
        like = self.stack.parameters
        return Table(self.span * self.steps, *shape, dtype=dtype or like.dtype, device=like.device)

    def rows(self, epoch: int) -> Tensor:
        """Return the rows of the minibatches of an epoch, (steps, R, B), on the CPU; row 0 where a batch is padded."""
        batches = self.order(epoch).reshape(len(self.counts), self.steps, self.batch_size).swapaxes(0, 1)
        return torch.from_numpy(np.ascontiguousarray(batches, dtype=np.int32))

    def order(self, epoch: int) -> np.ndarray:
        """Return the rows of an epoch one after the other, (R, steps B); row 0 behind the last of a network."""
        if self.whole:
            return np.asarray(np.maximum(self.stack.rows[:, : self.batch_size], 0))
        order = np.zeros((len(self.counts), self.steps * self.batch_size), dtype=np.int64)
        drawn: dict[tuple[int, int], np.ndarray] = {}  # networks of one start at several rates share their orders
        for network, (key, n) in enumerate(zip(self.stack.orders, self.counts.tolist(), strict=True)):
            if (key, n) not in drawn:
                drawn[key, n] = permutation(key, epoch, n)
            np.take(self.stack.rows[network], drawn[key, n], out=order[network, :n])
        return order


# Workspace, derivative of the loss (R, B, K), and the number of the step, by which ``replay.at`` reads a table.
Step = Callable[[Any, Tensor, Number], None]


def epochs(
    schedule: Schedule,
    inputs: Tensor,
    targets: Tensor,
    *,
    loss: Loss,
    first_epoch: int,
    step: Step,
    begin: Callable[[int], None] = lambda _: None,
    replayed: bool = True,
) -> Iterator[Epoch]:
    """Train the stack in place without end, by a ``step`` for each minibatch; yield after each epoch.

    ``begin(epoch)`` fills the tables of a step for ``schedule.span`` epochs. On a GPU steps are recorded and replayed:
    they may neither look at numbers nor take any from the CPU, unless they are not ``replayed``.
    """
    stack, ahead = schedule.stack, replays(inputs.device)
    batch = _Batch(schedule, inputs, targets, first_epoch)
    network_inputs = batch.inputs.expand(len(stack), *batch.inputs.shape[1:])
    workspace = stack.architecture.workspace(stack.weights, network_inputs)
    batch_targets = batch.targets.expand(len(stack), *batch.targets.shape[1:])

    def one_step(k: Number) -> Tensor:
        batch.gather(k)
        delta = loss.derivative_(workspace.forward(), batch_targets)
        step(workspace, delta, k)
        return delta

    def prepare(epoch: int) -> None:
        if (epoch - first_epoch) % schedule.span == 0:
            batch.fill(epoch)
            begin(epoch)
            steps.restart()

    steps = Replayed(one_step, inputs.device) if ahead and replayed else Eager(one_step)
    prepare(first_epoch)
    for epoch in itertools.count(first_epoch):
        delta = steps.run(schedule.steps)
        if ahead:  # while the device is at work
            prepare(epoch + 1)
        yield Epoch(epoch + 1, partial(_finite, delta))
        if not ahead:
            prepare(epoch + 1)


def network_by_network(
    stack: Stack,
    inputs: Tensor,
    targets: Tensor,
    *,
    loss: Loss,
    step: Callable[[int, Tensor, Tensor], None],
    first_epoch: int = 0,
) -> Iterator[Epoch]:
    """Train the stack in place without end; an epoch is one ``step`` of each network, with the rows that it sees.

    The arguments of a step are the number of a network, its inputs and its targets. It may look at numbers.
    """

    def one_step(workspace: Any, delta: Tensor, k: Number) -> None:
        for r in range(len(stack)):
            rows = torch.from_numpy(stack.rows[r][stack.rows[r] >= 0]).to(inputs.device)
            step(r, inputs[rows], targets[rows])

    options: dict[str, Any] = {"loss": loss, "first_epoch": first_epoch, "replayed": False}
    return epochs(Schedule(stack, None), inputs, targets, step=one_step, **options)


def _finite(delta: Tensor) -> Tensor:
    return torch.isfinite(delta).all(2).all(1)


class _Batch:
    """The rows of a minibatch, (R, B, ...), in place; (1, B, ...) where all networks see the same rows at once."""

    def __init__(self, schedule: Schedule, inputs: Tensor, targets: Tensor, first_epoch: int) -> None:
        self.schedule, self.sources = schedule, (inputs, targets)
        networks, all_rows = len(schedule.stack), schedule.rows(first_epoch) if schedule.whole else None
        if all_rows is not None and bool((all_rows == all_rows[:, :1]).all()):
            networks, all_rows = 1, all_rows[:, :1]
        shape = (networks, schedule.batch_size)
        self.index = Table(schedule.steps, networks * schedule.batch_size, dtype=torch.int32, device=inputs.device)
        self.inputs, self.targets = (x.new_empty(*shape, *x.shape[1:]) for x in self.sources)
        self.fused = fused.fuses(inputs.device)
        if all_rows is not None:
            self.index.fill(all_rows.flatten(1))
            self._gather(0)

    def fill(self, epoch: int) -> None:
        """Take the rows of all steps of an epoch; all at once are those of every epoch."""
        if not self.schedule.whole:
            self.index.fill(self.schedule.rows(epoch).flatten(1))

    def gather(self, k: Number) -> None:
        """Fill ``inputs`` and ``targets`` with the rows of step k."""
        if not self.schedule.whole:
            self._gather(k)

    def _gather(self, k: Number) -> None:
        if self.fused:
            into = (self.inputs.flatten(0, 1), self.targets.flatten(0, 1))
            fused.gather(self.index.values, k, self.sources, into)
            return
        rows = at(self.index.values, k)
        for source, target in zip(self.sources, (self.inputs, self.targets), strict=True):
            torch.index_select(source, 0, rows, out=target.view(-1, *source.shape[1:]))
