"""The hinge, the mean over outputs of max(0, m - y f) with y = +-1 (Jacot, Geiger et al., section 8, with m = 1)."""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from isobath.losses import squared_hinge
from isobath.settings import Positive

TAKES = ("labels",)
TWO_CLASSES = 1


def value(outputs: Tensor, targets: Tensor, *, margin: Positive = 1.0) -> Tensor:
    """Return the loss per sample, (R, n)."""
    return (margin - outputs * targets).relu().mean(-1)


def derivative_(outputs: Tensor, targets: Tensor, *, margin: Positive = 1.0) -> Tensor:
    """Return -y / K where y f < m, else 0, written over the outputs; what is not finite stays so, to be noticed."""
    outputs.mul_(targets).sub_(margin)
    torch.where(outputs.isfinite(), (outputs < 0).to(outputs.dtype), outputs, out=outputs)
    return outputs.mul_(targets).div_(-outputs.shape[-1])


class Compiled(NamedTuple):
    """The settings of the loss in compiled code."""

    margin: float = 1.0


def fill_derivative(loss: Compiled, outputs: Any, targets: Any, into: Any) -> None:
    """Write -y / K where y f < m, else 0, into ``into``, (B, K); what is not finite stays so: compiled code."""
    for sample in range(len(outputs)):
        for k in range(outputs.shape[1]):
            f, y = outputs[sample, k], targets[sample, k]
            into[sample, k] = f if not math.isfinite(f) else (-y / outputs.shape[1] if y * f < loss.margin else 0.0)


encoded = squared_hinge.encoded
unsatisfied = squared_hinge.unsatisfied
error = squared_hinge.error
