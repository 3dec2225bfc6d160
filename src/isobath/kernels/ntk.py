"""The neural tangent kernel of fully connected ReLU networks (Mori & Ueda, eq. 14)."""

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
    """Theta^(L)(x, y), (n, m) float64, for each L of the increasing ``depth``, in one pass.

    A yielded matrix is overwritten by the next. ``input_variance`` is 1 for eq. 12 as printed,
    which the paper plots, 2 for the initialisation that the paper states.
    """
    passes = recursion(x, y, beta=beta, input_variance=input_variance, diagonal=diagonal)
    for level, (_, theta) in zip(range(max(depth) + 1), passes, strict=False):
        if level in depth:
            yield theta
