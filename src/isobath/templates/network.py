"""Quadratic networks: f(x) = A (W x)^2, with one hidden layer of squares whatever the depth.

- ``scale``: standard deviation of a weight at the start, times the root of its fan
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from isobath.settings import Positive


def init(
    generators: Sequence[np.random.Generator],
    *,
    n_inputs: int,
    n_outputs: int,
    depth: int,
    width: int,
    dtype: torch.dtype = torch.float32,
    scale: Positive = 1.0,
) -> list[Tensor]:
    """Return the starts of R networks: W (R, H, d) and A (R, K, H), normal with the variance scale^2 / fan_in."""
    shapes = ((width, n_inputs), (n_outputs, width))
    starts = [[scale * g.standard_normal(shape) / shape[1] ** 0.5 for shape in shapes] for g in generators]
    return [torch.from_numpy(np.stack(weights)).to(dtype) for weights in zip(*starts, strict=True)]


def apply(weights: list[Tensor], x: Tensor, *, scale: float = 1.0) -> Tensor:
    """Return f(x), (R, n, K), for inputs (n, d) shared by the stack or (R, n, d)."""
    w, a = weights
    return (x @ w.transpose(1, 2)).square() @ a.transpose(1, 2)
