"""Networks between the lazy and the feature regime (Chizat et al., 2019; Geiger, Spigler, Jacot & Wyart, 2020).

    f_alpha(x) = alpha (f(x; w) - f(x; w0)),   w = w0 + v / alpha

f is any network, w0 its start, which is kept and not trained, and v = 0 at the start is what is trained: gradient
descent of a loss l in v is that of l / alpha^2 in w, so that a learning rate means the same for every alpha as long as
f is linear in v. That is so as alpha grows: the network is then regression with its own tangent kernel at w0. As alpha
falls, weights have to move far, and features with them.

The weights of a stack are those of v, then those of w0.

- ``alpha``: factor alpha of f - f_0; it multiplies the rounding of f, in float32 by more than a per cent from 10^5 on
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isobath.network_sizes.lazy import require_inside
from isobath.networks import cnn
from isobath.settings import Network, Positive
from isobath.training.architecture import Architecture
from isobath.training.compiled.perceptron import Perceptron

SIZE = "isobath.network_sizes.lazy:size"
NEVER_INSIDE = "it keeps a start itself, and its factor alpha would only multiply that of this one"
Weights = list[Tensor]


def init(
    generators: Sequence[np.random.Generator],
    *,
    n_inputs: int,
    n_outputs: int,
    depth: int,
    width: int,
    dtype: torch.dtype = torch.float32,
    network: Network = "mlp",
    alpha: Positive = 1.0,
) -> Weights:
    """Return v = 0 and the starts w0 of R networks, one per generator.

    ``network`` is a plug-in whose layers have a weight and a bias each; raises ValueError for another.
    """
    require_inside(network)
    shape = {"n_inputs": n_inputs, "n_outputs": n_outputs, "depth": depth, "width": width}
    start = Architecture.of(network).init(generators, **shape, dtype=dtype)
    if len(start) % 2 or any(b[0].numel() != w.shape[1] for w, b in zip(start[::2], start[1::2], strict=True)):
        raise ValueError(f"network is {network}; its layers must have a weight and a bias each")
    return [*map(torch.zeros_like, start), *start]


def halves(weights: Weights) -> tuple[Weights, Weights]:
    """Return v and w0."""
    half = len(weights) // 2
    return weights[:half], weights[half:]


def displaced(weights: Weights, alpha: float) -> Weights:
    """Return w0 + v / alpha; no gradient passes to w0."""
    return [torch.add(start.detach(), v, alpha=1 / alpha) for v, start in zip(*halves(weights), strict=True)]


def apply(weights: Weights, x: Tensor, *, network: Any = "mlp", alpha: float = 1.0) -> Tensor:
    """Return f_alpha(x), (R, n, K), for inputs (n, d) shared by the stack or (R, n, d)."""
    f = Architecture.of(network)
    start = f.apply([w.detach() for w in halves(weights)[1]], x)
    return alpha * (f.apply(displaced(weights, alpha), x) - start)


def compiled(weights: Weights, *, network: Any = "mlp", alpha: float = 1.0) -> Perceptron | None:
    """Return the network as compiled code takes it, if it takes the network f."""
    plain = Architecture.of(network).compiled(halves(weights)[1])
    return None if plain is None else plain._replace(laziness=alpha)


def tangent(weights: Weights, *, network: Any = "mlp", alpha: float = 1.0) -> tuple[Perceptron, Weights] | None:
    """Return the perceptron with the gradients of f_alpha in v, which are those of f in w, and its weights."""
    return Architecture.of(network).tangent(displaced(weights, alpha))


def n_parameters(weights: Weights) -> int:
    """Return the number of weights and biases that are trained."""
    return sum(w[0].numel() for w in halves(weights)[0])


def n_weights(weights: Weights) -> int:
    """Return the number of weights without biases that are trained."""
    return sum(w[0].numel() for w in halves(weights)[0][::2])


def widths(weights: Weights) -> list[int]:
    """Return the units of each layer, output last."""
    return [w.shape[1] for w in halves(weights)[1][::2]]


def widest(weights: Weights, n_inputs: int) -> int:
    """Return the numbers per sample of the largest layer, at most, as ``cnn`` does for layers of units as well."""
    return cnn.widest(halves(weights)[1], n_inputs)


class Workspace:
    """Outputs and gradients for one minibatch, from those of f at w0 + v / alpha and its outputs at w0."""

    def __init__(self, weights: Weights, inputs: Tensor, *, network: Any = "mlp", alpha: float = 1.0) -> None:
        f = Architecture.of(network)
        self.weights, self.alpha = weights, alpha
        self.applied = displaced(weights, alpha)
        self.now, self.start = f.workspace(self.applied, inputs), f.workspace(halves(weights)[1], inputs)

    def forward(self) -> Tensor:
        """Return f_alpha(x) of the minibatch, (R, B, K)."""
        for w, moved in zip(self.applied, displaced(self.weights, self.alpha), strict=True):
            w.copy_(moved)
        outputs: Tensor = self.now.forward().sub_(self.start.forward()).mul_(self.alpha)
        return outputs

    def backward(self, delta: Tensor, into: Weights, *, factor: float = 1.0, accumulate: bool = False) -> None:
        """Write ``factor`` times the gradient into ``into``, or add it; that of w0 is 0."""
        trained, start = halves(into)
        self.now.backward(delta, trained, factor=factor, accumulate=accumulate)
        for gradient in () if accumulate else start:
            gradient.zero_()

    def step_(self, delta: Tensor) -> None:
        """Take one step of gradient descent in place; ``delta`` has been multiplied by the learning rate."""
        self.backward(delta, self.weights, factor=-1.0, accumulate=True)
