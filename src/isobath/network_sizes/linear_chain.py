"""The size of a product of matrices."""

import itertools

from isobath.sizes import Size


def size(*, n_inputs: int, n_outputs: int, depth: int, width: int) -> Size:
    """Return the size of a product of ``depth`` + 1 matrices, through which samples pass once, forward and back."""
    sizes = [n_inputs, *[width] * depth, n_outputs]
    products = sum(fan_in * fan_out for fan_in, fan_out in itertools.pairwise(sizes))
    return Size(products, n_inputs + n_outputs, 2 * 2 * n_inputs * n_outputs)
