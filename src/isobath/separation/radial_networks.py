"""Networks of two hidden layers for functions of the radius: squares, then a profile of their sum (Eldan & Shamir).

The first layer has m units for each coordinate, which make pieces of x_i^2 on [-2, 2]: affine ones of ReLUs, h = 4 / m
wide, or constant ones of steps, h = 4 / (m + 1). The mean error of a piece is taken off. Their sum is q(x); the second
layer makes a piecewise function of q (``radial_profiles``), of a width that does not depend on d. With e(h) the error
of q, |sqrt(q) - |x|| <= sqrt(e), so that a g of Lipschitz constant L is missed by L sqrt(e) and by what its pieces
miss. The errors of squares are

    ReLUs: |q - |x|^2| <= d h^2 / 6          steps: |q - |x|^2| <= d h^2 / 3 + 2 sqrt(d) h

for |x| <= 2, as sum |x_i| <= sqrt(d) |x|. Both are functions of sqrt(d) h: m grows as sqrt(d), the width as d^(3/2).
"""

import math

import numpy as np

from isobath.fractals.affine import Affine, after
from isobath.separation.radial import WIDEST
from isobath.separation.radial_profiles import Activation, Pieces

ROOM = 2**20  # numbers of a layer that are held at once


def square_nodes(kinks: int) -> np.ndarray:
    """Return the points (kinks + 1,) of [-2, 2] between which x^2 is taken as affine."""
    return np.linspace(-WIDEST, WIDEST, kinks + 1)


def square_steps(kinks: int) -> Pieces:
    """Return the constant pieces of x^2 on [-2, 2] that m = ``kinks`` steps make: its means, (middle)^2 + h^2 / 12."""
    edges = square_nodes(kinks + 1)
    middle, h = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
    return Pieces(edges[1:-1], middle**2 + h**2 / 12)


def squares(dimension: int, kinks: int, activation: Activation) -> tuple[Affine, Affine]:
    """Return the units (d m of them) of every coordinate, and q of them.

    ReLUs: a constant, a slope at the left end, changes of it. Steps: the value at the left end, changes of it.
    """
    if activation == "relu":
        nodes = square_nodes(kinks)
        places, changes = nodes[:-1], np.diff(nodes[1:] + nodes[:-1], prepend=0.0)
        constant = dimension * (WIDEST**2 - (nodes[1] - nodes[0]) ** 2 / 6)
    else:
        places, values = square_steps(kinks)
        changes, constant = np.diff(values), dimension * values[0]
    units = np.repeat(np.eye(dimension), kinks, axis=0), -np.tile(places, dimension)
    return units, (np.tile(changes, dimension)[None], np.array([constant]))


def summed(x: np.ndarray, kinks: int, activation: Activation) -> np.ndarray:
    """Return q (n,) of x (n, d) by the formulas of its pieces, without a network."""
    if activation == "relu":
        nodes = square_nodes(kinks)
        return np.asarray((np.interp(x, nodes, nodes**2) - (nodes[1] - nodes[0]) ** 2 / 6).sum(1))
    places, values = square_steps(kinks)
    return np.asarray(values[np.searchsorted(places, x, side="right")].sum(1))


def placed(places: np.ndarray, changes: np.ndarray, constant: float) -> tuple[Affine, Affine]:
    """Return units of one input at ``places`` (n,), and the sum of ``changes`` (n,) of them and a constant."""
    return (np.ones((len(places), 1)), -places), (changes[None], np.array([constant]))


def second_layer(pieces: Pieces, activation: Activation) -> tuple[Affine, Affine]:
    """Return the units of q that make some pieces, and the function of them."""
    jumps = np.diff(pieces.values)
    changes = np.diff(jumps / np.diff(pieces.at), prepend=0.0, append=0.0) if activation == "relu" else jumps
    return placed(pieces.at, changes, float(pieces.values[0]))


def layers(dimension: int, kinks: int, second: tuple[Affine, Affine], activation: Activation) -> list[Affine]:
    """Return the three layers of the network: d m units, those of ``second`` and an output."""
    units, q = squares(dimension, kinks, activation)
    inner, outer = second
    return [units, after(inner, q), outer]


def stepped(network: list[Affine], x: np.ndarray) -> np.ndarray:
    """Return the outputs (n, K) of a network whose hidden units are steps, 1[z >= 0], for x (n, d)."""
    *hidden, (w, b) = network
    z = x
    for v, c in hidden:
        z = (z @ v.T + c >= 0).astype(float)
    return np.asarray(z @ w.T + b)


def blocks(x: np.ndarray, width: int) -> list[np.ndarray]:
    """Return the samples of x (n, d) in blocks, of which a layer of some width holds at most ROOM numbers."""
    size = max(1, ROOM // width)
    return [x[start : start + size] for start in range(0, len(x), size)]


def sure_kinks(dimension: int, error: float, activation: Activation) -> int:
    """Return m so large that |sqrt(q) - |x|| <= ``error`` at every |x| <= 2, by the errors of squares above."""
    e = error**2
    scaled = math.sqrt(6 * e) if activation == "relu" else 3 * e / (3 + math.sqrt(9 + 3 * e))  # sqrt(d) h
    pieces = math.ceil(2 * WIDEST * math.sqrt(dimension) / scaled)
    return pieces if activation == "relu" else pieces - 1
