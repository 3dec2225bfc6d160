"""Gradient descent with momentum (Polyak): v <- beta v + grad L, w <- w - eta v, on minibatches or on all rows.

- ``beta``: weight of the past in the velocity
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from isobath.settings import Count, Fraction
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
    beta: Fraction = 0.9,
) -> Iterator[Epoch]:
    """Train the stack in place without end; yield after each epoch. The velocity v is kept in ``stack.moments``."""
    schedule = Schedule(stack, batch_size)
    updates = Updates(stack, schedule, moments=("velocity",))

    def step(workspace: Any, delta: Tensor, k: Number) -> None:
        with updates.of_step(k):
            (v,), gradients = updates.moments, updates.gradients(workspace, delta, k)
            v.mul_(beta).add_(gradients)
            torch.mul(v, updates.rates, out=gradients)
            stack.parameters.sub_(gradients)

    return epochs(schedule, inputs, targets, loss=loss, first_epoch=first_epoch, step=step)
