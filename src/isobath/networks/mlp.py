"""Fully connected ReLU networks, R of them as one stack (Mori & Ueda, eqs. 4 and 5).

    z(0) = x,   z(l) = relu(z(l-1) w(l) + b(l)) for l = 1..L,   f(x) = z(L) w(L+1) + b(L+1)

Weights are kept as (out, in), as in torch.nn.Linear. ``depth`` L counts hidden layers; L = 0 is the linear perceptron.

The gradient is written out by hand. It is linear in the derivative of the loss with respect
to the outputs, so whoever scales that derivative by the learning rate gets the SGD update
straight from the backward pass, in place, without ever storing a gradient. Within, units are rows and samples columns:
few of the products then are with a transposed matrix, and the classes of an output lie apart, as losses want them.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from isobath.settings import NonNegative
from isobath.training.matmul import affine, outer, product

SIZE = "perceptron"  # of costs
Weights = list[Tensor]  # w(1), b(1), ..., w(L+1), b(L+1): (R, out, in) and (R, 1, out)


def init(
    generators: Sequence[np.random.Generator],
    *,
    n_inputs: int,
    n_outputs: int,
    depth: int,
    width: int,
    dtype: torch.dtype = torch.float32,
    initialisation: Literal[
        "glorot_uniform", "glorot_normal", "he_normal", "lecun_truncated", "orthogonal", "ntk"
    ] = "glorot_uniform",
    initial_bias: NonNegative = 0.0,
    beta: NonNegative = 0.1,
    input_variance: Literal[1, 2] = 2,
) -> Weights:
    """Starts of R networks, one per generator: weights (R, out, in) and biases (R, 1, out).

    - ``glorot_uniform``, ``glorot_normal``: variance 2 / (in + out). The paper says Glorot
      and not which: uniform is the usual meaning.
    - ``he_normal``: variance 2 / in.
    - ``lecun_truncated``: variance 1 / in, cut at two standard deviations (which leaves 0.77 of it), as Malach &
      Shalev-Shwartz start theirs.
    - ``orthogonal``: semi-orthogonal with gain 1, uniformly (Saxe et al., 2014).
      In all of these the biases start at ``initial_bias``.
    - ``ntk``: the parametrisation of section 2.4. All parameters are N(0, 1) and are scaled
      when applied: weights by sqrt(2 / in), biases by ``beta``. ``input_variance`` replaces
      the 2 of the first layer: 2 is the stated initialisation, 1 is what eq. 12 describes.
    """
    sizes = [n_inputs, *[width] * depth, n_outputs]
    stacks: list[list[np.ndarray]] = [[] for _ in range(2 * (depth + 1))]
    for generator in generators:
        for layer, (fan_in, fan_out) in enumerate(itertools.pairwise(sizes)):
            w, b = _draw(generator, fan_in, fan_out, initialisation)
            stacks[2 * layer].append(w.T)
            stacks[2 * layer + 1].append(b + initial_bias * (initialisation != "ntk"))
    return [torch.from_numpy(np.stack(parameter)).to(dtype) for parameter in stacks]


def _draw(
    generator: np.random.Generator, fan_in: int, fan_out: int, initialisation: str
) -> tuple[np.ndarray, np.ndarray]:
    shape = (fan_in, fan_out)
    zeros = np.zeros((1, fan_out))
    match initialisation:
        case "glorot_uniform":
            limit = math.sqrt(6 / (fan_in + fan_out))
            return generator.uniform(-limit, limit, shape), zeros
        case "glorot_normal":
            return generator.standard_normal(shape) * math.sqrt(2 / (fan_in + fan_out)), zeros
        case "he_normal":
            return generator.standard_normal(shape) * math.sqrt(2 / fan_in), zeros
        case "lecun_truncated":
            return _truncated(generator, shape) / math.sqrt(fan_in), zeros
        case "orthogonal":
            return _orthogonal(generator, shape), zeros
        case _:  # ntk
            return generator.standard_normal(shape), generator.standard_normal(zeros.shape)


def _truncated(generator: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Standard normal numbers, drawn again until they lie within two standard deviations."""
    draws = generator.standard_normal(shape)
    while (out := np.abs(draws) > 2).any():
        draws[out] = generator.standard_normal(out.sum())
    return draws


