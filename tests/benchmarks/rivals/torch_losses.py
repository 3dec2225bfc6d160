"""The losses of the cases in PyTorch, the mean over samples (n, K) or (R, n, K)."""

import torch
from torch import Tensor


def mean_loss(loss: str, outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the mean over samples: a number, or (R,) for outputs (R, n, K)."""
    if loss == "cross_entropy":
        return -(torch.log_softmax(outputs, -1) * targets).sum(-1).mean(-1)
    short = (1 - outputs * targets).relu()
    return (short if loss == "linear_hinge" else short.square() / 2).mean((-1, -2))


def version() -> str:
    return f"PyTorch {torch.__version__}"
