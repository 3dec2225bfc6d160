"""Matrix products of a stack, network by network on a CPU and batched on a GPU. Units are rows, samples columns.

On a CPU NumPy's loop over the networks calls its BLAS once for each, at less than a microsecond a call, and
SciPy's ``gemm`` adds to what is there: an update of weights is one product. This is faster than torch's batched
products (make bench), and what it gives for a network cannot depend on its stack. With several threads torch's
products share the networks out, and a GPU makes all in one call.
"""

from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

GEMM = {torch.float32: "sgemm", torch.float64: "dgemm"}
ONEDNN = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")  # type: ignore[no-untyped-call]

# Multiplications of one network, measured on layers of 10 to 2000 units and batches of 50 and 100:
WORTH_A_CALL = 50_000  # above which gemm costs less than adding up what matmul gives
LARGE = 10_000_000  # above which oneDNN is as fast as the best BLAS, and faster than one without wide vectors

PLAIN: Any = (None, "none", [], "")  # no bias, no activation


def one_by_one(like: Tensor) -> bool:
    """Return whether products are made network by network."""
    return like.device.type == "cpu" and like.dtype in GEMM and torch.get_num_threads() == 1


def large(a: Tensor, b: Tensor) -> bool:
    """Return whether products of these sizes, a matter of the layer alone, are left to oneDNN."""
    return a.shape[1] * a.shape[2] * b.shape[2] >= LARGE and a.dtype == torch.float32 and ONEDNN


@np.errstate(all="ignore")  # networks that diverge are noticed by what they give
def product(a: Tensor, b: Tensor, out: Tensor) -> Tensor:
    """Set out to a b: (R, n, k), (R, k, m) -> (R, n, m)."""
    if not one_by_one(a):
        return torch.bmm(a, b, out=out)
    if large(a, b):
        for r in range(len(a)):
            out[r] = _by_onednn(a[r], b[r])
    else:
        np.matmul(a.numpy(), b.numpy(), out=out.numpy())
    return out


def affine(w: Tensor, z: Tensor, b: Tensor, out: Tensor, *, alpha: float, beta: float) -> Tensor:
    """Set out to alpha w z + beta b: (R, out, in), (R, in, n), (R, 1, out) -> (R, out, n)."""
    bias = b.transpose(1, 2)
    if not one_by_one(z):
        return torch.baddbmm(bias, w, z, alpha=alpha, beta=beta, out=out)
    product(w, z, out)
    if alpha != 1:
        out.mul_(alpha)
    return out.add_(bias, alpha=beta)


def outer(delta: Tensor, z: Tensor, into: Tensor, *, alpha: float, accumulate: bool) -> None:
    """Set into to alpha delta z', or add it with ``accumulate``: (R, out, n), (R, in, n) -> (R, out, in)."""
    samples = z.transpose(1, 2)
    if not one_by_one(delta):
        torch.baddbmm(into, delta, samples, alpha=alpha, beta=float(accumulate), out=into)
    elif not accumulate:
        product(delta, samples, into)
        if alpha != 1:
            into.mul_(alpha)
    elif into.is_contiguous() and delta[0].numel() * z.shape[1] >= WORTH_A_CALL:
        _add_outer(delta, z, into, alpha)
    else:
        into.add_(product(delta, samples, torch.empty_like(into)), alpha=alpha)


def _add_outer(delta: Tensor, z: Tensor, into: Tensor, alpha: float) -> None:
    """Add alpha delta z' in place; transposed, as Fortran sees matrices that lie by rows: into' += alpha z delta'."""
    if large(delta, z.transpose(1, 2)):
        for r in range(len(into)):
            into[r].add_(_by_onednn(delta[r], z[r].T), alpha=alpha)
        return
    gemm = _gemm(GEMM[into.dtype])
    for y, x, c in zip(delta.numpy(), z.numpy(), into.numpy(), strict=True):
        by_rows = x.flags.c_contiguous
        gemm(alpha, x.T if by_rows else x, y.T, 1.0, c.T, trans_a=by_rows, overwrite_c=True)


def _by_onednn(a: Tensor, b: Tensor) -> Tensor:
    """Return a b: (n, k), (k, m) -> (n, m). oneDNN makes x w', and is slow where neither lies in memory by rows."""
    linear = torch.ops.mkldnn._linear_pointwise
    result: Tensor = linear(a, b.T, *PLAIN) if a.stride(1) == 1 else linear(b.T, a, *PLAIN).T
    return result


@cache
def _gemm(name: str) -> Any:
    from scipy.linalg import blas  # noqa: PLC0415 (0.2 s, which small layers do not need)

    return getattr(blas, name)
