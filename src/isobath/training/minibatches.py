"""Epochs over the data in minibatches, each network of a stack in an order of its own; or all rows at once."""

import itertools
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from isobath.randomness import permutation
from isobath.training.objective import Loss
from isobath.training.stacks import Stack


class Epoch(NamedTuple):
    """State after an epoch: the number of epochs passed, and which networks still have finite outputs, bool (R,).

    Outputs are finite as long as the derivative of the loss is, of which the last minibatch of the epoch is looked at.
    """

    number: int
    finite: Tensor


class Schedule:
    """The rows that each network sees in each step of an epoch. Its last minibatch may be smaller, or missing.

    Without a ``batch_size`` each step sees all rows: gradient descent proper.
    """

    def __init__(self, stack: Stack, batch_size: int | None) -> None:
        self.counts = (stack.rows >= 0).sum(axis=1)
        self.whole = batch_size is None
        self.stack, self.batch_size = stack, batch_size or int(self.counts.max())
        self.steps_per_network = -(-self.counts // self.batch_size)  # (R,)
        self.steps = int(self.steps_per_network.max())

    @cached_property
    def weights(self) -> Tensor:
        """Return 1 / (size of the minibatch), and 0 where a network's batch is padded: (steps, R, B, 1)."""
        filled = np.arange(self.steps * self.batch_size) < self.counts[:, None]
        filled = filled.reshape(len(self.counts), self.steps, self.batch_size).swapaxes(0, 1)
        weights = filled / np.maximum(filled.sum(axis=2, keepdims=True), 1)
        return torch.from_numpy(np.ascontiguousarray(weights)[..., None]).to(self.stack.parameters)

    @cached_property
    def idle(self) -> list[Tensor]:
        """Return the networks that have no minibatch in each of the steps."""
        networks = (np.flatnonzero(k >= self.steps_per_network) for k in range(self.steps))
        return [torch.from_numpy(n).to(self.stack.parameters.device) for n in networks]

    def rows(self, epoch: int) -> Tensor:
        """Return the rows of the minibatches of an epoch, (steps, R, B), on the CPU; row 0 where a batch is padded."""
        batches = self.order(epoch).reshape(len(self.counts), self.steps, self.batch_size).swapaxes(0, 1)
        return torch.from_numpy(np.ascontiguousarray(batches))

    def order(self, epoch: int) -> np.ndarray:
        """Return the rows of an epoch one after the other, (R, steps B); row 0 behind the last of a network."""
        if self.whole:
            return np.asarray(np.maximum(self.stack.rows[:, : self.batch_size], 0))
        order = np.zeros((len(self.counts), self.steps * self.batch_size), dtype=np.int64)
        for network, (key, n) in enumerate(zip(self.stack.orders, self.counts, strict=True)):
            np.take(self.stack.rows[network], permutation(key, epoch, int(n)), out=order[network, :n])
        return order


Step = Callable[[Any, Tensor, int], None]  # workspace, derivative of the loss (R, B, K), number of the step


def epochs(
    schedule: Schedule,
    inputs: Tensor,
    targets: Tensor,
    *,
    loss: Loss,
    first_epoch: int,
    step: Step,
    begin: Callable[[int], None] = lambda _: None,
) -> Iterator[Epoch]:
    """Train in place for ever, ``begin(epoch)`` and then ``step`` for each minibatch; yield after each epoch.

    Nothing is allocated and nothing waits for the device within an epoch; on a GPU an epoch is one CUDA graph.
    """
    stack, first = schedule.stack, schedule.rows(first_epoch)
    shared = schedule.whole and bool((first == first[:, :1]).all())
    batch = _Batch(inputs, targets, first[:, :1] if shared else first)
    networks = len(stack)
    workspace = stack.architecture.workspace(stack.weights, batch.inputs.expand(networks, *batch.inputs.shape[1:]))
    batch_targets = batch.targets.expand(networks, *batch.targets.shape[1:])

    def one_epoch() -> Tensor:
        for k in range(schedule.steps):
            if not schedule.whole:
                batch.gather(k)
            delta = loss.derivative_(workspace.forward(), batch_targets)
            step(workspace, delta, k)
        return torch.isfinite(delta).all(2).all(1)

    run = Captured(one_epoch) if inputs.is_cuda else one_epoch
    for epoch in itertools.count(first_epoch):
        if not schedule.whole:
            batch.index.copy_(schedule.rows(epoch).flatten(1))
        begin(epoch)
        yield Epoch(epoch + 1, run())


class _Batch:
    """The rows of a minibatch, (R, B, ...), in place; with ``rows`` (steps, 1, B) one batch for all networks."""

    def __init__(self, inputs: Tensor, targets: Tensor, rows: Tensor) -> None:
        self.sources = inputs, targets
        self.index = rows.flatten(1).to(inputs.device)
        self.inputs, self.targets = (x.new_empty(*rows.shape[1:], *x.shape[1:]) for x in self.sources)
        self.gather(0)

    def gather(self, k: int) -> None:
        """Fill ``inputs`` and ``targets`` with the rows of step k."""
        for source, target in zip(self.sources, (self.inputs, self.targets), strict=True):
            torch.index_select(source, 0, self.index[k], out=target.view(-1, *source.shape[1:]))


class Captured:
    """A function of static tensors as a CUDA graph: called once as it is, then recorded and replayed."""

    def __init__(self, function: Callable[[], Tensor]) -> None:
        self.function = function
        self.graph: torch.cuda.CUDAGraph | None = None
        self.warm = False

    def __call__(self) -> Tensor:
        """Return what the function returns, in the memory of its first recording."""
        if not self.warm:  # on a side stream, as capturing asks for
            self.warm = True
            side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                result = self.function()
            torch.cuda.current_stream().wait_stream(side)
            return result
        if self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):  # records without running
                self.result = self.function()
        self.graph.replay()
        return self.result
