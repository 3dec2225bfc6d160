"""Deep linear networks that start balanced: f(x) = W_N .. W_1 x, without biases (Arora, Cohen & Hazan).

N = ``depth`` + 1 layers. All start with rank one and the same norm scale^(1 / N), each along the output of the one
below: W_1 = scale^(1 / N) u_1 v', W_j = scale^(1 / N) u_j u_{j - 1}'. So W_{j + 1}' W_{j + 1} = W_j W_j', the product
has the norm ``scale`` whatever N, and the width of hidden layers does not matter. The mlp with the activation
``identity`` is the same network with biases and a start of each layer by itself.

The gradient is written out by hand. All samples pass through the product once, whatever N: with G = dL / dW of the
product, dL / dW_j = (W_N .. W_{j + 1})' G (W_{j - 1} .. W_1)'.

- ``scale``: norm of the product of all layers at the start
"""

import itertools
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from isobath.settings import Positive

SIZE = "isobath.network_sizes.linear_chain:size"
NEVER_INSIDE = "its layers have no biases"
Weights = list[Tensor]  # W_1 .. W_N: (R, out, in)


def init(
    generators: Sequence[np.random.Generator],
    *,
    n_inputs: int,
    n_outputs: int,
    depth: int,
    width: int,
    dtype: torch.dtype = torch.float32,
    scale: Positive = 0.01,
) -> Weights:
    """Return balanced starts of R networks, one per generator; directions are uniform."""
    sizes = [n_inputs, *[width] * depth, n_outputs]
    starts = []
    for generator in generators:
        units = [generator.standard_normal(size) for size in sizes]
        units = [u / np.linalg.norm(u) for u in units]
        starts.append([scale ** (1 / (depth + 1)) * np.outer(b, a) for a, b in itertools.pairwise(units)])
    return [torch.from_numpy(np.stack(w)).to(dtype) for w in zip(*starts, strict=True)]


def apply(weights: Weights, x: Tensor, *, scale: float = 0.01) -> Tensor:
    """Return f(x), (R, n, K), for inputs (n, d) shared by the stack or (R, n, d)."""
    return x @ _product(weights).transpose(1, 2)


def _product(weights: Weights) -> Tensor:
    """Return W_N .. W_1, (R, K, d)."""
    product = weights[0]
    for w in weights[1:]:
        product = w @ product
    return product


class Workspace:
    """Outputs and gradients for one minibatch; ``inputs`` (R, B, d) may be one batch expanded to all networks."""

    def __init__(self, weights: Weights, inputs: Tensor, **_: object) -> None:
        self.weights, self.samples = weights, inputs.transpose(1, 2)
        self.outputs = weights[0].new_empty(len(weights[0]), weights[-1].shape[1], inputs.shape[1])

    def forward(self) -> Tensor:
        """Return f(x) of the minibatch, (R, B, K), in memory as (R, K, B)."""
        self.below = list(itertools.accumulate(self.weights, lambda below, w: w @ below))  # W_j .. W_1
        return torch.bmm(self.below[-1], self.samples, out=self.outputs).transpose(1, 2)

    def backward(self, delta: Tensor, into: Weights, *, factor: float = 1.0, accumulate: bool = False) -> None:
        """Write ``factor`` times the gradient into ``into``, or add it; ``delta`` (R, B, K) is that of the outputs.

        ``into`` may be the weights themselves: the derivative that passes down is taken before they move.
        """
        product = factor * (delta.transpose(1, 2) @ self.samples.transpose(1, 2))  # (W_N .. W_{j + 1})' G
        for j in reversed(range(len(self.weights))):
            gradient = product if j == 0 else product @ self.below[j - 1].transpose(1, 2)
            product = self.weights[j].transpose(1, 2) @ product
            if accumulate:
                into[j].add_(gradient)
            else:
                into[j].copy_(gradient)

    def step_(self, delta: Tensor) -> None:
        """Take one step of gradient descent in place; ``delta`` has been multiplied by the learning rate."""
        self.backward(delta, self.weights, factor=-1.0, accumulate=True)
