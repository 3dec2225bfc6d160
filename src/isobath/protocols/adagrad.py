"""AdaGrad (Duchi, Hazan & Singer, 2011): s <- s + g^2, w <- w - eta g / (sqrt(s) + eps)."""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from isobath.settings import Count, Positive
from isobath.training.compiled.train import compiled_epochs
from isobath.training.minibatches import Epoch, Schedule, epochs
from isobath.training.objective import Loss
from isobath.training.replay import Number
from isobath.training.stacks import Stack
from isobath.training.updates import Updates

MOMENTS = ("squares",)


class Compiled(NamedTuple):
    """The setting of the step in compiled code."""

    epsilon: float


def update(rule: Compiled, parameters: Any, gradient: Any, moments: Any, rate: float, step: int) -> None:
    """Take a step in place on flat parameters and the sums s of squares: compiled code."""
    s, number = moments[0], parameters.dtype.type
    epsilon, eta = number(rule.epsilon), number(rate)  # else float32 would be reckoned in float64
    for i in range(len(parameters)):
        g, w = gradient[i], parameters[i]
        square = s[i] + g * g
        s[i], parameters[i] = square, w - eta * g / (math.sqrt(square) + epsilon)


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
    schedule, rule = Schedule(stack, batch_size), Compiled(epsilon)
    fast = partial(compiled_epochs, schedule, inputs, targets, loss=loss, first_epoch=first_epoch)
    if compiled := fast(rule=rule, update=update, moments=MOMENTS, each_alone=True):
        return compiled
    updates = Updates(stack, schedule, moments=MOMENTS)

    def step(workspace: Any, delta: Tensor, k: Number) -> None:
        with updates.of_step(k):
            (s,), gradients = updates.moments, updates.gradients(workspace, delta, k)
            s.addcmul_(gradients, gradients)
            root = torch.sqrt(s).add_(epsilon)
            stack.parameters.addcdiv_(gradients.mul_(updates.rates), root, value=-1)

    return epochs(schedule, inputs, targets, loss=loss, first_epoch=first_epoch, step=step)
