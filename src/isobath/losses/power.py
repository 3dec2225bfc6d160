"""The p-loss: the mean over outputs of (f - y)^p / p with an even p, of classes (one-hot y) or real targets.

- ``p``: even power p
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from isobath.settings import Count

if TYPE_CHECKING:
    from torch import Tensor

TAKES = ("labels", "targets")


def value(outputs: "Tensor", targets: "Tensor", *, p: Count) -> "Tensor":
    """Return the loss per sample, (R, n)."""
    return (outputs - targets).pow(p).mean(-1) / p


def derivative_(outputs: "Tensor", targets: "Tensor", *, p: Count) -> "Tensor":
    """Return (f - y)^(p - 1) / K, written over the outputs."""
    return outputs.sub_(targets).pow_(p - 1).div_(outputs.shape[-1])


class Compiled(NamedTuple):
    """The settings of the loss in compiled code."""

    p: float


def fill_derivative(loss: Compiled, outputs: Any, targets: Any, into: Any) -> None:
    """Write (f - y)^(p - 1) / K into ``into``, (B, K): compiled code."""
    for sample in range(len(outputs)):
        for k in range(outputs.shape[1]):
            error = outputs[sample, k] - targets[sample, k]
            into[sample, k] = error ** (int(loss.p) - 1) / outputs.shape[1]


def unsatisfied(outputs: "Tensor", truth: "Tensor", *, p: Count) -> "Tensor":
    """Return whether the error of each sample is anything but 0, bool (R, n)."""
    return error(outputs, truth) != 0


def check(*, p: int) -> None:
    """Refuse a power that is odd, of which the loss would have no minimum (ValueError)."""
    if p % 2:
        raise ValueError(f"p is {p}; it must be even: 2, 4, ...")


def encoded(labels: "Tensor", classes: int) -> "Tensor":
    """Return one-hot targets (n, K)."""
    from isobath.losses import cross_entropy  # noqa: PLC0415 (the check of a study does without torch)

    return cross_entropy.encoded(labels, classes)


def error(outputs: "Tensor", truth: "Tensor") -> "Tensor":
    """Return whether each sample is misclassified, or its mean squared error over outputs: (R, n)."""
    from isobath.losses import mean_squared_error  # noqa: PLC0415 (as above)

    return mean_squared_error.error(outputs, truth)
