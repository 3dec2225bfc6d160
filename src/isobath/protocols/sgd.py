"""Stochastic gradient descent with a constant rate (Mori & Ueda, eq. 7).

    w <- w - eta grad L_B(w),   L_B = (1/B) sum over the minibatch

The data are passed once an epoch in a fresh order. The last minibatch of an epoch is smaller
when B does not divide the number of rows, and is averaged over its own size.
"""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from isobath.losses import Loss
from isobath.randomness import permutation
from isobath.settings import Count
from isobath.stacks import Stack


def train(
    stack: Stack, inputs: Tensor, targets: Tensor, *, loss: Loss, first_epoch: int = 0, batch_size: Count = 50
) -> Iterator[Tensor]:
    """Train in place, for ever: yields the outputs of each epoch's last minibatch, (R, B, K).

    ``inputs`` (n, d) and ``targets`` (n, K) are shared; the stack's rows say who sees what.
    The caller decides when to stop. After a ``select`` it starts a new ``train`` at ``first_epoch``.
    """
    workspace = stack.network.workspace(stack.weights, batch_size)
    batch_targets = targets.new_empty(len(stack), batch_size, targets.shape[1])
    epoch = first_epoch
    while True:
        index, scale = (torch.from_numpy(a).to(inputs.device) for a in schedule(stack, epoch, batch_size))
        scale = scale.to(inputs.dtype) * stack.rates[:, None, None]
        for rows, weight in zip(index, scale, strict=True):
            torch.index_select(inputs, 0, rows, out=workspace.inputs.view(-1, inputs.shape[1]))
            torch.index_select(targets, 0, rows, out=batch_targets.view(-1, targets.shape[1]))
            outputs = workspace.forward()
            workspace.descend(loss.derivative_(outputs, batch_targets).mul_(weight))
        epoch += 1
        yield outputs


def schedule(stack: Stack, epoch: int, batch_size: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of every minibatch of an epoch, (steps, R * B), and their weights, (steps, R, B, 1).

    A weight is 1 / (size of the minibatch), and 0 where the batch of a network is padded.
    """
    counts = (stack.rows >= 0).sum(axis=1)
    steps = -(-int(counts.max()) // batch_size)
    order = np.zeros((len(stack), steps * batch_size), dtype=np.int64)
    for network, (key, n) in enumerate(zip(stack.orders, counts, strict=True)):
        order[network, :n] = stack.rows[network, permutation(key, epoch, int(n))]
    filled = np.arange(steps * batch_size) < counts[:, None]
    filled = filled.reshape(len(stack), steps, batch_size).swapaxes(0, 1)
    weight = filled / np.maximum(filled.sum(axis=2, keepdims=True), 1)
    batches = order.reshape(len(stack), steps, batch_size).swapaxes(0, 1)
    return np.ascontiguousarray(batches).reshape(steps, -1), weight[..., None]
