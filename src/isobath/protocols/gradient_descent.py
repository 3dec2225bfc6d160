"""Gradient descent on all rows, with rates in units of 1 / lambda_max (Arora, Cohen & Hazan).

    w <- w - (eta / lambda_max) grad L,   lambda_max the largest eigenvalue of X'X / n

X (n, d) are the inputs of the training rows of a network. For a linear network of one layer without biases and the
loss (f - y)^2 / 2 lambda_max is the largest curvature, and descent is stable below eta = 2 on every data set. The
protocol ``sgd`` with ``batch_size: null`` is the same with rates as they stand.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from isobath.protocols import sgd
from isobath.training.minibatches import Epoch
from isobath.training.objective import Loss
from isobath.training.stacks import Stack


def train(stack: Stack, inputs: Tensor, targets: Tensor, *, loss: Loss, first_epoch: int = 0) -> Iterator[Epoch]:
    """Train the stack in place without end; yield after each epoch, which is a step."""
    curvature = torch.from_numpy(largest_curvatures(stack.rows, inputs)).to(stack.rates)
    scaled = replace(stack, rates=stack.rates / curvature)
    return sgd.train(scaled, inputs, targets, loss=loss, first_epoch=first_epoch, batch_size=None)


def largest_curvatures(rows: np.ndarray, inputs: Tensor) -> np.ndarray:
    """Return the largest eigenvalue of X'X / n by network, (R,), X the ``rows`` (R, n) of ``inputs``; -1 is no row.

    It is NaN where inputs are not finite. Networks without a finite rate diverge, and are reported so.
    """
    curvatures: dict[bytes, float] = {}
    for samples in rows:
        if samples.tobytes() not in curvatures:
            curvatures[samples.tobytes()] = _largest_curvature(
                inputs[torch.from_numpy(samples[samples >= 0]).to(inputs.device)]
            )
    return np.array([curvatures[samples.tobytes()] for samples in rows])


def _largest_curvature(x: Tensor) -> float:
    x = x.flatten(1).double()
    gram = x.T @ x if x.shape[1] <= len(x) else x @ x.T
    return float(torch.linalg.eigvalsh(gram)[-1]) / len(x) if bool(torch.isfinite(gram).all()) else math.nan
