"""Gradient descent with momentum (Polyak): v <- beta v + grad L, w <- w - eta v, on minibatches or on all rows.

- ``beta``: weight of the past in the velocity
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from isobath.settings import Count, Fraction
from isobath.training.compiled.train import compiled_epochs
from isobath.training.minibatches import Epoch, Schedule, epochs
from isobath.training.objective import Loss
from isobath.training.replay import Number
from isobath.training.stacks import Stack
from isobath.training.updates import Updates

MOMENTS = ("velocity",)


class Compiled(NamedTuple):
    """The setting of the step in compiled code."""

    beta: float


def update(rule: Compiled, parameters: Any, gradient: Any, moments: Any, rate: float, step: int) -> None:
    """Take a step in place on flat parameters and their velocity v: compiled code."""
    v, number = moments[0], parameters.dtype.type
    beta, eta = number(rule.beta), number(rate)  # else float32 would be reckoned in float64
    for i in range(len(parameters)):
        velocity, w = beta * v[i] + gradient[i], parameters[i]
        v[i], parameters[i] = velocity, w - eta * velocity


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
    schedule, rule = Schedule(stack, batch_size), Compiled(beta)
    fast = partial(compiled_epochs, schedule, inputs, targets, loss=loss, first_epoch=first_epoch)
    if compiled := fast(rule=rule, update=update, moments=MOMENTS, each_alone=True):
        return compiled
    updates = Updates(stack, schedule, moments=MOMENTS)

    def step(workspace: Any, delta: Tensor, k: Number) -> None:
        with updates.of_step(k):
            (v,), gradients = updates.moments, updates.gradients(workspace, delta, k)
            v.mul_(beta).add_(gradients)
            torch.mul(v, updates.rates, out=gradients)
            stack.parameters.sub_(gradients)

    return epochs(schedule, inputs, targets, loss=loss, first_epoch=first_epoch, step=step)
