"""Stochastic gradient descent with a constant rate (Mori & Ueda, eq. 7).

    w <- w - eta grad L_B(w),   L_B = (1/B) sum over the minibatch

The data are passed once an epoch in a fresh order. The last minibatch of an epoch is smaller
when B does not divide the number of rows, and is averaged over its own size. Without ``batch_size``
each step sees all rows: gradient descent.
"""

from collections.abc import Iterator
from typing import Any

from torch import Tensor

from isobath.settings import Count
from isobath.training.losses import Loss
from isobath.training.minibatches import Plan, passes
from isobath.training.stacks import Stack


def train(
    stack: Stack, inputs: Tensor, targets: Tensor, *, loss: Loss, first_epoch: int = 0, batch_size: Count | None = 50
) -> Iterator[Tensor]:
    """Train in place, for ever: yields each epoch's last derivative of the loss, (R, B, K).

    ``inputs`` (n, d) and ``targets`` (n, K) are shared; the stack's rows say who sees what.
    The caller decides when to stop. After a ``select`` it starts a new ``train`` at ``first_epoch``.
    """
    plan = Plan(stack, batch_size)
    rates = plan.weights * stack.rates[:, None, None]

    def step(workspace: Any, delta: Tensor, k: int) -> None:
        workspace.descend(delta.mul_(rates[k]))

    return passes(plan, inputs, targets, loss=loss, first_epoch=first_epoch, step=step)
