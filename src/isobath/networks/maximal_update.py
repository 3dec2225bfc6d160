"""Perceptrons in the maximal update parametrisation, muP (Yang & Hu, 2021), for SGD with one rate for all layers.

    z(1) = relu(sqrt(H / H0) W(1) x),   z(l) = relu(W(l) z(l-1)),   f(x) = sqrt(H0 / H) W(L+1) z(L)

with biases added as they are. The first layer starts with the variance 2 H0 / (H d), the others with 2 / H: at the
width H0 this is the plain network with He's start, and at any width a step moves the features of a layer by as much.

- ``base_width``: width H0 at which the network is the plain one with He's start
"""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from isobath.networks import mlp
from isobath.settings import Count
from isobath.training.compiled.perceptron import Perceptron

SIZE = "isobath.network_sizes.perceptron:size"
Weights = list[Tensor]

n_weights, widths = mlp.n_weights, mlp.widths


def init(
    generators: Sequence[np.random.Generator],
    *,
    n_inputs: int,
    n_outputs: int,
    depth: int,
    width: int,
    dtype: torch.dtype = torch.float32,
    base_width: Count = 100,
) -> Weights:
    """Return starts of R networks, one per generator: weights (R, out, in) and biases (R, 1, out), by layer."""
    shape = {"n_inputs": n_inputs, "n_outputs": n_outputs, "depth": depth, "width": width}
    weights = mlp.init(generators, **shape, dtype=dtype, initialisation="he_normal")  # type: ignore[arg-type]
    if depth:
        weights[0].mul_(math.sqrt(base_width / width))
    return weights


def apply(weights: Weights, x: Tensor, *, base_width: int = 100) -> Tensor:
    """Return the outputs f(x), (R, n, K), for inputs (n, d) shared by the stack or (R, n, d)."""
    layers, z = mlp.layers(weights), x
    for number, ((w, b), scale) in enumerate(zip(layers, scales(weights, base_width), strict=True), start=1):
        z = scale * (z @ w.transpose(1, 2)) + b
        z = z.relu() if number < len(layers) else z
    return z


def scales(weights: Weights, base_width: int) -> list[float]:
    """Return the factors of the weights of each layer: sqrt(width / base_width), 1 ..., and its inverse."""
    layers = mlp.layers(weights)
    ratio = math.sqrt(layers[0].weight.shape[1] / base_width) if len(layers) > 1 else 1.0
    return [ratio, *[1.0] * (len(layers) - 2), 1 / ratio][: len(layers)]


def compiled(weights: Weights, *, base_width: int = 100) -> Perceptron:
    """Return the network as compiled code takes it."""
    units = np.array([weights[0].shape[2], *mlp.widths(weights)])
    alphas = np.array(scales(weights, base_width))
    return Perceptron(units, alphas, np.ones_like(alphas), relu=True)
