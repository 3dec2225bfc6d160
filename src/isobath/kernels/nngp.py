"""The kernel of the Gaussian process that an infinitely wide ReLU network starts as (Mori & Ueda, eq. 12)."""

from collections.abc import Iterator, Sequence
from typing import Literal

from torch import Tensor

from isobath.regression.arc_cosine import recursion
from isobath.settings import NonNegative


def gram(
    x: Tensor,
    y: Tensor,
    *,
    depth: Sequence[int],
    diagonal: int | None = None,
    beta: NonNegative = 0.1,
    input_variance: Literal[1, 2] = 1,
) -> Iterator[Tensor]:
    """Sigma^(L)(x, y), (n, m) float64, for each L of the increasing ``depth``, in one pass.

    A yielded matrix is overwritten by the next. The settings are those of the NTK.
    """
    passes = recursion(x, y, beta=beta, input_variance=input_variance, diagonal=diagonal)
    for level, (sigma, _) in zip(range(max(depth) + 1), passes, strict=False):
        if level in depth:
            yield sigma
