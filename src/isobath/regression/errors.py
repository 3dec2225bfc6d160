"""Targets of a regression and its errors: class indices as one-hot vectors, or real numbers as they are."""

import torch
from torch import Tensor

from isobath.classes import errors


def encode(y: Tensor) -> Tensor:
    """Return what is regressed, (n, K) float64: class indices (n,) as centred one-hot vectors, real targets as given.

    The largest output is blind to the centring, and +-1/2 is better conditioned. For two classes it equals regression
    on +-1 with the sign.
    """
    if y.is_floating_point():
        return y.double()
    targets = torch.nn.functional.one_hot(y, max(2, int(y.max()) + 1)).double()
    return targets - targets.mean(1, keepdim=True)


def sample_errors(outputs: Tensor, y: Tensor) -> Tensor:
    """Return the error (..., n) of each sample of outputs (..., n, K), float64; 1 if misclassified."""
    of_samples: Tensor = errors(outputs, y).double()
    return of_samples
