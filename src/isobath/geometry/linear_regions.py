"""ReLU networks of one input, taken apart: a continuous function, affine on each of finitely many intervals.

A network is a sequence w(1), b(1), ..., w(L+1), b(L+1) with w (out, in) and b (out,) or (1, out): one network of
a stack of ``networks.mlp``. The arithmetic is that of the weights. In rationals (``rational``) everything is
exact. In float64 kinks closer than ``RESOLUTION`` are taken as one, and the network is affine through
a kink where its slope changes by less than ``SAME_SLOPE`` of its largest.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

Network = Sequence[np.ndarray]

RESOLUTION = 2.0**-44
SAME_SLOPE = 2.0**-40


class Layer(NamedTuple):
    """Preactivations of a layer's units on m intervals: offset + slope x, and the value in the middle."""

    offset: np.ndarray  # (m, units)
    slope: np.ndarray
    middle: np.ndarray


def rational(network: Network) -> list[np.ndarray]:
    """Return the network in rationals, as arrays of Fraction: every float is one."""
    return [np.vectorize(Fraction, otypes=[object])(parameter) for parameter in network]


def affine_layers(network: Network, edges: np.ndarray) -> Iterator[Layer]:
    """Return every layer on the intervals between ``edges`` (m + 1,), output last; no interval may have a kink inside.

    Whether a unit is active is read off the middle of an interval, where rounding at the edges does not matter.
    """
    x = ((edges[1:] + edges[:-1]) / 2)[:, None]
    offset, slope = np.zeros_like(x), np.ones_like(x)
    for w, b in zip(network[::2], network[1::2], strict=True):
        offset, slope = offset @ w.T + b, slope @ w.T
        layer = Layer(offset, slope, offset + slope * x)
        yield layer
        offset, slope = (np.where(layer.middle > 0, part, 0) for part in (offset, slope))


def refine(edges: np.ndarray, offset: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Return ``edges`` (m + 1,) with the zeros of offset + slope x, (m, units), each inside its own interval."""
    offset, slope = np.broadcast_arrays(offset, slope)
    left, right = (offset + slope * end[:, None] for end in (edges[:-1], edges[1:]))
    inside = (left < 0) & (right > 0) | (left > 0) & (right < 0)
    points = np.unique(np.concatenate([edges, -offset[inside] / slope[inside]]))
    apart = np.diff(points) > (0 if points.dtype == object else RESOLUTION * (edges[-1] - edges[0]))
    distinct = points[np.concatenate([[True], apart])]
    return np.concatenate([edges[:1], distinct[1:-1], edges[-1:]])


def kinks(network: Network, *, low: float | Fraction = 0, high: float | Fraction = 1) -> np.ndarray:
    """Return ``low``, the points where a hidden unit turns on or off, and ``high``; ascending, (m + 1,).

    Raises ValueError for weights that are neither float64 nor rationals, and for more inputs than one.
    """
    dtype, inputs = network[0].dtype, network[0].shape[-1]
    if dtype not in (np.float64, object) or inputs != 1:
        raise ValueError(f"a network of {inputs} inputs in {dtype}; one input in float64 or in rationals is needed")
    edges = np.array([Fraction(low), Fraction(high)]).astype(dtype)
    for below in range(2, len(network), 2):
        *_, layer = affine_layers(network[:below], edges)
        edges = refine(edges, layer.offset, layer.slope)
    return edges


def count_regions(network: Network, *, low: float | Fraction = 0, high: float | Fraction = 1) -> int:
    """Count the linear regions: the fewest intervals of [low, high] on each of which the network is affine.

    A kink of a unit that does not reach the output divides nothing. Raises ValueError as ``kinks`` does.
    """
    *_, output = affine_layers(network, kinks(network, low=low, high=high))
    tolerance = 0 if output.slope.dtype == object else SAME_SLOPE * np.abs(output.slope).max()
    return 1 + int((np.abs(np.diff(output.slope, axis=0)) > tolerance).any(1).sum())


def crossings(
    network: Network, *, level: float = 0, low: float | Fraction = 0, high: float | Fraction = 1
) -> np.ndarray:
    """Return the points of [low, high] at which the classifier 1[f >= level] of one output changes; ascending, (c,).

    It has c + 1 intervals. Found from the values at the kinks, between which f is affine: none is too narrow to be
    missed. Raises ValueError as ``kinks`` does.
    """
    edges = kinks(network, low=low, high=high)
    *_, output = affine_layers(network, edges)
    offset, slope = output.offset[:, 0] - level, output.slope[:, 0]
    left, right = (offset + slope * end for end in (edges[:-1], edges[1:]))
    values = np.append(left, right[-1:])  # f is continuous: one value at each edge
    change = (values[:-1] >= 0) != (values[1:] >= 0)
    return np.asarray(edges[:-1][change] + values[:-1][change] * _over(np.diff(edges), values)[change])


def most_regions(*, depth: int, width: int) -> int:
    """Return the most linear regions for one input, (k + 1)^L: each unit adds at most one kink to each piece."""
    return int((width + 1) ** depth)


def _over(lengths: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the lengths of intervals over the fall of a function on each, 0 where it does not change."""
    fall = values[:-1] - values[1:]
    same = fall == 0
    return np.where(same, 0, lengths) / np.where(same, 1, fall)
