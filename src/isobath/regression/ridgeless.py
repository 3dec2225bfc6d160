"""Kernel regression without ridge (Mori & Ueda, eq. 11), exact, in blocks, in bounded memory.

    f(x) = sum_{mu, nu} Theta(x, x_mu) (K^-1)_{mu nu} y_nu

For K = 2 classes, regression on one-hot targets with argmax equals regression on +-1 with the
sign; the general form is kept, with targets (n, K).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from scipy.linalg.lapack import dpotrf, dpotrs
from torch import Tensor

Inverse = Callable[[Tensor], Tensor]  # K^-1 times (n, K)
Gram = Callable[..., Iterator[Tensor]]  # kernels/<kind>.gram with its settings bound

JITTERS = (0.0, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8)  # relative to the mean of the diagonal
TOLERANCE = 1e-8
REFINEMENTS = 2  # a first solution and a correction


class IllConditioned(ArithmeticError):
    """No rung of the jitter ladder gives a solution with a small residual."""


@dataclass(frozen=True)
class Solution:
    """K^-1 y: coefficients (n, K), the relative jitter that was needed, the relative residual."""

    coefficients: Tensor
    jitter: float
    residual: float


def solve(gram: Tensor, targets: Tensor) -> Solution:
    """Solve (K + jitter) a = y by Cholesky with the smallest jitter that works.

    ``gram`` (n, n) is symmetric and kept; ``targets`` (n, K). A rung works when the
    factorisation succeeds and |(K + jitter) a - y| <= 1e-8 |y|. Raises IllConditioned.
    """
    unit = gram.diagonal().mean().item()
    factor = torch.empty_like(gram)
    cholesky = _by_torch if gram.is_cuda else _by_lapack
    for jitter in JITTERS:
        factor.copy_(gram).diagonal().add_(jitter * unit)
        inverse = cholesky(factor)
        if inverse is None:
            continue
        coefficients = torch.zeros_like(targets)
        missing = targets
        for _ in range(REFINEMENTS):
            coefficients = coefficients + inverse(missing)
            missing = targets - gram @ coefficients - jitter * unit * coefficients
        residual = (missing.norm() / targets.norm()).item()
        if residual <= TOLERANCE:
            return Solution(coefficients, jitter, residual)
    raise IllConditioned(f"the Gram matrix of {len(gram)} samples is singular beyond a jitter of {JITTERS[-1]}")


def _by_lapack(matrix: Tensor) -> Inverse | None:
    """The inverse of a symmetric matrix (n, n) on the CPU, by Cholesky in its place; None if it is not positive.

    SciPy's, up to twice as fast as torch's. It takes contiguous columns: those of a symmetric matrix are its rows.
    """
    lower, failed = dpotrf(matrix.numpy().T, lower=True, clean=False, overwrite_a=True)

    def inverse(y: Tensor) -> Tensor:
        solution: Tensor = torch.from_numpy(dpotrs(lower, y.numpy(), lower=True)[0])
        return solution

    return None if failed else inverse


def _by_torch(matrix: Tensor) -> Inverse | None:
    """The same on any device."""
    lower = matrix.mT
    failed = torch.empty((), dtype=torch.int32, device=matrix.device)
    torch.linalg.cholesky_ex(lower, out=(lower, failed))

    def inverse(y: Tensor) -> Tensor:
        half = torch.linalg.solve_triangular(lower, y, upper=False)
        solution: Tensor = torch.linalg.solve_triangular(lower.mT, half, upper=True)
        return solution

    return None if failed.item() else inverse


def tile(columns: int, memory: float, device: torch.device) -> tuple[int, int]:
    """Rows and columns of a block whose recursion (8 float64 matrices) fits in ``memory`` bytes.

    On a CPU a block should stay in the cache: 256 x 256 is the fastest (make bench).
    """
    side = 256 if device.type == "cpu" else 8192
    across = min(columns, side)
    return max(1, min(side, int(memory / (8 * 8 * across)))), across


def training_grams(gram: Gram, x: Tensor, *, depth: Sequence[int], memory: float) -> Iterator[Tensor]:
    """K for each depth, (n, n), filled in blocks up to the diagonal and mirrored.

    As many depths are made in one pass as fit in half of ``memory`` bytes, at least one: the
    other half is for the factor. A yielded matrix may be overwritten by the caller.
    """
    n = len(x)
    together = max(1, int(memory / 2 / (8 * n * n)))
    side = min(tile(n, memory / 8, x.device))
    starts = range(0, n, side)
    for first in range(0, len(depth), together):
        chunk = depth[first : first + together]
        grams = [x.new_empty((n, n), dtype=torch.float64) for _ in chunk]
        for i, j in ((i, j) for i in starts for j in starts if j <= i):
            rows, columns = slice(i, i + side), slice(j, j + side)
            blocks = gram(x[rows], x[columns], depth=chunk, diagonal=0 if i == j else None)
            for matrix, block in zip(grams, blocks, strict=True):
                matrix[rows, columns] = block
                if i != j:
                    matrix[columns, rows] = block.T
        while grams:
            yield grams.pop(0)


def predictions(
    gram: Gram, x: Tensor, train: Tensor, coefficients: Sequence[Tensor], *, depth: Sequence[int], memory: float
) -> Iterator[Tensor]:
    """f(x) for blocks of x: (len(depth), rows, K), from kernel blocks of at most ``memory`` bytes."""
    rows, columns = tile(len(train), memory, x.device)
    for block in torch.split(x, rows):
        f = train.new_zeros((len(depth), len(block), coefficients[0].shape[1]), dtype=torch.float64)
        for start in range(0, len(train), columns):
            part = slice(start, start + columns)
            grams = gram(block, train[part], depth=depth)
            for i, (matrix, a) in enumerate(zip(grams, coefficients, strict=True)):
                f[i].addmm_(matrix, a[part])
        yield f


def test_errors(
    gram: Gram,
    train: tuple[Tensor, Tensor],
    test: tuple[Tensor, Tensor],
    *,
    depth: Sequence[int],
    memory: float,
) -> dict[str, np.ndarray]:
    """Regress the labels of ``train`` (inputs (n, d), labels (n,)) and classify ``test`` by argmax.

    Returns test_error, jitter and residual, each (len(depth),). ``memory`` in bytes bounds the
    matrices: the largest is the Gram matrix with its factor, 16 n^2 bytes, whatever the test set.
    """
    (x, y), (x_test, y_test) = train, test
    targets = torch.nn.functional.one_hot(y, max(2, int(y.max()) + 1)).double()
    targets = targets - targets.mean(1, keepdim=True)  # argmax is blind to it, and +-1/2 is better conditioned
    solutions = [solve(matrix, targets) for matrix in training_grams(gram, x, depth=depth, memory=memory)]
    coefficients = [solution.coefficients for solution in solutions]
    wrong, start = np.zeros(len(depth)), 0
    for f in predictions(gram, x_test, x, coefficients, depth=depth, memory=memory / 4):
        stop = start + f.shape[1]
        wrong += (f.argmax(2) != y_test[start:stop]).sum(1).cpu().numpy()
        start = stop
    return {
        "test_error": wrong / len(y_test),
        "jitter": np.array([solution.jitter for solution in solutions]),
        "residual": np.array([solution.residual for solution in solutions]),
    }
