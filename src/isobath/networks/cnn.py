"""Convolutional networks: L convolutions of f channels and one fully connected layer (Jacot, Geiger et al., section 8).

    z(0) = x,   z(l) = relu(W(l) * z(l-1) + b(l)) for l = 1..L,   f(x) = W(L+1) z(L) + b(L+1)

``depth`` is L (3 in the paper) and ``width`` the number of channels f. The paper gives no filter: 5 x 5 with
stride 2 is assumed, which takes 32 x 32 images to 4 x 4 and the number of parameters at f = 24..28 to the number of
training samples. The first ``pools`` convolutions can be followed by the maximum over 2 x 2 pixels. Networks are
convolved one after the other, or on a GPU in one batched product; gradients are autograd's.

- ``image_channels``: channels of an image
- ``kernel``: side of a filter, in pixels
- ``stride``: step of a filter, in pixels
- ``pools``: number of first convolutions that a maximum over 2 x 2 pixels follows
"""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from isobath.binding import bound
from isobath.initialisations import drawn
from isobath.network_sizes.convolutional import image_sides
from isobath.settings import Count, Index, Initialisation

SIZE = "isobath.network_sizes.convolutional:size"
WIDTH = "channels"
BEND_TOGETHER = {"initialisation.bias": 0}
CONVOLUTION = 5  # dims of the filters of a stack
Weights = list[Tensor]  # W(1), b(1), ...: (R, out, in, k, k) and (R, out); then (R, K, features) and (R, 1, K)


def init(
    generators: Sequence[np.random.Generator],
    *,
    n_inputs: int,
    n_outputs: int,
    depth: int,
    width: int,
    dtype: torch.dtype = torch.float32,
    initialisation: Initialisation = "glorot_uniform",
    image_channels: Count = 3,
    kernel: Count = 5,
    stride: Count = 2,
    pools: Index = 0,
) -> Weights:
    """Return starts of R networks, one per generator, with the fans of a filter.

    Inputs are square images, ``n_inputs`` = image_channels * side^2 numbers, channel first.
    """
    draw, sides = (
        bound("initialisation", initialisation),
        image_sides(n_inputs, image_channels, depth, kernel, stride, pools),
    )
    channels = [image_channels, *[width] * depth]
    shapes = [(channels[layer + 1], channels[layer], kernel, kernel) for layer in range(depth)]
    head = (n_outputs, channels[-1] * sides[-1] ** 2)
    starts: list[list[np.ndarray]] = []
    for generator in generators:
        starts.append([])
        for shape in (*shapes, head):
            pixels = math.prod(shape[2:])
            fans = {"fan_in": shape[1] * pixels, "fan_out": shape[0] * pixels}
            w, b = drawn(draw, generator, shape, units=shape[0], **fans)
            starts[-1] += [w, b[None] if shape is head else b]
    return [torch.from_numpy(np.stack(parameter)).to(dtype) for parameter in zip(*starts, strict=True)]


def apply(
    weights: Weights,
    x: Tensor,
    *,
    image_channels: int = 3,
    stride: int = 2,
    pools: int = 0,
    **_: object,
) -> Tensor:
    """Return the outputs f(x), (R, n, K), for inputs (n, d) shared by the stack or (R, n, d)."""
    networks, n = len(weights[0]), x.shape[-2]
    side = math.isqrt(x.shape[-1] // image_channels)
    images = x.expand(networks, *x.shape[-2:]).reshape(networks, n, image_channels, side, side)
    *convolutions, (head, bias) = zip(weights[::2], weights[1::2], strict=True)
    if x.is_cuda:
        features = by_products(images, convolutions, stride=stride, pools=pools)
        return torch.baddbmm(bias, features, head.transpose(1, 2))
    each = zip(by_networks(images, convolutions, stride=stride, pools=pools), head, bias, strict=True)
    return torch.stack([torch.addmm(b, z, w.T) for z, w, b in each])


Convolutions = Sequence[tuple[Tensor, Tensor]]  # filters (R, out, in, k, k) and biases (R, out) of a layer


def by_networks(images: Tensor, convolutions: Convolutions, *, stride: int, pools: int) -> Tensor:
    """Return the features (R, n, C p) of images (R, n, C, s, s), network by network.

    As groups of one convolution they would be rounded otherwise for another R, as would one product of a stack.
    """
    each = [[(w[r], b[r]) for w, b in convolutions] for r in range(len(images))]
    networks = zip(images, each, strict=True)
    return torch.stack([_features(z, filters, stride=stride, pools=pools) for z, filters in networks])


def _features(z: Tensor, convolutions: Convolutions, *, stride: int, pools: int) -> Tensor:
    """Return the features (n, C p) of one network, whose images are z (n, C, s, s) and filters (out, in, k, k)."""
    z = z.contiguous(memory_format=torch.channels_last)  # in which convolutions are faster
    for layer, (w, b) in enumerate(convolutions):
        z = torch.nn.functional.conv2d(z, w, b, stride, (w.shape[-1] - 1) // 2).relu()
        if layer < pools:
            z = torch.nn.functional.max_pool2d(z, 2)
    return z.flatten(1)


def by_products(images: Tensor, convolutions: Convolutions, *, stride: int, pools: int) -> Tensor:
    """Return the features of ``by_networks`` by one product of matrices a layer, with the samples as columns.

    It is for a GPU, which small convolutions leave alone (``make bench-gpu`` compares the two).
    """
    z = images.transpose(1, 2)  # (R, channels, n, side, side)
    for layer, (w, b) in enumerate(convolutions):
        k = w.shape[-1]
        padded = torch.nn.functional.pad(z, [(k - 1) // 2] * 4)
        patches = padded.unfold(3, k, stride).unfold(4, k, stride)  # (R, channels, n, side, side, k, k)
        columns = patches.permute(0, 1, 5, 6, 2, 3, 4).flatten(4).flatten(1, 3)  # (R, channels k k, n side side)
        z = torch.baddbmm(b.unsqueeze(2), w.flatten(2), columns).relu().view(*w.shape[:2], *patches.shape[2:5])
        if layer < pools:
            pooled = torch.nn.functional.max_pool2d(z.flatten(0, 1), 2)
            z = pooled.view(*w.shape[:2], *pooled.shape[1:])
    return z.transpose(1, 2).flatten(2)


def n_weights(weights: Weights) -> int:
    """Return N of the scaling laws, the number of weights without biases."""
    return sum(w[0].numel() for w in weights[::2])


def widths(weights: Weights) -> list[int]:
    """Return the channels of each convolution, and the number of outputs."""
    return [w.shape[1] for w in weights[::2]]


def widest(weights: Weights, n_inputs: int) -> int:
    """Return the numbers per sample of the largest layer, at most; of a convolution its channels at each pixel."""
    first = weights[0]
    return first.shape[1] * (n_inputs // first.shape[2]) if first.dim() == CONVOLUTION else max(widths(weights))
