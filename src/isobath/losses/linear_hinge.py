"""The hinge, the mean over outputs of max(0, m - y f) with y = +-1 (Jacot, Geiger et al., section 8, with m = 1)."""

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


encoded = squared_hinge.encoded
unsatisfied = squared_hinge.unsatisfied
error = squared_hinge.error
