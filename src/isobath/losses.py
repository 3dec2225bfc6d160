"""Losses of a stack: value per network, and derivative with respect to the outputs.

Outputs are (R, n, K), targets the one-hot labels (n, K) or (R, n, K). The derivative is per
sample: dividing by the size of the minibatch is left to the caller, who scales it anyway.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor


class Loss(NamedTuple):
    value: Callable[[Tensor, Tensor], Tensor]  # outputs, targets -> (R, n) per sample
    derivative_: Callable[[Tensor, Tensor], Tensor]  # the same -> (R, n, K), in place of the outputs


def _cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    """-f_y + ln sum_i exp f_i: Mori & Ueda, eq. 6."""
    return torch.logsumexp(outputs, -1) - (outputs * targets).sum(-1)


def _cross_entropy_derivative_(outputs: Tensor, targets: Tensor) -> Tensor:
    by_class = outputs.transpose(-1, -2)  # as networks lay outputs out: ten times as fast as along the last dim
    torch.softmax(by_class, -2, out=by_class)
    return outputs.sub_(targets)


def _mean_squared_error(outputs: Tensor, targets: Tensor) -> Tensor:
    """sum_i (f_i - y_i)^2 with one-hot y: the loss above eq. 10."""
    return (outputs - targets).square().sum(-1)


def _mean_squared_error_derivative_(outputs: Tensor, targets: Tensor) -> Tensor:
    return outputs.sub_(targets).mul_(2)


cross_entropy = Loss(_cross_entropy, _cross_entropy_derivative_)
mean_squared_error = Loss(_mean_squared_error, _mean_squared_error_derivative_)
