"""The size of a network of convolutions on square images."""

import itertools
import math

from isobath.sizes import Size


def size(
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
    return Size(
        parameters=sum(filters) + last + width * depth + n_outputs,
        activations=activations,
        operations=2 * (3 * sum(products) - products[0]),
        patches=sum(c * kernel**2 * p for c, p in zip(channels[:-1], pixels, strict=True)),
    )


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
