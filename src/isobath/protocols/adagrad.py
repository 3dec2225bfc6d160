"""AdaGrad (Duchi, Hazan & Singer, 2011): s <- s + g^2, w <- w - eta g / (sqrt(s) + eps)."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from isobath.settings import Count, Positive
from isobath.training.minibatches import Epoch, Schedule, epochs
from isobath.training.objective import Loss
from isobath.training.replay import Number
from isobath.training.stacks import Stack
from isobath.training.updates import Updates


def train(
    stack: Stack,
    inputs: Tensor,
    targets: Tensor,
    *,
    loss: Loss,
    first_epoch: int = 0,
    batch_size: Count | None = 50,
    epsilon: Positive = 1e-10,
) -> Iterator[Epoch]:
    """Train the stack in place without end; yield after each epoch. The sum of squares is kept in ``stack.moments``."""
    schedule = Schedule(stack, batch_size)
    updates = Updates(stack, schedule, moments=("squares",))

    def step(workspace: Any, delta: Tensor, k: Number) -> None:
        with updates.of_step(k):
            (s,), gradients = updates.moments, updates.gradients(workspace, delta, k)
            s.addcmul_(gradients, gradients)
            root = torch.sqrt(s).add_(epsilon)
            stack.parameters.addcdiv_(gradients.mul_(updates.rates), root, value=-1)

    return epochs(schedule, inputs, targets, loss=loss, first_epoch=first_epoch, step=step)
