"""Affine maps W x + b, from which networks in closed form are put together."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor

Affine = tuple[np.ndarray, np.ndarray]  # W (out, in), b (out,)


def after(outer: Affine, inner: Affine) -> Affine:
    """Return the map that applies ``inner`` first."""
    (w, b), (v, c) = outer, inner
    return w @ v, w @ c + b


def network(layers: Sequence[Affine]) -> "list[Tensor]":
    """Return one perceptron (R = 1), float64, with ReLUs between these layers: w (1, out, in), b (1, 1, out)."""
    import torch  # noqa: PLC0415 (checking settings does without)

    return [torch.from_numpy(a.copy()) for w, b in layers for a in (w[None], b[None, None])]
