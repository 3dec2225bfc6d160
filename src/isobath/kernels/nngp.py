"""The kernel of the Gaussian process that an infinitely wide ReLU network starts as (Mori & Ueda, eq. 12)."""

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
    """Yield Sigma^(L), (n, m), for each L of the increasing ``depth``.

    The settings are those of the NTK. With beta 0 it is the kernel of random features of Bietti & Bach with L + 1
    layers, times |x||y| input_variance / d. Their ``first_bias`` makes it (1 + u) kappa_1(u), which is known for
    depth 1 alone. A yielded array is overwritten by the next, and must not be written into.
    """
    accept(depth, first_bias=first_bias)
    steps = arc_cosine.layers(pairs, beta=beta, input_variance=input_variance)
    for level, (sigma, _) in zip(range(max(depth) + 1), steps, strict=False):
        if level in depth:
            yield sigma * pairs.f if first_bias else sigma


def accept(depth: Sequence[int], *, first_bias: bool, **_: object) -> None:
    """Refuse a bias of the first layer alone at other depths than 1 (ValueError)."""
    if first_bias and set(depth) != {1}:
        raise ValueError(f"first_bias is true and depth is {list(depth)}; first_bias needs depth: [1]")


def singularities(*, depth: int, first_bias: bool, **settings: Any) -> Singularities:
    """Return the singularities of a depth of 1 or more, of nu = 3/2: those of kappa_1, in every layer.

    The factor 1 + u of ``first_bias`` is 2 at u = 1, and leaves no (1 + u)^(3/2).
    """
    at_one, at_minus_one = relu_singularities.of_covariance(depth, **settings)
    return Singularities(1.5, *((2 * at_one, 0.0) if first_bias else (at_one, at_minus_one)))
