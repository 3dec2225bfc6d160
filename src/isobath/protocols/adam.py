"""Adam (Kingma & Ba, 2015, algorithm 1), on minibatches or on all rows.

    m <- b1 m + (1 - b1) g,   v <- b2 v + (1 - b2) g^2,   w <- w - eta (m / c1) / (sqrt(v / c2) + eps)

with c1 = 1 - b1^t and c2 = 1 - b2^t after t steps.

- ``beta1``: weight of the past in the moment m
- ``beta2``: weight of the past in the moment v
"""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from isobath.settings import Count, Fraction, Positive
from isobath.training.compiled.train import compiled_epochs
from isobath.training.minibatches import Epoch, Schedule, epochs
from isobath.training.objective import Loss
from isobath.training.replay import Number, at
from isobath.training.stacks import Stack
from isobath.training.updates import Updates

EPOCHS = 0.3  # times learning rate, in which a large network fits; read off runs of two studies


class Compiled(NamedTuple):
    """The settings of the step in compiled code."""

    beta1: float
    beta2: float
    epsilon: float


def update(rule: Compiled, parameters: Any, gradient: Any, moments: Any, rate: float, step: int) -> None:
    """Take step number ``step`` = t, in place on flat parameters and moments m and v: compiled code."""
    m, v, number = moments[0], moments[1], parameters.dtype.type
    c1, c2 = 1 - rule.beta1**step, math.sqrt(1 - rule.beta2**step)
    # Else float32 would be reckoned in float64, at half the speed.
    new_m, old_v, new_v = number(1 - rule.beta1), number(rule.beta2), number(1 - rule.beta2)
    eta, epsilon = number(rate * c2 / c1), number(rule.epsilon * c2)
    for i in range(len(parameters)):
        g, mean, square, w = gradient[i], m[i], v[i], parameters[i]  # a GPU reads all before it waits for one
        mean += new_m * (g - mean)
        square = old_v * square + new_v * g * g
        m[i], v[i], parameters[i] = mean, square, w - eta * mean / (math.sqrt(square) + epsilon)


def train(
    stack: Stack,
    inputs: Tensor,
    targets: Tensor,
    *,
    loss: Loss,
    first_epoch: int = 0,
    batch_size: Count | None = 50,
    beta1: Fraction = 0.9,
    beta2: Fraction = 0.999,
    epsilon: Positive = 1e-8,
) -> Iterator[Epoch]:
    """Train the stack in place without end; yield after each epoch.

    The moments m and v are kept in ``stack.moments``.
    """
    schedule, rule = Schedule(stack, batch_size), Compiled(beta1, beta2, epsilon)
    fast = partial(compiled_epochs, schedule, inputs, targets, loss=loss, first_epoch=first_epoch)
    if compiled := fast(rule=rule, update=update, moments=("first", "second"), each_alone=True):
        return compiled
    networks, updates = stack.network_of_parameter, Updates(stack, schedule, moments=("first", "second"))
    corrections, shifts = (schedule.table(len(stack)) for _ in range(2))

    def begin(epoch: int) -> None:
        t = schedule.taken(epoch)
        c1, c2 = 1 - beta1**t, np.sqrt(1 - beta2**t)
        corrections.fill(torch.from_numpy(c2 / c1))
        shifts.fill(torch.from_numpy(epsilon * c2))

    def step(workspace: Any, delta: Tensor, k: Number) -> None:
        with updates.of_step(k):
            (m, v), gradients = updates.moments, updates.gradients(workspace, delta, k)
            m.lerp_(gradients, 1 - beta1)
            v.mul_(beta2).addcmul_(gradients, gradients, value=1 - beta2)
            change = (m * updates.rates).mul_(at(corrections.values, k).index_select(0, networks))
            root = torch.sqrt(v).add_(at(shifts.values, k).index_select(0, networks))
            stack.parameters.addcdiv_(change, root, value=-1)

    return epochs(schedule, inputs, targets, loss=loss, first_epoch=first_epoch, step=step, begin=begin)
