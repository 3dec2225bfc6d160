"""Matrix products of a stack: all networks in one batched call, or one by one where a faster kernel exists.

For float32 on a CPU torch has two: the batched products of its BLAS, best for small layers, and
oneDNN's, which use the full width of the vector units on processors where the BLAS does not (twice
as fast there), but take one network at a time. Which of the two serves is a matter of the layer's size
alone, so that a network does not depend on its stack.
"""

import torch
from torch import Tensor

# Multiplications of one network above which oneDNN is the faster (make bench; layers of 100 x 500, batches of 50).
LARGE = 2_000_000


def one_by_one(fan_in: int, fan_out: int, batch: int, like: Tensor) -> bool:
    """Whether products of this size are made network by network with oneDNN."""
    supported = like.device.type == "cpu" and like.dtype == torch.float32 and torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    return bool(supported and fan_in * fan_out * batch >= LARGE and hasattr(torch.ops.mkldnn, "_linear_pointwise"))


def _linear(x: Tensor, w: Tensor, b: Tensor | None = None, activation: str = "none") -> Tensor:
    """Return x w' + b for one network: (n, in), (out, in), (out,) -> (n, out)."""
    product: Tensor = torch.ops.mkldnn._linear_pointwise(x, w, b, activation, [], "")
    return product


def affine_relu(z: Tensor, w: Tensor, b: Tensor, out: Tensor, *, alpha: float = 1.0, beta: float = 1.0) -> None:
    """Set out to relu(alpha z w' + beta b): (R, n, in), (R, out, in), (R, 1, out) -> (R, n, out)."""
    if not one_by_one(w.shape[2], w.shape[1], z.shape[1], z):
        torch.baddbmm(b, z, w.transpose(1, 2), alpha=alpha, beta=beta, out=out).relu_()
        return
    for r in range(len(w)):
        if alpha == 1 == beta:
            out[r] = _linear(z[r], w[r], b[r, 0], "relu")
        else:
            torch.add(b[r] * beta, _linear(z[r], w[r]), alpha=alpha, out=out[r]).relu_()


def lower(delta: Tensor, w: Tensor, out: Tensor, *, alpha: float = 1.0) -> None:
    """Set out to alpha delta w, a derivative by a layer's input: (R, n, out), (R, out, in) -> (R, n, in)."""
    if not one_by_one(w.shape[2], w.shape[1], delta.shape[1], delta):
        torch.baddbmm(out, delta, w, alpha=alpha, beta=0, out=out)
        return
    for r in range(len(w)):
        torch.mul(_linear(delta[r], w[r].T), alpha, out=out[r])


def outer(delta: Tensor, z: Tensor, into: Tensor, *, alpha: float, keep: bool) -> None:
    """Set into to alpha delta' z, or add it with ``keep``: (R, n, out), (R, n, in) -> (R, out, in)."""
    if not one_by_one(z.shape[2], delta.shape[2], z.shape[1], delta):
        torch.baddbmm(into, delta.transpose(1, 2), z, alpha=alpha, beta=float(keep), out=into)
        return
    for r in range(len(delta)):
        product = _linear(delta[r].T, z[r].T)
        if keep:
            into[r].add_(product, alpha=alpha)
        else:
            torch.mul(product, alpha, out=into[r])