def _orthogonal(generator: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """A matrix with orthonormal columns or rows, whichever are fewer, drawn from the Haar measure."""
    tall = generator.standard_normal((max(shape), min(shape)))
    q, r = np.linalg.qr(tall)
    q *= np.sign(np.diag(r))  # makes the factorisation unique, and so the distribution uniform
    return q if shape[0] >= shape[1] else q.T


def n_weights(weights: Weights) -> int:
    """N of the scaling laws: weights without biases (Jacot, Geiger et al.)."""
    return sum(w[0].numel() for w in weights[::2])


def scales(
    weights: Weights,
    *,
    initialisation: str = "glorot_uniform",
    beta: float = 0.1,
    input_variance: int = 2,
    **_: object,
) -> list[tuple[float, float]]:
    """What each layer's weights and biases are multiplied by when applied: (1, 1) but for ``ntk``."""
    if initialisation != "ntk":
        return [(1.0, 1.0) for _ in weights[::2]]
    variances = [input_variance, *[2] * (len(weights) // 2 - 1)]
    return [(math.sqrt(v / w.shape[2]), beta) for v, w in zip(variances, weights[::2], strict=True)]


def apply(weights: Weights, x: Tensor, **settings: object) -> Tensor:
    """Outputs f(x), shape (R, n, K), for inputs (n, d) shared by the stack or (R, n, d)."""
    z = x.expand(len(weights[0]), *x.shape[-2:]).transpose(1, 2)
    taped = torch.is_grad_enabled() and any(t.requires_grad for t in (x, *weights))
    layers = scales(weights, **settings)  # type: ignore[arg-type]
    for layer, (alpha, beta) in enumerate(layers):
        w, b = weights[2 * layer : 2 * layer + 2]
        if taped:
            z = torch.baddbmm(b.transpose(1, 2), w, z, alpha=alpha, beta=beta)
        else:
            z = affine(w, z, b, z.new_empty(*w.shape[:2], z.shape[2]), alpha=alpha, beta=beta)
        if layer < len(layers) - 1:
            z = z.relu() if taped else z.relu_()
    return z.transpose(1, 2)


class Workspace:
    """The activations and their derivatives for R networks and one minibatch, allocated once.

    ``inputs`` (R, B, d) are the transposed z(0): to be filled before ``forward``. It may be one batch expanded to all
    networks.
    """

    def __init__(self, weights: Weights, inputs: Tensor, **settings: object) -> None:
        def empty(*shape: int) -> Tensor:
            return weights[0].new_empty(len(weights[0]), *shape)

        batch = inputs.shape[1]
        widths = [w.shape[1] for w in weights[::2]]
        self.weights = weights
        self.scales = scales(weights, **settings)  # type: ignore[arg-type]
        self.layers = [inputs.transpose(1, 2), *(empty(h, batch) for h in widths)]  # z(0) .. z(L), f
        self.derivatives = [empty(h, batch) for h in widths[:-1]]  # of z(1) .. z(L)
        self.sums = [torch.empty_like(b) for b in weights[1::2]]

    def forward(self) -> Tensor:
        """f(x) of the minibatch, shape (R, B, K), in memory as (R, K, B)."""
        z = self.layers
        for layer, (alpha, beta) in enumerate(self.scales):
            w, b = self.weights[2 * layer : 2 * layer + 2]
            affine(w, z[layer], b, z[layer + 1], alpha=alpha, beta=beta)
            if layer < len(self.scales) - 1:
                z[layer + 1].relu_()
        return z[-1].transpose(1, 2)

    def backward(self, delta: Tensor, into: Weights, *, factor: float = 1.0, keep: bool = False) -> None:
        """Write ``factor`` times the gradient into ``into``, or add it with ``keep``: dw = delta z', db = sum delta.

        ``delta`` (R, B, K) is the derivative of the loss with respect to the outputs. ``into`` may be the weights
        themselves: the derivative of a layer's input is taken before its weights move.
        """
        delta = delta.transpose(1, 2)
        for layer in reversed(range(len(self.scales))):
            (alpha, beta), z = self.scales[layer], self.layers[layer]
            if layer > 0:
                below = product(self.weights[2 * layer].transpose(1, 2), delta, self.derivatives[layer - 1])
                torch.ops.aten.threshold_backward.grad_input(below, z, 0, grad_input=below)
                if alpha != 1:
                    below.mul_(alpha)
            dw, db = into[2 * layer : 2 * layer + 2]
            outer(delta, z, dw, alpha=factor * alpha, keep=keep)
            total = torch.sum(delta, 2, out=self.sums[layer].squeeze(1)).unsqueeze(1)
            if keep:
                db.add_(total, alpha=factor * beta)
            else:
                torch.mul(total, factor * beta, out=db)
            if layer > 0:
                delta = below

    def descend(self, delta: Tensor) -> None:
        """One step of gradient descent in place; ``delta`` has been multiplied by the learning rate."""
        self.backward(delta, self.weights, factor=-1.0, keep=True)
