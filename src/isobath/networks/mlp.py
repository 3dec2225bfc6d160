"""Fully connected networks, R of them as one stack (Mori & Ueda, eqs. 4 and 5).

    z(0) = x,   z(l) = relu(W(l) z(l-1) + b(l)) for l = 1..L,   f(x) = W(L+1) z(L) + b(L+1)

``depth`` L counts hidden layers; L = 0 is the linear perceptron. With the activation ``identity`` the network is a
product of matrices, a deep linear network. In the parametrisation ``ntk`` (section 2.4) weights are multiplied by
sqrt(2 / in) and biases by ``beta`` when they are applied, and usually start as N(0, 1).

W (out, in) and z (units, samples) lie in memory as the equation has them: most products then need no transpose, and
softmax reduces over a strided axis, which is ten times as fast.

The gradient is written out by hand. It is linear in the derivative of the loss with respect to the outputs: scaled by
the learning rate, that derivative gives the SGD update straight from the backward pass, in place, without ever storing
a gradient.

- ``activation``: activation of the hidden units
- ``parametrisation``: standard, or ntk with weights over the root of their number
- ``beta``: factor of the biases, of the parametrisation ntk
- ``input_variance``: factor of the first layer, of the parametrisation ntk
"""

import itertools
import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from isobath.binding import bound
from isobath.initialisations import drawn
from isobath.settings import Initialisation, NonNegative
from isobath.training import fused
from isobath.training.compiled.perceptron import Perceptron

SIZE = "isobath.network_sizes.perceptron:size"
Weights = list[Tensor]  # W(1), b(1), ..., W(L+1), b(L+1): (R, out, in) and (R, 1, out)


class Layer(NamedTuple):
    """The parameters of a layer: weight W (R, out, in), bias b (R, 1, out)."""

    weight: Tensor
    bias: Tensor


BEND_TOGETHER = {"initialisation.bias": 0, "activation": "relu"}
# Settings that do nothing without another.
NEEDS = {"beta": {"parametrisation": "ntk"}, "input_variance": {"parametrisation": "ntk"}}


def init(
    generators: Sequence[np.random.Generator],
    *,
    n_inputs: int,
    n_outputs: int,
    depth: int,
    width: int,
    dtype: torch.dtype = torch.float32,
    initialisation: Initialisation = "glorot_uniform",
    activation: Literal["relu", "identity"] = "relu",
    parametrisation: Literal["standard", "ntk"] = "standard",
    beta: NonNegative = 0.1,
    input_variance: Literal[1, 2] = 2,
) -> Weights:
    """Return starts of R networks, one per generator: weights (R, out, in) and biases (R, 1, out), by layer.

    ``beta`` and ``input_variance`` are of the parametrisation ``ntk``: the factor of the biases, and what replaces the
    2 of the first layer. There 2 is the stated initialisation, and 1 is what eq. 12 describes.
    """
    draw, sizes = bound("initialisation", initialisation), [n_inputs, *[width] * depth, n_outputs]
    starts: list[list[np.ndarray]] = []
    for generator in generators:
        starts.append([])
        for fan_in, fan_out in itertools.pairwise(sizes):
            w, b = drawn(draw, generator, (fan_in, fan_out), fan_in=fan_in, fan_out=fan_out, units=fan_out)
            starts[-1] += [w.T, b[None]]
    return [torch.from_numpy(np.stack(parameter)).to(dtype) for parameter in zip(*starts, strict=True)]


def layers(weights: Weights) -> list[Layer]:
    """Return the layers of a stack, in order."""
    return [Layer(w, b) for w, b in zip(weights[::2], weights[1::2], strict=True)]


def widths(weights: Weights) -> list[int]:
    """Return the units of each layer, output last."""
    return [layer.weight.shape[1] for layer in layers(weights)]


def n_weights(weights: Weights) -> int:
    """Return N of the scaling laws, the number of weights without biases (Jacot, Geiger et al.)."""
    return sum(layer.weight[0].numel() for layer in layers(weights))


def scales(
    weights: Weights, *, parametrisation: str = "standard", beta: float = 0.1, input_variance: int = 2, **_: object
) -> list[tuple[float, float]]:
    """Return the factors of each layer's weights and biases when applied: (1, 1) except for ``ntk``."""
    if parametrisation == "standard":
        return [(1.0, 1.0) for _ in layers(weights)]
    variances = itertools.chain([input_variance], itertools.repeat(2))
    return [(math.sqrt(v / w.shape[2]), beta) for v, (w, _) in zip(variances, layers(weights), strict=False)]


