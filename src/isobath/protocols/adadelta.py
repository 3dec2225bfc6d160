"""AdaDelta (Zeiler, 2012), with a rate: the size of steps follows that of the steps before.

s <- rho s + (1 - rho) g^2,   x = sqrt(u + eps) / sqrt(s + eps) g,   u <- rho u + (1 - rho) x^2,   w <- w - eta x

- ``rho``: weight of the past in the averages of squares
"""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from isobath.settings import Count, Fraction, Positive
from isobath.training.compiled.train import compiled_epochs
from isobath.training.minibatches import Epoch, Schedule, epochs
from isobath.training.objective import Loss
from isobath.training.replay import Number
from isobath.training.stacks import Stack
from isobath.training.updates import Updates

MOMENTS = ("squares", "changes")


class Compiled(NamedTuple):
    """The settings of the step in compiled code."""

    rho: float
    epsilon: float


def update(rule: Compiled, parameters: Any, gradient: Any, moments: Any, rate: float, step: int) -> None:
    """Take a step in place on flat parameters and the averages s and u of squares: compiled code."""
    s, u, number = moments[0], moments[1], parameters.dtype.type
    rho, new = number(rule.rho), number(1 - rule.rho)  # else float32 would be reckoned in float64
    epsilon, eta = number(rule.epsilon), number(rate)
    for i in range(len(parameters)):
        g, changes, w = gradient[i], u[i], parameters[i]
        square = rho * s[i] + new * g * g
        x = math.sqrt(changes + epsilon) / math.sqrt(square + epsilon) * g
        s[i], u[i], parameters[i] = square, rho * changes + new * x * x, w - eta * x


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
    schedule, rule = Schedule(stack, batch_size), Compiled(rho, epsilon)
    fast = partial(compiled_epochs, schedule, inputs, targets, loss=loss, first_epoch=first_epoch)
    if compiled := fast(rule=rule, update=update, moments=MOMENTS, each_alone=True):
        return compiled
    updates = Updates(stack, schedule, moments=MOMENTS)

    def step(workspace: Any, delta: Tensor, k: Number) -> None:
        with updates.of_step(k):
            (s, u), gradients = updates.moments, updates.gradients(workspace, delta, k)
            s.mul_(rho).addcmul_(gradients, gradients, value=1 - rho)
            change = torch.sqrt(u + epsilon).div_(torch.sqrt(s + epsilon)).mul_(gradients)
            u.mul_(rho).addcmul_(change, change, value=1 - rho)
            stack.parameters.sub_(change.mul_(updates.rates))

    return epochs(schedule, inputs, targets, loss=loss, first_epoch=first_epoch, step=step)
