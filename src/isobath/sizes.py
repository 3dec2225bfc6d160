"""Sizes of networks, and the counted work, memory and disk of jobs. Results depend on counts, never on seconds.

A multiplication and an addition are two operations. ``number`` is the bytes of a number.
"""

import importlib
import inspect
import itertools
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

NUMBER = 4  # bytes of a float32
# Numbers in memory per weight: the weight, its gradient, two moments and scratch; a copy of all these when networks
# leave a stack; and the memory that is not returned after the networks trained before (measured).
COPIES = 13
STORE = 12_000  # bytes of a store of small arrays
# Bytes per sample of the training set, measured: rows, orders of two epochs, and an evaluation of all outputs.
SAMPLE = 450


class Size(NamedTuple):
    """Size of one network: its parameters, and numbers and operations per sample of a training step."""

    parameters: int  # weights and biases
    activations: int  # of all layers, inputs and outputs included
    operations: int  # forward, the weights' derivatives, and the inputs' but for the first layer's


class Work(NamedTuple):
    """Work of a job, in the units for which a machine has rates (workflow/job_costs.py), in float32."""

    launches: float = 0.0  # a layer's part of a step
    operations: float = 0.0
    activations: float = 0.0  # numbers that pass through a layer, forward and back

    def __mul__(self, factor: float) -> "Work":  # type: ignore[override]
        return Work(*(factor * count for count in self))


class Counted(NamedTuple):
    """Costs of a job: its work, the work to the last epoch (None: the same), bytes at the worst moment, bytes left."""

    work: Work = Work()
    longest: Work | None = None
    memory: float = 0.0
    disk: float = STORE
    known: bool = True  # False where the size of a network is not known: then a time limit is the longest


def size(path: str, shape: Mapping[str, int], settings: Mapping[str, Any]) -> Size:
    """Return the size by the function at ``path``, ``module:function``, which gets those ``settings`` that it names.

    ``settings`` are all of the network's, those at their defaults included.
    """
    module, _, name = path.partition(":")
    function = getattr(importlib.import_module(module), name)
    parameters = inspect.signature(function).parameters
    counted: Size = function(**shape, **{key: value for key, value in settings.items() if key in parameters})
    return counted


def perceptron(*, n_inputs: int, n_outputs: int, depth: int, width: int) -> Size:
    """Return the size of a multilayer perceptron with ``depth`` hidden layers."""
    sizes = [n_inputs, *[width] * depth, n_outputs]
    products = [fan_in * fan_out for fan_in, fan_out in itertools.pairwise(sizes)]
    return Size(sum(products) + sum(sizes[1:]), sum(sizes), 2 * (3 * sum(products) - products[0]))


def lazy(*, n_inputs: int, n_outputs: int, depth: int, width: int, network: Any) -> Size:
    """Return the size of a network that keeps its start beside its trained weights, and applies both."""
    plugins = importlib.import_module("isobath.plugins")  # on demand: it reads files
    kind, settings = plugins.completed("network", network)
    path = plugins.literal("network", kind, "SIZE")
    if path is None:
        raise ValueError(f"the size of a network {kind} is not known")
    inner = size(path, {"n_inputs": n_inputs, "n_outputs": n_outputs, "depth": depth, "width": width}, settings)
    return Size(2 * inner.parameters, inner.activations, inner.operations)


def linear_chain(*, n_inputs: int, n_outputs: int, depth: int, width: int) -> Size:
    """Return the size of a product of ``depth`` + 1 matrices, through which samples pass once, forward and back."""
    sizes = [n_inputs, *[width] * depth, n_outputs]
    products = sum(fan_in * fan_out for fan_in, fan_out in itertools.pairwise(sizes))
    return Size(products, n_inputs + n_outputs, 2 * 2 * n_inputs * n_outputs)