def apply(weights: Weights, x: Tensor, *, activation: str = "relu", **settings: object) -> Tensor:
    """Return the outputs f(x), (R, n, K), for inputs (n, d) shared by the stack or (R, n, d)."""
    z = x.expand(len(weights[0]), *x.shape[-2:]).transpose(1, 2)
    last = len(weights) // 2 - 1
    factors = scales(weights, **settings)  # type: ignore[arg-type]
    for number, ((w, b), (alpha, beta)) in enumerate(zip(layers(weights), factors, strict=True)):
        z = torch.baddbmm(b.transpose(1, 2), w, z, alpha=alpha, beta=beta)
        if number < last and activation == "relu":
            z = z.relu() if z.requires_grad else z.relu_()
    return z.transpose(1, 2)


def compiled(weights: Weights, *, activation: str = "relu", **settings: object) -> Perceptron:
    """Return the network as compiled code takes it."""
    units = np.array([weights[0].shape[2], *widths(weights)])
    alphas, betas = np.array(scales(weights, **settings)).T  # type: ignore[arg-type]
    return Perceptron(units, np.ascontiguousarray(alphas), np.ascontiguousarray(betas), activation == "relu")


class Workspace:
    """The activations and their derivatives for R networks and one minibatch, allocated once.

    ``inputs`` (R, B, d) are the transposed z(0): to be filled before ``forward``. It may be one batch expanded to all
    networks.
    """

    def __init__(self, weights: Weights, inputs: Tensor, *, activation: str = "relu", **settings: object) -> None:
        def empty(units: int) -> Tensor:
            return weights[0].new_empty(len(weights[0]), units, inputs.shape[1])

        self.weights, self.layers = weights, layers(weights)
        self.relu = activation == "relu"
        self.scales = scales(weights, **settings)  # type: ignore[arg-type]
        self.activations = [inputs.transpose(1, 2), *map(empty, widths(weights))]  # z(0) .. z(L), f
        self.steps = [*zip(self.layers, self.scales, self.activations[:-1], self.activations[1:], strict=True)]
        self.derivatives = [*map(empty, widths(weights)[:-1])]  # of z(1) .. z(L)
        self.sums = [torch.empty_like(layer.bias) for layer in self.layers]
        small = max(z.numel() for z in self.activations) <= fused.MOST
        self.fused = small and fused.fuses(inputs.device)
        self.beside = fused.Beside(inputs.device, apart=self.fused)

    def forward(self) -> Tensor:
        """Return f(x) of the minibatch, (R, B, K), in memory as (R, K, B)."""
        f = self.activations[-1]
        for (w, b), (alpha, beta), below, above in self.steps:
            relu = self.relu and above is not f
            if self.fused:
                above.baddbmm_(w, below, alpha=alpha, beta=0)
                fused.add_bias_(above, b, beta, relu=relu)
                continue
            torch.baddbmm(b.transpose(1, 2), w, below, alpha=alpha, beta=beta, out=above)
            if relu:
                above.relu_()
        return f.transpose(1, 2)

    def backward(self, delta: Tensor, into: Weights, *, factor: float = 1.0, accumulate: bool = False) -> None:
        """Write ``factor`` times the gradient into ``into``, or add it: dW = delta z', db = sum delta.

        ``delta`` (R, B, K) is the derivative of the loss with respect to the outputs. ``into`` may be the weights
        themselves: the derivative of a layer's input is taken before its weights move.
        """
        delta, gradients = delta.transpose(1, 2), self.layers if into is self.weights else layers(into)
        for number in reversed(range(len(self.layers))):
            (alpha, beta), z, (dw, db) = self.scales[number], self.activations[number], gradients[number]
            self._before_relu(delta, number, db, factor * beta, accumulate=accumulate)
            if number > 0:
                below = self.derivatives[number - 1]
                below.baddbmm_(self.layers[number].weight.transpose(1, 2), delta, alpha=alpha, beta=0)
            with self.beside:
                torch.baddbmm(dw, delta, z.transpose(1, 2), alpha=factor * alpha, beta=float(accumulate), out=dw)
            if number > 0:
                delta = below
        self.beside.join()

    def _before_relu(self, delta: Tensor, number: int, db: Tensor, factor: float, *, accumulate: bool) -> None:
        """Turn the derivative by a layer's z, in place, into that by W z + b: it is 0 where z is, behind a relu.

        Write ``factor`` times its sum over the samples, the derivative by b, into ``db``, or add it.
        """
        z, relu = self.activations[number + 1], self.relu and number < len(self.layers) - 1
        if self.fused:
            fused.take_derivative_(delta.contiguous(), z, db, relu=relu, factor=factor, accumulate=accumulate)
            return
        if relu:
            torch.ops.aten.threshold_backward.grad_input(delta, z, 0, grad_input=delta)
        total = torch.sum(delta, 2, out=self.sums[number].squeeze(1)).unsqueeze(1)
        if accumulate:
            db.add_(total, alpha=factor)
        else:
            torch.mul(total, factor, out=db)

    def step_(self, delta: Tensor) -> None:
        """Take one step of gradient descent in place; ``delta`` has been multiplied by the learning rate."""
        self.backward(delta, self.weights, factor=-1.0, accumulate=True)
