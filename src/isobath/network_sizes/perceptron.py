"""The size of a multilayer perceptron."""

import itertools

from isobath.sizes import Size


def size(*, n_inputs: int, n_outputs: int, depth: int, width: int) -> Size:
    """Return the size of a multilayer perceptron with ``depth`` hidden layers."""
    sizes = [n_inputs, *[width] * depth, n_outputs]
    products = [fan_in * fan_out for fan_in, fan_out in itertools.pairwise(sizes)]
    return Size(sum(products) + sum(sizes[1:]), sum(sizes), 2 * (3 * sum(products) - products[0]))
