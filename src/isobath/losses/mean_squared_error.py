"""The squared error, sum_i (f_i - y_i)^2 (Mori & Ueda, above eq. 10, with one-hot y), of classes or real targets."""

from typing import Any, NamedTuple

from torch import Tensor

from isobath.classes import errors
from isobath.losses import cross_entropy

TAKES = ("labels", "targets")


def value(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the loss per sample, (R, n)."""
    return (outputs - targets).square().sum(-1)


def derivative_(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return 2 (f - y), written over the outputs."""
    return outputs.sub_(targets).mul_(2)


class Compiled(NamedTuple):
    """No settings: the loss in compiled code."""


def fill_derivative(loss: Compiled, outputs: Any, targets: Any, into: Any) -> None:
    """Write 2 (f - y) into ``into``, (B, K): compiled code."""
    for sample in range(len(outputs)):
        for k in range(outputs.shape[1]):
            into[sample, k] = 2 * (outputs[sample, k] - targets[sample, k])


def error(outputs: Tensor, truth: Tensor) -> Tensor:
    """Return whether each sample is misclassified, or its mean squared error over outputs: (R, n)."""
    of_samples: Tensor = errors(outputs, truth)
    return of_samples


def unsatisfied(outputs: Tensor, truth: Tensor) -> Tensor:
    """Return whether the error of each sample is anything but 0, bool (R, n): real targets are never quite met."""
    return error(outputs, truth) != 0


encoded = cross_entropy.encoded
