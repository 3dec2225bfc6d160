"""Kernel matrices of data sets in blocks, in bounded memory: Gram matrices and predictions."""

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from isobath.regression.gram import Profile, gram

ON_CPU, ON_GPU = 512, 8192  # rows and columns of a block, at the most
EACH = 12 * 8  # bytes of a pair: the recursion has 12 float64 matrices


def tile(columns: int, memory: float, device: torch.device) -> tuple[int, int]:
    """Return rows and columns of a block of a matrix of some ``columns`` whose recursion fits in ``memory`` bytes.

    On a CPU a block should stay in the cache, and be large beside the start of an operation (make bench).
    """
    across = min(columns, _most(device))
    return max(1, min(_most(device), int(memory / (EACH * across)))), across


def square(memory: float, device: torch.device) -> int:
    """Return the rows, and columns, of the largest square block that ``tile`` would allow."""
    return max(1, min(_most(device), math.isqrt(int(memory / EACH))))


def _most(device: torch.device) -> int:
    return ON_CPU if device.type == "cpu" else ON_GPU


def training_grams(profile: Profile, x: Tensor, *, depth: Sequence[int] | None, memory: float) -> Iterator[Tensor]:
    """Yield K(x, x), (n, n), of inputs (n, d) for each depth, filled in blocks up to the diagonal and mirrored.

    As many depths are made in one pass as fit in half of ``memory`` bytes, at least one: the
    other half is for the factor. A yielded matrix may be overwritten by the caller.
    """
    n = len(x)
    together = max(1, int(memory / 2 / (8 * n * n)))
    side = min(n, square(memory / 8, x.device))
    starts = range(0, n, side)
    chunks: list[Sequence[int] | None] = [None]
    if depth is not None:
        chunks = [depth[i : i + together] for i in range(0, len(depth), together)]
    for chunk in chunks:
        grams = [x.new_empty((n, n), dtype=torch.float64) for _ in chunk or (0,)]
        for i, j in ((i, j) for i in starts for j in starts if j <= i):
            rows, columns = slice(i, i + side), slice(j, j + side)
            blocks = gram(profile, x[rows], x[columns], depth=chunk)
            for matrix, block in zip(grams, blocks, strict=True):
                matrix[rows, columns] = block
                if i != j:
                    matrix[columns, rows] = block.T
        while grams:
            yield grams.pop(0)


def predictions(
    profile: Profile,
    x: Tensor,
    train: Tensor,
    coefficients: Sequence[Tensor],
    *,
    depth: Sequence[int] | None,
    memory: float,
) -> Iterator[Tensor]:
    """Yield f(x), (depths, rows, K), for blocks of x, from kernel blocks of at most ``memory`` bytes.

    ``coefficients`` are those of each depth, (n, K), on the inputs ``train`` (n, d).
    """
    rows, columns = tile(len(train), memory, x.device)
    for block in torch.split(x, rows):
        f = train.new_zeros((len(coefficients), len(block), coefficients[0].shape[1]), dtype=torch.float64)
        for start in range(0, len(train), columns):
            part = slice(start, start + columns)
            grams = gram(profile, block, train[part], depth=depth)
            for i, (matrix, a) in enumerate(zip(grams, coefficients, strict=True)):
                f[i].addmm_(matrix, a[part])
        yield f
