"""Sign descent: each weight moves by the learning rate against the sign of its gradient."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from isobath.settings import Count
from isobath.training.compiled.train import compiled_epochs
from isobath.training.minibatches import Epoch, Schedule, epochs
from isobath.training.objective import Loss
from isobath.training.stacks import Stack, unpack


class Compiled(NamedTuple):
    """No settings: the step in compiled code."""


def update(rule: Compiled, parameters: Any, gradient: Any, moments: Any, rate: float, step: int) -> None:
    """Move the parameters of one network in place: compiled code."""
    for i in range(len(parameters)):
        parameters[i] -= rate * np.sign(gradient[i])


def train(
    stack: Stack, inputs: Tensor, targets: Tensor, *, loss: Loss, first_epoch: int = 0, batch_size: Count | None = 50
) -> Iterator[Epoch]:
    """Train in place for ever; yield after each epoch. A network without a minibatch has no gradient and stays."""
    schedule, rule = Schedule(stack, batch_size), Compiled()
    if fast := compiled_epochs(schedule, inputs, targets, loss=loss, first_epoch=first_epoch, rule=rule, update=update):
        return fast
    gradients = torch.zeros_like(stack.parameters)
    into = unpack(gradients, stack.shapes, len(stack))
    rates = stack.rates.index_select(0, stack.network_of_parameter)

    def step(workspace: Any, delta: Tensor, k: int) -> None:
        workspace.backward(delta.mul_(schedule.weights[k]), into)
        stack.parameters.addcmul_(gradients.sign_(), rates, value=-1)

    return epochs(schedule, inputs, targets, loss=loss, first_epoch=first_epoch, step=step)
