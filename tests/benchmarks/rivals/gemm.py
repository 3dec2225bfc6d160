"""The product of two matrices of 1000 x 1000: the rate that a training cannot exceed."""

from collections.abc import Callable

import numpy as np
import torch
from scipy.linalg import blas

SIZE = 1000


def version() -> str:
    return f"NumPy {np.__version__}, PyTorch {torch.__version__}"


def prepare(*, library: str, dtype: str) -> Callable[[], int]:
    """Return a function that multiplies, and says with how many operations."""
    a, b, c = (np.random.default_rng(i).standard_normal((SIZE, SIZE)).astype(dtype) for i in range(3))
    x, y, z = (torch.from_numpy(matrix) for matrix in (a, b, c))
    by_columns = [np.asfortranarray(matrix) for matrix in (a, b, c)]
    of_scipy = blas.sgemm if dtype == "float32" else blas.dgemm

    def multiply() -> int:
        if library == "numpy":
            np.matmul(a, b, out=c)
        elif library == "torch":
            torch.mm(x, y, out=z)
        else:
            of_scipy(1.0, by_columns[0], by_columns[1], 0.0, by_columns[2], overwrite_c=True)
        return 2 * SIZE**3

    return multiply
