"""What a job costs, counted: operations and bytes. Seconds follow from a rate (see ``make bench``).

A multiplication and an addition are two operations. Sizes are layer widths, inputs and outputs included.
"""

import itertools
from collections.abc import Sequence

NUMBER = 4  # bytes of a float32
# What an optimiser holds of each weight: itself, gradient, two moments, scratch; and a copy of it all in between.
COPIES = 10


def layer_sizes(n_inputs: int, depth: int, width: int, n_outputs: int = 2) -> list[int]:
    """Widths of all layers of a multilayer perceptron with ``depth`` hidden ones."""
    return [n_inputs, *[width] * depth, n_outputs]


def parameters(sizes: Sequence[int]) -> int:
    """Weights and biases of one network."""
    return sum((fan_in + 1) * fan_out for fan_in, fan_out in itertools.pairwise(sizes))


def sample_operations(sizes: Sequence[int]) -> int:
    """Of one sample in one step: forward, the weights' derivatives, and the inputs' but for the first layer's."""
    products = [fan_in * fan_out for fan_in, fan_out in itertools.pairwise(sizes)]
    return 2 * (3 * sum(products) - products[0])


def training_operations(sizes: Sequence[int], n_train: int, epochs: int) -> int:
    """Of training one network for ``epochs`` passes over the data."""
    return n_train * epochs * sample_operations(sizes)


def step_bytes(sizes: Sequence[int], batch: int = 50) -> int:
    """What a step of one network touches: weights, activations and their derivatives."""
    return NUMBER * (parameters(sizes) + 2 * batch * sum(sizes))


def network_bytes(sizes: Sequence[int], n_train: int, batch: int = 50) -> int:
    """What one network of a stack holds in all; 16 bytes a sample are its rows and what it got wrong."""
    return NUMBER * COPIES * parameters(sizes) + 16 * n_train + step_bytes(sizes, batch)


def regression_bytes(n_train: int) -> int:
    """The Gram matrix and its factor, in float64."""
    return 2 * 8 * n_train**2


def regression_operations(n_train: int, depths: int) -> int:
    """The Cholesky factorisations; the entries of the kernel come on top."""
    return depths * n_train**3 // 3
