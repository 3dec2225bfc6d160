"""The squared hinge, the mean over outputs of max(0, m - y f)^2 / 2 with y = +-1 (Jacot, Geiger et al., eq. 1).

The margin m is 1 there. Two classes have a single output. The source does not say how ten outputs are
combined; if their losses are summed, its rate 1 / f does not converge.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from isobath.losses import cross_entropy
from isobath.settings import Positive

TAKES = ("labels",)
TWO_CLASSES = 1
ROUNDING = 256  # roundings of the margin, by which a sample may miss it


def value(outputs: Tensor, targets: Tensor, *, margin: Positive = 1.0) -> Tensor:
    """Return the loss per sample, (R, n)."""
    return (margin - outputs * targets).relu().square().mean(-1) / 2


def derivative_(outputs: Tensor, targets: Tensor, *, margin: Positive = 1.0) -> Tensor:
    """Return -y max(0, m - y f) / K = y min(0, y f - m) / K, written over the outputs; infinite ones stay so."""
    outputs.mul_(targets).sub_(margin)
    torch.where(outputs.isfinite(), outputs.clamp(max=0), outputs, out=outputs)
    return outputs.mul_(targets).div_(outputs.shape[-1])


class Compiled(NamedTuple):
    """The settings of the loss in compiled code."""

    margin: float = 1.0


def fill_derivative(loss: Compiled, outputs: Any, targets: Any, into: Any) -> None:
    """Write y min(0, y f - m) / K into ``into``, (B, K); infinite outputs stay so: compiled code."""
    for sample in range(len(outputs)):
        for k in range(outputs.shape[1]):
            y = targets[sample, k]
            short = y * outputs[sample, k] - loss.margin
            into[sample, k] = 0.0 if 0 < short < np.inf else y * short / outputs.shape[1]


def encoded(labels: Tensor, classes: int) -> Tensor:
    """Return +1 for the class and -1 for the others, (n, K); of two classes, +1 for the second in a single output."""
    signs = 2 * torch.nn.functional.one_hot(labels, classes) - 1
    return signs[:, 1:] if classes == 2 else signs


def unsatisfied(outputs: Tensor, truth: Tensor, *, margin: Positive = 1.0) -> Tensor:
    """Return whether Delta = m - y f > 0 at any output, bool (R, n): N_Delta counts these (eq. 1).

    Training ends with samples that lie at the margin, to within rounding. Where it sees y f = m, another order of the
    sums would see less, and count a network that fits as one that does not.
    """
    targets = encoded(truth, max(2, outputs.shape[-1]))
    reached = margin * (1 - ROUNDING * torch.finfo(outputs.dtype).eps)
    return (outputs * targets < reached).any(-1)


error = cross_entropy.error
