"""The tangent kernel of finite networks, Theta(x, y) = sum_i df(x) / dw_i df(y) / dw_i, over what is trained.

Of a perceptron z(l) = relu(alpha W z(l-1) + beta b) it is a sum over layers of products of small Gram matrices, with
delta(l) the derivative of an output with respect to what enters relu(l):

    Theta = sum_l delta(l)(x).delta(l)(y) (alpha_l^2 z(l-1)(x).z(l-1)(y) + beta_l^2)

so that no Jacobian is ever held. Of other networks it is made of Jacobians, by autograd.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from isobath.training.architecture import Architecture, Weights
from isobath.training.compiled.perceptron import Perceptron


def tangent_kernel(architecture: Architecture, weights: Weights, x: Tensor, y: Tensor | None = None) -> Tensor:
    """Return Theta, (n, K, m, K), of one network with ``weights`` (1, ...) at inputs (n, d) and (m, d), or at (n, d)."""
    found = architecture.tangent(weights)
    if found is None:
        left = jacobian(architecture, weights, x)
        right = left if y is None else jacobian(architecture, weights, y)
        return torch.tensordot(left, right, dims=([2], [2]))
    perceptron, own = found
    one = [*_layers(perceptron, own, x)]
    other = one if y is None else [*_layers(perceptron, own, y)]
    return sum(  # type: ignore[return-value]
        torch.einsum("nki,mji->nkmj", delta, delta_y) * (a**2 * (z @ z_y.T) + b**2)[:, None, :, None]
        for (delta, z), (delta_y, z_y), a, b in zip(
            one, other, perceptron.weight_factors.tolist(), perceptron.bias_factors.tolist(), strict=True
        )
    )


def jacobian(architecture: Architecture, weights: Weights, x: Tensor) -> Tensor:
    """Return the gradients of the outputs of one network, (n, K, P), by autograd: of weights that are not trained, 0."""
    leaves = [w.detach().requires_grad_() for w in weights]
    outputs = architecture.apply(leaves, x)[0]

    def gradient(output: Tensor) -> Tensor:
        parts = torch.autograd.grad(output, leaves, retain_graph=True, materialize_grads=True)
        return torch.cat([part.flatten() for part in parts])

    return torch.stack([torch.stack([gradient(output) for output in row]) for row in outputs])


def _layers(perceptron: Perceptron, weights: Weights, x: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield delta(l), (n, K, units), and z(l-1), (n, units), of each layer of a perceptron, first to last."""
    activations = _activations(perceptron, weights, x)
    last = weights[-2][0]
    delta = torch.eye(len(last)).to(x).expand(len(x), -1, -1)
    deltas = [delta]
    for w, a, z in zip(weights[-2:0:-2], perceptron.weight_factors[:0:-1].tolist(), activations[:0:-1], strict=True):
        delta = a * (delta @ w[0])
        delta = delta * (z > 0)[:, None] if perceptron.relu else delta
        deltas.append(delta)
    yield from zip(reversed(deltas), activations, strict=True)


def _activations(perceptron: Perceptron, weights: Weights, x: Tensor) -> list[Tensor]:
    """Return z(0) .. z(L), (n, units) each."""
    layers: list[tuple[Any, ...]] = [
        *zip(
            weights[::2],
            weights[1::2],
            perceptron.weight_factors.tolist(),
            perceptron.bias_factors.tolist(),
            strict=True,
        )
    ]
    found = [x]
    for w, b, weight_factor, bias_factor in layers[:-1]:
        z = weight_factor * (found[-1] @ w[0].T) + bias_factor * b[0]
        found.append(z.relu() if perceptron.relu else z)
    return found
