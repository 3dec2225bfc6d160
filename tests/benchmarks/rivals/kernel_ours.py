"""The NTK by isobath at all depths in one pass, in blocks that stay in the cache."""

from collections.abc import Callable
from importlib import import_module

import numpy as np
import torch

from isobath.kernels import ntk
from isobath.regression.blocks import ON_CPU as BLOCK
from isobath.regression.gram import gram


def version() -> str:
    return f"PyTorch {torch.__version__}, NumPy {import_module('numpy').__version__}"


def prepare(x: np.ndarray, y: np.ndarray, depth: int) -> Callable[[], np.ndarray]:
    """Return a function for the kernel (n, m) of the last depth, which reckons all depths up to it."""
    rows, columns, out = torch.from_numpy(x), torch.from_numpy(y), torch.empty(len(x), len(y), dtype=torch.float64)

    def kernel() -> np.ndarray:
        for i in range(0, len(x), BLOCK):
            for j in range(0, len(y), BLOCK):
                grams = gram(ntk.profile, rows[i : i + BLOCK], columns[j : j + BLOCK], depth=range(depth + 1))
                *_, out[i : i + BLOCK, j : j + BLOCK] = grams
        return out.numpy()

    return kernel
