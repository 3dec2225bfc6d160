"""Networks that are linear in what is trained: the tangent of a network at its start, the limit of lazy training.

    f(x) = sum_i v_i df(x; w0) / dw_i

of any network f with the start w0, which is kept and not trained; v = 0 at the start. This is the limit of ``lazy`` as
alpha grows, and regression with the network's own tangent kernel: gradient descent makes it, or at once the protocol
``gauss_newton``. The weights of a stack are those of v, then those of w0.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isobath.networks import lazy
from isobath.settings import Network
from isobath.training.architecture import Architecture
from isobath.training.compiled.perceptron import Perceptron

SIZE = "isobath.network_sizes.lazy:size"
NEVER_INSIDE = "it keeps a start itself, and is linear in what is trained"
Weights = list[Tensor]

n_parameters, n_weights, widths, widest = lazy.n_parameters, lazy.n_weights, lazy.widths, lazy.widest


def init(
    generators: Sequence[np.random.Generator],
    *,
    n_inputs: int,
    n_outputs: int,
    depth: int,
    width: int,
    dtype: torch.dtype = torch.float32,
    network: Network = "mlp",
) -> Weights:
    """Return v = 0 and the starts w0 of R networks, one per generator: those of ``lazy``."""
    shape = {"n_inputs": n_inputs, "n_outputs": n_outputs, "depth": depth, "width": width}
    return lazy.init(generators, **shape, dtype=dtype, network=network)


def apply(weights: Weights, x: Tensor, *, network: Any = "mlp") -> Tensor:
    """Return f(x), (R, n, K), for inputs (n, d) shared by the stack or (R, n, d)."""
    f, (v, start) = Architecture.of(network), lazy.halves(weights)
    followed = x.requires_grad or any(w.requires_grad for w in v)
    with torch.enable_grad():  # J v is the derivative of (J' u).v in u
        leaves = [w.detach().requires_grad_() for w in start]
        outputs = f.apply(leaves, x)
        u = torch.zeros_like(outputs, requires_grad=True)
        gradients = torch.autograd.grad(outputs, leaves, u, create_graph=True, materialize_grads=True)
        along = torch.stack([(g * w).sum() for g, w in zip(gradients, v, strict=True)]).sum()
        (forward,) = torch.autograd.grad(along, u, create_graph=followed)
    return forward


def tangent(weights: Weights, *, network: Any = "mlp") -> tuple[Perceptron, Weights] | None:
    """Return the perceptron with the gradients of f, wherever v is, and its weights: that at the start."""
    return Architecture.of(network).tangent(lazy.halves(weights)[1])
