"""Logistic loss: the mean over outputs of ln(1 + exp(-y f)), with y = -1 or +1 of each class."""

import torch
from torch import Tensor
from torch.nn.functional import softplus

from isobath.losses import squared_hinge

TAKES = ("labels",)
TWO_CLASSES = 1


def value(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the loss per sample, (R, n)."""
    return softplus(-outputs * targets).mean(-1)


def derivative_(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return -y / (1 + exp(y f)) / K, written over the outputs; what is not finite stays so, to be noticed."""
    derivative = (-outputs * targets).sigmoid_().mul_(-targets).div_(outputs.shape[-1])
    return torch.where(outputs.isfinite(), derivative, outputs, out=outputs)


def unsatisfied(outputs: Tensor, truth: Tensor) -> Tensor:
    """Return which samples are misclassified, bool (R, n)."""
    return error(outputs, truth)


encoded = squared_hinge.encoded
error = squared_hinge.error
