"""Cross-entropy, -f_y + ln sum_i exp f_i (Mori & Ueda, eq. 6)."""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from isobath.classes import misclassified

TAKES = ("labels",)


def value(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the loss per sample, (R, n), for one-hot targets."""
    return torch.logsumexp(outputs, -1) - (outputs * targets).sum(-1)


def derivative_(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return softmax f - y, written over the outputs."""
    by_class = outputs.transpose(-1, -2)  # as networks lay outputs out: ten times as fast as along the last dim
    torch.softmax(by_class, -2, out=by_class)
    return outputs.sub_(targets)


class Compiled(NamedTuple):
    """No settings: the loss in compiled code."""


def fill_derivative(loss: Compiled, outputs: Any, targets: Any, into: Any) -> None:
    """Write softmax f - y into ``into``, (B, K): compiled code."""
    for sample in range(len(outputs)):
        largest, total = outputs[sample, 0], outputs.dtype.type(0)
        for k in range(outputs.shape[1]):
            largest = max(largest, outputs[sample, k])
        for k in range(outputs.shape[1]):
            into[sample, k] = math.exp(outputs[sample, k] - largest)
            total += into[sample, k]
        for k in range(outputs.shape[1]):
            into[sample, k] = into[sample, k] / total - targets[sample, k]


def encoded(labels: Tensor, classes: int) -> Tensor:
    """Return one-hot targets (n, K)."""
    return torch.nn.functional.one_hot(labels, classes)


def error(outputs: Tensor, truth: Tensor) -> Tensor:
    """Return whether each sample is misclassified, bool (R, n)."""
    wrong: Tensor = misclassified(outputs, truth)
    return wrong


unsatisfied = error
