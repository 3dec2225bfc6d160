"""AdaDelta (Zeiler, 2012), with a rate: the size of steps follows that of the steps before.

s <- rho s + (1 - rho) g^2,   x = sqrt(u + eps) / sqrt(s + eps) g,   u <- rho u + (1 - rho) x^2,   w <- w - eta x

- ``rho``: weight of the past in the averages of squares
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from isobath.settings import Count, Fraction, Positive
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
    rho: Fraction = 0.95,
    epsilon: Positive = 1e-6,
) -> Iterator[Epoch]:
    """Train the stack in place without end; yield after each epoch.

    The averages of squares are kept in ``stack.moments``.
    """
    schedule = Schedule(stack, batch_size)
    updates = Updates(stack, schedule, moments=("squares", "changes"))

    def step(workspace: Any, delta: Tensor, k: Number) -> None:
        with updates.of_step(k):
            (s, u), gradients = updates.moments, updates.gradients(workspace, delta, k)
            s.mul_(rho).addcmul_(gradients, gradients, value=1 - rho)
            change = torch.sqrt(u + epsilon).div_(torch.sqrt(s + epsilon)).mul_(gradients)
            u.mul_(rho).addcmul_(change, change, value=1 - rho)
            stack.parameters.sub_(change.mul_(updates.rates))

    return epochs(schedule, inputs, targets, loss=loss, first_epoch=first_epoch, step=step)
