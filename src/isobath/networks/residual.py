"""Residual networks: each hidden layer but the first adds to what it is given, with or without normalisation.

    z(1) = W(1) x + b(1),   z(l) = z(l-1) + (W(l) relu(n(z(l-1))) + b(l)) / sqrt(L - 1)
    f(x) = W(L+1) relu(n(z(L))) + b(L+1)

for l = 2..L: all branches together add as much, whatever the depth. n is the identity, or takes off the mean over units
and divides by their standard deviation (layer normalisation without parameters). The weights are those of ``mlp``, and
so is their number. Depth 0 is the linear perceptron; depth 1 without normalisation is the plain network.

- ``normalisation``: none, or of the units of a layer
"""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from isobath.networks import mlp
from isobath.settings import Initialisation

SIZE = "isobath.network_sizes.perceptron:size"
Weights = list[Tensor]
BEND_TOGETHER = {"initialisation.bias": 0}
EPSILON = 1e-5  # added to the variance over units

n_weights, widths = mlp.n_weights, mlp.widths


def init(
    generators: Sequence[np.random.Generator],
    *,
    n_inputs: int,
    n_outputs: int,
    depth: int,
    width: int,
    dtype: torch.dtype = torch.float32,
    initialisation: Initialisation = "glorot_uniform",
    normalisation: Literal["none", "layer"] = "none",
) -> Weights:
    """Return starts of R networks, one per generator: weights (R, out, in) and biases (R, 1, out), by layer.

    Raises ValueError for layers of one unit that are normalised: f would be a constant.
    """
    if normalisation == "layer" and depth and width == 1:
        raise ValueError("normalisation is layer and width 1; it must be 2 or more: one unit is its own mean")
    shape = {"n_inputs": n_inputs, "n_outputs": n_outputs, "depth": depth, "width": width}
    return mlp.init(generators, **shape, dtype=dtype, initialisation=initialisation)  # type: ignore[arg-type]


def apply(weights: Weights, x: Tensor, *, normalisation: str = "none", **_: object) -> Tensor:
    """Return the outputs f(x), (R, n, K), for inputs (n, d) shared by the stack or (R, n, d)."""
    first, *rest = mlp.layers(weights)
    z = _affine(first, x)
    if not rest:
        return z
    *branches, last = rest
    for layer in branches:
        z = z + _affine(layer, _hidden(z, normalisation)) / math.sqrt(len(branches))
    return _affine(last, _hidden(z, normalisation))


def _affine(layer: mlp.Layer, z: Tensor) -> Tensor:
    if layer.weight.shape[1] == 1 and not z.is_cuda:  # one product of a stack would round otherwise for another R
        networks = zip(z.expand(len(layer.weight), *z.shape[-2:]), layer.weight, layer.bias, strict=True)
        return torch.stack([own @ w.T + b for own, w, b in networks])
    return z @ layer.weight.transpose(1, 2) + layer.bias


def _hidden(z: Tensor, normalisation: str) -> Tensor:
    if normalisation == "layer":
        z = (z - z.mean(-1, keepdim=True)) / torch.sqrt(z.var(-1, keepdim=True, unbiased=False) + EPSILON)
    return z.relu()
