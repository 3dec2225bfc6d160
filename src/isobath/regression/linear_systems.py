"""Linear systems with a Gram matrix: exact, by Cholesky, with the smallest jitter that works."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from scipy.linalg.lapack import dpotrf, dpotrs
from torch import Tensor

Inverse = Callable[[Tensor], Tensor]  # K^-1 times (n, K)

JITTERS = (0.0, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8)  # relative to the mean of the diagonal
TOLERANCE = 1e-8
REFINEMENTS = 2  # a first solution and a correction


class IllConditioned(ArithmeticError):
    """No rung of the jitter ladder gives a solution with a small residual."""


@dataclass(frozen=True)
class Solution:
    """Solution of a linear system: coefficients (n, K), the relative jitter that was needed, the relative residual."""

    coefficients: Tensor
    jitter: float
    residual: float


def solve(gram: Tensor, targets: Tensor, *, ridge: float = 0.0) -> Solution:
    """Solve (K / k + n lambda + jitter) k a = y by Cholesky with the smallest jitter that works.

    ``gram`` (n, n), K, is symmetric and kept; k is its mean diagonal, ``ridge`` is lambda; ``targets`` (n, K). A rung
    works when the factorisation succeeds and the residual is at most 1e-8 |y|. Raises IllConditioned.
    """
    unit = gram.diagonal().mean().item()
    factor = torch.empty_like(gram, memory_format=torch.contiguous_format)  # the matrix may be part of another
    cholesky = _by_torch if gram.is_cuda else _by_lapack
    for jitter in JITTERS:
        shift = (jitter + len(gram) * ridge) * unit
        factor.copy_(gram).diagonal().add_(shift)
        inverse = cholesky(factor)
        if inverse is None:
            continue
        coefficients = torch.zeros_like(targets)
        missing = targets
        for _ in range(REFINEMENTS):
            coefficients = coefficients + inverse(missing)
            missing = targets - gram @ coefficients - shift * coefficients
        missed, size = missing.norm().item(), targets.norm().item()
        if missed <= TOLERANCE * size:  # of targets that are all 0 nothing is missed
            return Solution(coefficients, jitter, missed / size if size else 0.0)
    raise IllConditioned(f"the Gram matrix of {len(gram)} samples is singular beyond a jitter of {JITTERS[-1]}")


def _by_lapack(matrix: Tensor) -> Inverse | None:
    """Return the inverse of a symmetric matrix (n, n) on the CPU, by Cholesky in its place; None if it is not positive.

    SciPy's, up to twice as fast as torch's. It takes contiguous columns: those of a symmetric matrix are its rows.
    """
    lower, failed = dpotrf(matrix.numpy().T, lower=True, clean=False, overwrite_a=True)

    def inverse(y: Tensor) -> Tensor:
        solution: Tensor = torch.from_numpy(dpotrs(lower, y.numpy(), lower=True)[0])
        return solution

    return None if failed else inverse


def _by_torch(matrix: Tensor) -> Inverse | None:
    """Return the inverse of a symmetric matrix (n, n) on any device, or None, as ``_by_lapack`` does."""
    lower = matrix.mT
    failed = torch.empty((), dtype=torch.int32, device=matrix.device)
    torch.linalg.cholesky_ex(lower, out=(lower, failed))

    def inverse(y: Tensor) -> Tensor:
        half = torch.linalg.solve_triangular(lower, y, upper=False)
        solution: Tensor = torch.linalg.solve_triangular(lower.mT, half, upper=True)
        return solution

    return None if failed.item() else inverse