def convolutional(
    *,
    n_inputs: int,
    n_outputs: int,
    depth: int,
    width: int,
    image_channels: int,
    kernel: int,
    stride: int,
    pools: int,
) -> Size:
    """Return the size of ``depth`` convolutions of ``width`` channels on square images and a fully connected layer."""
    sides = image_sides(n_inputs, image_channels, depth, kernel, stride, pools)
    pixels = [_convolved(side, kernel, stride) ** 2 for side in sides[:-1]]
    channels = [image_channels, *[width] * depth]
    filters = [a * b * kernel**2 for a, b in itertools.pairwise(channels)]
    last = channels[-1] * sides[-1] ** 2 * n_outputs
    products = [f * p for f, p in zip(filters, pixels, strict=True)] + [last]
    activations = n_inputs + sum(c * p for c, p in zip(channels[1:], pixels, strict=True)) + n_outputs
    return Size(sum(filters) + last + width * depth + n_outputs, activations, 2 * (3 * sum(products) - products[0]))


def image_sides(n_inputs: int, image_channels: int, depth: int, kernel: int, stride: int, pools: int) -> list[int]:
    """Return the side of a square image after each convolution, padded by half a kernel; the input's first.

    The first ``pools`` of them are followed by the maximum over 2 x 2 pixels.
    """
    side = math.isqrt(n_inputs // image_channels)
    if side**2 * image_channels != n_inputs:
        raise ValueError(f"{n_inputs} inputs are no square image of {image_channels} channels")
    sides = [side]
    for layer in range(depth):
        sides.append(_convolved(sides[-1], kernel, stride) // (2 if layer < pools else 1))
    if sides[-1] < 1:
        raise ValueError(f"{depth} convolutions of {kernel} x {kernel} leave nothing of {side} x {side} pixels")
    return sides


def _convolved(side: int, kernel: int, stride: int) -> int:
    return (side + 2 * ((kernel - 1) // 2) - kernel) // stride + 1


def step_bytes(size: Size, batch: int, *, number: int = NUMBER) -> int:
    """Return the bytes that a step of one network touches: weights, activations and their derivatives."""
    return number * (size.parameters + 2 * batch * size.activations)


def network_bytes(size: Size, n_train: int, batch: int, *, number: int = NUMBER) -> int:
    """Return the bytes that one network of a stack takes at its peak."""
    return number * COPIES * size.parameters + SAMPLE * n_train + step_bytes(size, batch, number=number)


def regression_bytes(n_train: int) -> int:
    """Return the bytes of the Gram matrix and its factor, in float64."""
    return 2 * 8 * n_train**2


def regression_operations(n_train: int, depths: int) -> int:
    """Return the operations of the Cholesky factorisations; the entries of the kernel come on top."""
    return depths * n_train**3 // 3


def training_work(
    size: Size, depth: int, n_train: int, epochs: float, networks: int, *, batch: int | None, number: int = NUMBER
) -> Work:
    """Return the work of training a stack of networks for ``epochs`` on ``n_train`` samples each."""
    steps = epochs * math.ceil(n_train / (batch or n_train))
    samples = networks * n_train * epochs * number / NUMBER
    return Work(steps * (depth + 1), samples * size.operations, samples * size.activations)


def rungs(folds: int) -> list[int]:
    """Return the numbers of folds on which a search tries rates, one after the other: a quarter, half and all."""
    return sorted({math.ceil(folds / 4), math.ceil(folds / 2), folds})


def trials(folds: int, initial: int, later: int) -> int:
    """Count the trainings of a search, one for each rate and fold.

    After each rung the better half of the ``initial`` rates goes on; a ``later`` rate counts with half of the folds.
    """
    trained, rates, previous = later * folds / 2, initial, 0
    for rung in rungs(folds):
        trained, rates, previous = trained + rates * (rung - previous), math.ceil(rates / 2), rung
    return math.ceil(trained)


def data_set(ends: tuple[int, int], samples: int) -> Counted:
    """Return the cost of a data set of ``samples`` with ``ends`` (features, classes)."""
    content = NUMBER * samples * (ends[0] + 1)
    return Counted(memory=2 * content, disk=STORE + content)
