"""Signum: each weight moves by the learning rate against the sign of an exponential moving average of its gradients.

    m <- beta m + (1 - beta) grad L,   w <- w - eta sign(m)

with the learning rate eta; m begins at 0.

- ``beta``: weight of the past in the memory m
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from torch import Tensor

from isobath.settings import Count, Fraction
from isobath.training.compiled.train import compiled_epochs
from isobath.training.minibatches import Epoch, Schedule, epochs
from isobath.training.objective import Loss
from isobath.training.replay import Number
from isobath.training.stacks import Stack
from isobath.training.updates import Updates

MOMENTS = ("mean",)  # what is remembered of each weight: a row of ``moments`` and a tensor of ``updates.moments`` each


class Compiled(NamedTuple):
    """The setting of the step in compiled code."""

    beta: float


def update(rule: Compiled, parameters: Any, gradient: Any, moments: Any, rate: float, step: int) -> None:
    """Move the parameters of one network in place: compiled code."""
    mean = moments[0]
    for i in range(len(parameters)):
        mean[i] += (1 - rule.beta) * (gradient[i] - mean[i])
        parameters[i] -= rate * np.sign(mean[i])


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
    """Train the stack in place without end; yield after each epoch. The mean is kept in ``stack.moments``."""
    schedule, rule = Schedule(stack, batch_size), Compiled(beta)
    fast = partial(compiled_epochs, schedule, inputs, targets, loss=loss, first_epoch=first_epoch)
    if compiled := fast(rule=rule, update=update, moments=MOMENTS):
        return compiled
    updates = Updates(stack, schedule, moments=MOMENTS)

    def step(workspace: Any, delta: Tensor, k: Number) -> None:
        with updates.of_step(k):
            (mean,), gradients = updates.moments, updates.gradients(workspace, delta, k)
            mean.lerp_(gradients, 1 - beta)
            stack.parameters.addcmul_(mean.sign(), updates.rates, value=-1)

    return epochs(schedule, inputs, targets, loss=loss, first_epoch=first_epoch, step=step)
