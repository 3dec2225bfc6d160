"""Outputs and gradient of one perceptron in compiled code: z(l) = relu(alpha W z(l-1) + beta b), see networks.mlp.

Parameters of a network lie in one row, W(1), b(1), ..., each at an address that is a multiple of 64 bytes; activations
and their derivatives likewise, (samples, units) for each layer. Samples are rows: biases, their gradients and relu
then run along rows, and no sum over samples changes its order.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from isobath.training.compiled.matrices import compiled, layer, layer_input, outer
from isobath.training.stacks import aligned

TOGETHER = 64  # numbers of a narrow layer to which biases are added at a time
NARROW = 5  # units of a layer, below which its biases' gradients are summed unit by unit


class Perceptron(NamedTuple):
    """A perceptron of L hidden layers: units (L + 2,), inputs first, and what layers multiply by, (L + 1,) each."""

    units: np.ndarray
    weight_factors: np.ndarray  # alpha
    bias_factors: np.ndarray  # beta
    relu: bool
    laziness: float = 0.0  # of a network alpha (f(w0 + v / alpha) - f(w0)), whose parameters are v, then w0; 0: plain


class Places(NamedTuple):
    """Places at which the parts of one network begin in its rows: weights and biases (L + 1,), activations (L + 2,)."""

    weights: np.ndarray
    biases: np.ndarray
    activations: np.ndarray


def places(shapes: Sequence[Sequence[int]], perceptron: Perceptron, samples: int) -> tuple[Places, int, int]:
    """Return the places in rows of parameters and of activations of some ``samples``, and the lengths of both rows."""
    parameters = [0, *itertools.accumulate(aligned(math.prod(shape)) for shape in shapes)]
    activations = [0, *itertools.accumulate(aligned(samples * int(units)) for units in perceptron.units)]
    starts = (np.array(parameters[:-1:2]), np.array(parameters[1:-1:2]), np.array(activations[:-1]))
    return Places(*starts), parameters[-1], activations[-1]


@compiled
def forward(address: int, perceptron: Any, offsets: Any, parameters: Any, activations: Any, samples: int) -> None:
    """Fill the activations of all layers from those of the first, the inputs."""
    last = len(perceptron.units) - 2
    for number in range(last + 1):
        n_in, n_out = perceptron.units[number], perceptron.units[number + 1]
        below = activations[offsets.activations[number] :]
        z = activations[offsets.activations[number + 1] :][: samples * n_out]
        alpha, beta = perceptron.weight_factors[number], perceptron.bias_factors[number]
        layer(address, below, parameters[offsets.weights[number] :], z, samples, n_in, n_out, alpha)
        _add(z, parameters[offsets.biases[number] :][:n_out], beta, perceptron.relu and number < last)


@compiled
def _add(z: Any, biases: Any, beta: float, relu: bool) -> None:
    """Add beta times the biases (n_out,) to z (samples, n_out), flat; with ``relu``, what is then negative is 0."""
    several = np.empty(len(biases) * max(1, TOGETHER // len(biases)), z.dtype)
    for j in range(len(several)):
        several[j] = beta * biases[j % len(biases)]
    for first in range(0, len(z), len(several)):
        rows = z[first : first + len(several)]
        if relu:
            for j in range(len(rows)):
                shifted = rows[j] + several[j]
                rows[j] = 0 if shifted < 0 else shifted  # NaN stays, to be noticed
        else:
            for j in range(len(rows)):
                rows[j] += several[j]


@compiled
def _sums(delta: Any, n_out: int) -> Any:
    """Return the sums (n_out,) of delta (samples, n_out), flat, over the samples in their order."""
    sums, samples = np.zeros(n_out, delta.dtype), len(delta) // n_out
    if n_out < NARROW:
        for j in range(n_out):
            for s in range(samples):
                sums[j] += delta[s * n_out + j]
    else:
        for s in range(samples):
            row = delta[s * n_out : (s + 1) * n_out]
            for j in range(n_out):
                sums[j] += row[j]
    return sums


@compiled
def backward(
    address: int,
    perceptron: Any,
    offsets: Any,
    parameters: Any,
    activations: Any,
    derivatives: Any,
    into: Any,
    samples: int,
    factor: float,
    keep: float,
) -> None:
    """Set ``into`` to factor times the gradient + keep times what is there, from the derivatives of the last layer.

    ``into`` may be the parameters: the derivative of a layer's input is taken before its weights move.
    """
    for number in range(len(perceptron.units) - 2, -1, -1):
        n_in, n_out = perceptron.units[number], perceptron.units[number + 1]
        delta = derivatives[offsets.activations[number + 1] :][: samples * n_out]
        z = activations[offsets.activations[number] :][: samples * n_in]
        below = derivatives[offsets.activations[number] :][: samples * n_in]
        alpha, beta = perceptron.weight_factors[number], perceptron.bias_factors[number]
        if number > 0:
            layer_input(address, delta, parameters[offsets.weights[number] :], below, samples, n_in, n_out, alpha)
            if perceptron.relu:
                for i in range(samples * n_in):
                    below[i] = 0 if z[i] <= 0 else below[i]
        outer(address, delta, z, into[offsets.weights[number] :], samples, n_in, n_out, factor * alpha, keep)
        sums = _sums(delta, n_out)
        bias = into[offsets.biases[number] :][:n_out]
        for j in range(n_out):
            previous = 0 if keep == 0 else keep * bias[j]  # as in a BLAS, what is not kept may be NaN
            bias[j] = factor * beta * sums[j] + previous
