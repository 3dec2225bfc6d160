"""Stochastic gradient descent with a constant rate (Mori & Ueda, eq. 7).

    w <- w - eta grad L_B(w),   L_B = (1/B) sum over the minibatch

The data are passed once an epoch in a fresh order. The last minibatch of an epoch is smaller
when B does not divide the number of rows, and is averaged over its own size. With
``batch_size: null`` each step sees all rows: gradient descent.
"""

from collections.abc import Iterator
from typing import Any

from torch import Tensor

from isobath.settings import Count
from isobath.training.compiled.train import compiled_epochs
from isobath.training.minibatches import Epoch, Schedule, epochs
from isobath.training.objective import Loss
from isobath.training.replay import Number, at
from isobath.training.stacks import Stack

EPOCHS = 8.0  # times learning rate, in which a large network fits; read off runs of two studies


def train(
    stack: Stack, inputs: Tensor, targets: Tensor, *, loss: Loss, first_epoch: int = 0, batch_size: Count | None = 50
) -> Iterator[Epoch]:
    """Train the stack in place without end; yield after each epoch.

    ``inputs`` (n, d) and ``targets`` (n, K) are shared; the rows of the stack say which samples each network sees.
    """
    schedule = Schedule(stack, batch_size)
    if fast := compiled_epochs(schedule, inputs, targets, loss=loss, first_epoch=first_epoch):
        return fast
    rates = schedule.weights * stack.rates[:, None, None]

    def step(workspace: Any, delta: Tensor, k: Number) -> None:
        workspace.step_(delta.mul_(at(rates, k)))

    return epochs(schedule, inputs, targets, loss=loss, first_epoch=first_epoch, step=step)
