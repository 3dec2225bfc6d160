"""Losses of a stack: value per network, derivative with respect to the outputs, targets, and when a sample is learned.

Outputs are (R, n, K), targets (n, K) or (R, n, K). Cross-entropy and squared error take one-hot targets.
The hinge losses take -1 and +1, of one output where there are two classes, and average over outputs: the
source does not say what ten outputs do, but with their sum its rate 1/f does not train. The derivative
is per sample: dividing by the size of the minibatch is left to the caller, who scales it anyway.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor


class Loss(NamedTuple):
    value: Callable[[Tensor, Tensor], Tensor]  # outputs, targets -> (R, n) per sample
    derivative_: Callable[[Tensor, Tensor], Tensor]  # the same -> (R, n, K), in place of the outputs
    targets: Callable[[Tensor, int], Tensor]  # class indices (n,), number of classes -> (n, K)
    unmet: Callable[[Tensor, Tensor], Tensor]  # outputs, targets -> (R, n): what training still has to satisfy

    def encoded(self, labels: Tensor) -> Tensor:
        """The targets (n, K) of class indices (n,)."""
        return self.targets(labels, max(2, int(labels.max()) + 1))


def misclassified(outputs: Tensor, labels: Tensor) -> Tensor:
    """Which samples are classified wrongly, (R, n): by the sign of a single output, else by the largest."""
    if outputs.shape[-1] == 1:
        return (outputs[..., 0] > 0) != (labels > 0)
    return outputs.argmax(-1) != labels


def _one_hot(labels: Tensor, classes: int) -> Tensor:
    return torch.nn.functional.one_hot(labels, classes)


def _signs(labels: Tensor, classes: int) -> Tensor:
    """+1 for the class and -1 for the others; of two classes, +1 for the second in a single output."""
    signs = 2 * _one_hot(labels, classes) - 1
    return signs[:, 1:] if classes == 2 else signs


def _not_largest(outputs: Tensor, targets: Tensor) -> Tensor:
    return outputs.argmax(-1) != targets.argmax(-1)


def _margin_below_one(outputs: Tensor, targets: Tensor) -> Tensor:
    """Delta = 1 - y f > 0 at any output: N_Delta counts these (Jacot, Geiger et al., eq. 1)."""
    return (outputs * targets < 1).any(-1)


def _cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    """-f_y + ln sum_i exp f_i: Mori & Ueda, eq. 6."""
    return torch.logsumexp(outputs, -1) - (outputs * targets).sum(-1)


def _cross_entropy_derivative_(outputs: Tensor, targets: Tensor) -> Tensor:
    by_class = outputs.transpose(-1, -2)  # as networks lay outputs out: ten times as fast as along the last dim
    torch.softmax(by_class, -2, out=by_class)
    return outputs.sub_(targets)


def _mean_squared_error(outputs: Tensor, targets: Tensor) -> Tensor:
    """sum_i (f_i - y_i)^2 with one-hot y: the loss above eq. 10 of Mori & Ueda."""
    return (outputs - targets).square().sum(-1)


def _mean_squared_error_derivative_(outputs: Tensor, targets: Tensor) -> Tensor:
    return outputs.sub_(targets).mul_(2)


def _squared_hinge(outputs: Tensor, targets: Tensor) -> Tensor:
    """The mean over outputs of max(0, 1 - y f)^2 / 2: Jacot, Geiger et al., eq. 1."""
    return (1 - outputs * targets).relu().square().mean(-1) / 2


def _squared_hinge_derivative_(outputs: Tensor, targets: Tensor) -> Tensor:
    """-y max(0, 1 - y f) / K = y min(0, y f - 1) / K."""
    return outputs.mul_(targets).sub_(1).clamp_(max=0).mul_(targets).div_(outputs.shape[-1])


def _linear_hinge(outputs: Tensor, targets: Tensor) -> Tensor:
    """The mean over outputs of max(0, 1 - y f): the loss of their convolutional networks (section 8)."""
    return (1 - outputs * targets).relu().mean(-1)


def _linear_hinge_derivative_(outputs: Tensor, targets: Tensor) -> Tensor:
    """-y / K where y f < 1, else 0; what is not finite stays so, to be noticed."""
    outputs.mul_(targets).sub_(1)
    torch.where(outputs.isfinite(), (outputs < 0).to(outputs.dtype), outputs, out=outputs)
    return outputs.mul_(targets).div_(-outputs.shape[-1])


cross_entropy = Loss(_cross_entropy, _cross_entropy_derivative_, _one_hot, _not_largest)
mean_squared_error = Loss(_mean_squared_error, _mean_squared_error_derivative_, _one_hot, _not_largest)
squared_hinge = Loss(_squared_hinge, _squared_hinge_derivative_, _signs, _margin_below_one)
linear_hinge = Loss(_linear_hinge, _linear_hinge_derivative_, _signs, _margin_below_one)
