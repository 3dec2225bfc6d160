"""The neural tangent kernel of fully connected ReLU networks (Mori & Ueda, eq. 14)."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from isobath.regression import arc_cosine, relu_singularities
from isobath.regression.functions import Array
from isobath.regression.pairs import Pairs
from isobath.settings import NonNegative
from isobath.spectra.decay import Singularities

check = arc_cosine.check


def profile(
    pairs: Pairs,
    *,
    depth: Sequence[int],
    beta: NonNegative = 0.1,
    input_variance: Literal[1, 2] = 1,
    first_bias: bool = False,
) -> Iterator[Array]:
    """Yield Theta^(L), (n, m), for each L of the increasing ``depth``: Theta_l = Theta_{l-1} dSigma^(l) + Sigma^(l).

    L is the number of hidden layers; eq. 14 as printed needs dSigma^(L+1) := 1. ``input_variance`` is 1 for eq. 12
    as printed, which the paper presumably plots, 2 for the initialisation that the paper states. With beta 0 it is the
    kernel of Bietti & Bach with L + 1 layers, times |x||y| input_variance / d. Their ``first_bias`` makes Theta_0 the
    kernel 1 + u, and leaves Sigma as it is. A yielded array is overwritten by the next.
    """
    theta = (first_bias * input_variance / pairs.dimension) * pairs.x * pairs.y
    steps = arc_cosine.layers(pairs, beta=beta, input_variance=input_variance)
    for level, (sigma, half_angle) in zip(range(max(depth) + 1), steps, strict=False):
        if level > 0:
            pairs.ops.add_product(theta, theta, half_angle, scale=-2 / pairs.ops.pi, out=theta)
        theta += sigma
        if level in depth:
            yield theta


def singularities(*, depth: int, **settings: Any) -> Singularities:
    """Return the singularities of a depth of 1 or more, of nu = 1/2: those of kappa_0, in every layer."""
    return Singularities(0.5, *relu_singularities.of_tangent(depth, **settings))
