"""The tangent kernel of finite networks, Theta(x, y) = sum_i df(x) / dw_i df(y) / dw_i, over what is trained.

For a perceptron z(l) = relu(alpha W z(l-1) + beta b) it is a sum over layers of products of small Gram matrices, with
delta(l) the derivative of an output with respect to what enters relu(l):

    Theta = sum_l delta(l)(x).delta(l)(y) (alpha_l^2 z(l-1)(x).z(l-1)(y) + beta_l^2)

so that no Jacobian is ever held. For other networks it is computed from their Jacobians, which autograd gives.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from isobath.training.architecture import Architecture, Weights
from isobath.training.compiled.perceptron import Perceptron


class Layer(NamedTuple):
    """A layer of one perceptron: weight (units, in), bias (units,), and what they are multiplied by."""

    weight: Tensor
    bias: Tensor
    alpha: float
    beta: float


def tangent_kernel(architecture: Architecture, weights: Weights, x: Tensor, y: Tensor | None = None) -> Tensor:
    """Return Theta, (n, K, m, K), of one network with ``weights`` (1, ...) at x (n, d) and y (m, d), or x again."""
    tangent = architecture.tangent(weights)
    if tangent is None:
        left = jacobian(architecture, weights, x)
        right = left if y is None else jacobian(architecture, weights, y)
        return torch.einsum("nkp,mjp->nkmj", left, right)
    perceptron, layer_weights = tangent
    layers = _layers(perceptron, layer_weights)
    signals = _signals(layers, x, relu=perceptron.relu)
    signals_y = signals if y is None else _signals(layers, y, relu=perceptron.relu)
    theta = x.new_zeros(())
    for layer, (z, delta), (z_y, delta_y) in zip(layers, signals, signals_y, strict=True):
        below = layer.alpha**2 * (z @ z_y.T) + layer.beta**2
        theta = theta + torch.einsum("nki,mji->nkmj", delta, delta_y) * below[:, None, :, None]
    return theta


def jacobian(architecture: Architecture, weights: Weights, x: Tensor) -> Tensor:
    """Return the gradients (n, K, P) of the outputs of one network, by autograd: 0 for what is not trained."""
    leaves = [w.detach().requires_grad_() for w in weights]
    outputs = architecture.apply(leaves, x)[0]

    def gradient(output: Tensor) -> Tensor:
        parts = torch.autograd.grad(output, leaves, retain_graph=True, materialize_grads=True)
        return torch.cat([part.flatten() for part in parts])

    return torch.stack([torch.stack([gradient(output) for output in row]) for row in outputs])


def _layers(perceptron: Perceptron, weights: Weights) -> list[Layer]:
    factors = perceptron.weight_factors.tolist(), perceptron.bias_factors.tolist()
    return [Layer(w[0], b[0, 0], *by) for w, b, *by in zip(weights[::2], weights[1::2], *factors, strict=True)]


def _signals(layers: list[Layer], x: Tensor, *, relu: bool) -> list[tuple[Tensor, Tensor]]:
    """Return z(l-1), (n, in), and delta(l), (n, K, units), of each layer, first to last."""
    inputs = [x]
    for layer in layers[:-1]:
        z = layer.alpha * (inputs[-1] @ layer.weight.T) + layer.beta * layer.bias
        inputs.append(z.relu() if relu else z)
    deltas = [torch.eye(len(layers[-1].weight)).to(x).expand(len(x), -1, -1)]
    for layer, z in zip(layers[:0:-1], inputs[:0:-1], strict=True):
        delta = layer.alpha * (deltas[-1] @ layer.weight)
        deltas.append(delta * (z > 0)[:, None] if relu else delta)
    return [*zip(inputs, reversed(deltas), strict=True)]
