"""Adam (Kingma & Ba, 2015, algorithm 1) on minibatches, fused over the stack.

    m <- b1 m + (1 - b1) g,   v <- b2 v + (1 - b2) g^2,   w <- w - eta (m / c1) / (sqrt(v / c2) + eps)

with c1 = 1 - b1^t and c2 = 1 - b2^t after t steps. All weights of all networks are one row, so that
a step is a handful of passes over it, whatever the number of layers.
"""

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
from isobath.training.stacks import Stack, unpack

EPOCHS = 0.3  # times learning rate, in which a large network fits; read off runs of two studies


class Compiled(NamedTuple):
    """The settings of the step in compiled code."""

    beta1: float
    beta2: float
    epsilon: float


def update(rule: Compiled, parameters: Any, gradient: Any, moments: Any, rate: float, step: int) -> None:
    """Take step number ``step`` = t, in place on flat parameters and moments m and v: compiled code."""
    m, v = moments[0], moments[1]
    c1, c2 = 1 - rule.beta1**step, np.sqrt(1 - rule.beta2**step)
    constants = np.empty(5, parameters.dtype)  # else float32 would be reckoned in float64, at half the speed
    constants[:] = 1 - rule.beta1, rule.beta2, 1 - rule.beta2, rate * c2 / c1, rule.epsilon * c2
    new_m, old_v, new_v, eta, epsilon = constants
    for i in range(len(parameters)):
        g = gradient[i]
        m[i] += new_m * (g - m[i])
        v[i] = old_v * v[i] + new_v * g * g
        parameters[i] -= eta * m[i] / (np.sqrt(v[i]) + epsilon)


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
    """Train in place for ever; yield after each epoch. The moments m and v are kept in ``stack.moments``."""
    schedule, rule = Schedule(stack, batch_size), Compiled(beta1, beta2, epsilon)
    fast = partial(compiled_epochs, schedule, inputs, targets, loss=loss, first_epoch=first_epoch)
    if compiled := fast(rule=rule, update=update, moments=("first", "second")):
        return compiled
    w, networks = stack.parameters, stack.network_of_parameter
    m, v = (stack.moments.setdefault(name, torch.zeros_like(w)) for name in ("first", "second"))
    gradients, root, change = (torch.zeros_like(w) for _ in range(3))
    into = unpack(gradients, stack.shapes, len(stack))
    rates = stack.rates.index_select(0, networks)
    corrections, shifts = (w.new_empty(schedule.steps, len(stack)) for _ in range(2))
    waiting = [torch.isin(networks, idle).nonzero().squeeze(1) for idle in schedule.idle]
    in_step = not any(map(len, schedule.idle))

    def begin(epoch: int) -> None:
        last = schedule.steps_per_network
        t = epoch * last + np.minimum(np.arange(1, schedule.steps + 1)[:, None], last)
        c1, c2 = 1 - beta1**t, np.sqrt(1 - beta2**t)
        corrections.copy_(torch.from_numpy(c2 / c1))
        shifts.copy_(torch.from_numpy(epsilon * c2))

    def of_parameters(values: Tensor) -> Tensor:
        """Return what (R,) values are for each of the parameters; overwrites the gradients."""
        return values[0] if in_step else torch.index_select(values, 0, networks, out=gradients)

    def step(workspace: Any, delta: Tensor, k: int) -> None:
        before = [x[waiting[k]] for x in (w, m, v)] if len(waiting[k]) else []
        workspace.backward(delta.mul_(schedule.weights[k]), into)
        m.lerp_(gradients, 1 - beta1)
        v.mul_(beta2).addcmul_(gradients, gradients, value=1 - beta2)
        _square_root(v, out=root).add_(of_parameters(shifts[k]))
        torch.mul(m, rates, out=change).mul_(of_parameters(corrections[k]))
        w.addcdiv_(change, root, value=-1)
        for x, kept in zip((w, m, v), before, strict=False):  # no minibatch, no step: momentum alone moves nothing
            x[waiting[k]] = kept

    return epochs(schedule, inputs, targets, loss=loss, first_epoch=first_epoch, step=step, begin=begin)


def _square_root(x: Tensor, out: Tensor) -> Tensor:
    if x.is_cuda:
        return torch.sqrt(x, out=out)
    np.sqrt(x.numpy(), out=out.numpy())  # torch's is five times slower on zeros, of which dead units make many
    return out
