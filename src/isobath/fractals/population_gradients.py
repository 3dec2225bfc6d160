"""The population gradient of a network on a Cantor distribution, integrated in closed form.

Section 4 of Malach & Shalev-Shwartz: C_0 = [0, 1], C_j = F_1(C_{j-1}) + F_2(C_{j-1}), and E_j is C_{j-1} without C_j.
Positives are uniform on C_n and negatives, with probability p_j, on E_j; the classes are balanced and the loss is
max(0, 1 - y f). The margin of the positives is taken as zero. F_1 reverses the orientation, but C_j is symmetric, so
that the sets are the usual ones.

A network of one input is affine between its kinks: on each interval all that is needed is the mass of either class
and its first moment. These are found by ternary digits in rationals, for any n: 3^-n is below the resolution of
float64 near 1 from n = 34 on, where sampling would end. With float64 weights the kinks are those of float64 and the
last sums are rounded; but classes that balance cancel exactly, and a gradient that vanishes is zero.

The printed initialisation (b = 1/2, |w| <= 1 / (2 n_in)) leaves every unit active on [0, 1]. The network is affine
there, and as C_n and all E_j have the same mean, its gradient vanishes for every p. So does that of
any start without biases, which has no kink inside (0, 1), as long as |f| < 1.
"""

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from isobath.binding import bound
from isobath.geometry.linear_regions import Layer, Network, affine_layers, kinks, refine
from isobath.settings import Initialisation

Number = float | Fraction


def start(
    generator: np.random.Generator, *, depth: int, width: int, initialisation: Initialisation
) -> list[np.ndarray]:
    """Return a network of one input and output, float64: weights (out, in) and biases (out,), layer by layer.

    ``narrow_uniform`` with bias 1/2 is Theorem 5's start, ``lecun_truncated`` with bias 0.1 that of the authors' code.
    """
    draw, network = bound("initialisation", initialisation), []
    for fan_in, fan_out in itertools.pairwise([1, *[width] * depth, 1]):
        network += draw(generator, (fan_out, fan_in), fan_in=fan_in, fan_out=fan_out, units=fan_out)
    return network


def cantor_moments(x: Number, levels: int) -> list[tuple[Fraction, Fraction]]:
    """Return the integrals of 1 and of u over [0, x], for u uniform on C_j: one pair for each j = 0 .. levels.

    At each level x is rescaled to [0, 1] within the third that holds it. In the middle third, which C_j lacks, the left
    third counts in full, and x = 0 at all further levels.
    """
    x, third = Fraction(x), Fraction(1, 3)
    mass, moment, begin, length, share = (Fraction(number) for number in (0, 0, 0, 1, 1))
    moments: list[tuple[Fraction, Fraction]] = []
    while x and len(moments) <= levels:
        moments.append((mass + share * x, moment + share * x * (begin + length * x / 2)))
        length, share = length / 3, share / 2
        if x > third:
            mass, moment = mass + share, moment + share * (begin + length / 2)
            begin += 2 * length
        x = 3 * x if x <= third else max(3 * x - 2, Fraction(0))
    return moments + [(mass, moment)] * (levels + 1 - len(moments))


def class_moments(edges: np.ndarray, p: Sequence[Number] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mass and first moment of positives and of negatives on each interval: two arrays (2, m) of rationals.

    ``edges`` (m + 1,) lie in [0, 1]; ``p`` (n,) is p_1 .. p_n and is scaled to sum to one exactly. A third of C_{j-1}
    is E_j, hence U(E_j) = 3 U(C_{j-1}) - 2 U(C_j). Raises ValueError where p is no distribution.
    """
    if not len(p) or min(p) < 0 or abs(sum(p) - 1) > 1e-9:
        raise ValueError(f"p = {[float(value) for value in p]} is no distribution over levels")
    shares = [Fraction(value) for value in p]
    below = np.array([cantor_moments(x, len(shares)) for x in edges])  # (m + 1, n + 1, 2)
    uniform = np.diff(below, axis=0).transpose(1, 2, 0)  # on C_0 .. C_n
    levels = zip(shares, uniform[:-1], uniform[1:], strict=True)
    negatives = sum(share * (3 * outer - 2 * inner) for share, outer, inner in levels if share) / sum(shares)
    return uniform[-1], negatives


def population_gradient(network: Network, p: Sequence[Number] | np.ndarray) -> list[np.ndarray]:
    """Return the derivatives of the population's hinge loss with respect to ``network``, of its shapes and dtype.

    ``p`` (n,) as in ``class_moments``. Where a unit or the loss has its kink, which has no mass, the derivative is
    that of either side. Raises ValueError as ``kinks`` and ``class_moments`` do.
    """
    edges, layers = _pieces(network)
    positives, negatives = class_moments(edges, p)
    f = layers[-1].middle[:, 0]
    felt = (np.where(f > -1, negatives, 0) - np.where(f < 1, positives, 0)) / 2  # in rationals: here classes cancel
    mass, moment = felt.astype(network[0].dtype)[:, :, None]
    delta = np.ones_like(layers[-1].middle)  # of the output with respect to what arrives at a layer
    x = Layer(np.zeros_like(delta), np.ones_like(delta), np.ones_like(delta))
    gradient: list[np.ndarray] = []
    for layer, w, b in zip([x, *layers[:-1]][::-1], network[-2::-2], network[::-2], strict=True):
        active = layer.middle > 0
        integral = np.where(active, layer.offset * mass + layer.slope * moment, 0)
        gradient += [(delta * mass).sum(0).reshape(b.shape), delta.T @ integral]
        delta = np.where(active, delta @ w, 0)
    return gradient[::-1]


def gradient_norm(gradient: Sequence[np.ndarray]) -> float:
    """Return the largest entry of all weights and biases by size: the norm of Theorem 5."""
    return float(max(np.abs(part).max() for part in gradient))


def population_error(network: Network, p: Sequence[Number] | np.ndarray) -> Fraction:
    """Return the probability that sign f(x) is not y; f = 0 says -1. Raises as ``population_gradient`` does."""
    edges, layers = _pieces(network)
    positives, negatives = class_moments(edges, p)
    return Fraction(np.where(layers[-1].middle[:, 0] > 0, negatives[0], positives[0]).sum(), 2)


def _pieces(network: Network) -> tuple[np.ndarray, list[Layer]]:
    """Return the intervals on which the network is affine and crosses none of -1, 0, 1, and the layers on them."""
    edges = kinks(network)
    *_, output = affine_layers(network, edges)
    edges = refine(edges, output.offset - np.array([-1, 0, 1]), output.slope)
    return edges, list(affine_layers(network, edges))
