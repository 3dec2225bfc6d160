"""Kernel matrices: the profile of a kernel on all pairs of two sets of inputs, with torch in float64."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isobath.plugin_arrays import refused, shaped
from isobath.regression.compiled import relu_layer
from isobath.regression.functions import TINY, Functions
from isobath.regression.pairs import Pairs

NEAR = 0.01  # deficits of the cosine below this are computed anew from the difference of the inputs
GATHERED = {"cpu": 2**17, "cuda": 2**23}  # numbers gathered at once for that: those that stay in a cache, or few passes
# NumPy uses these instructions for roots and arctangents on every processor that has them; torch is up to four times
# as slow on some.
NUMPY_IS_FASTER = torch.backends.cpu.get_cpu_capability() == "AVX512"

Profile = Callable[..., Any]  # kernels/<kind>.profile with its settings bound


def gram(profile: Profile, x: Tensor, y: Tensor, *, depth: Sequence[int] | None = None) -> Iterator[Tensor]:
    """Yield K(x, y), (n, m) float64, of inputs (n, d) and (m, d) for each of the increasing depths, in one pass.

    A yielded matrix is overwritten by the next. ``depth`` is None for a kernel that has none: it has one matrix.
    """
    pairs = all_pairs(x.double(), y.double())
    for matrix in [profile(pairs)] if depth is None else profile(pairs, depth=depth):
        if not isinstance(matrix, Tensor) or matrix.dtype != torch.float64:
            of_type = getattr(matrix, "dtype", type(matrix).__name__)
            raise refused(profile, f"a matrix of the type {of_type}", "torch.float64, as its pairs are")
        yield shaped(profile, matrix, (len(x), len(y)), "a matrix")


def all_pairs(x: Tensor, y: Tensor) -> Pairs:
    """Return the pairs of x (n, d) and y (m, d), float64, with 1 - u and 1 + u accurate near 0.

    Equal inputs have 1 - u = 0 exactly.
    """
    norms = [torch.linalg.vector_norm(inputs, dim=1, keepdim=True) for inputs in (x, y)]
    (x, r), (y, s) = (_scaled(inputs, norm) for inputs, norm in zip((x, y), norms, strict=True))
    e, f = x.new_empty((2, len(x), len(y)))
    torch.addmm(x.new_ones(()), x / r, (y / s).T, alpha=-1, out=e)
    torch.sub(x.new_full((), 2), e, out=f)
    for deficit, opposite in ((e, y), (f, -y)):
        if deficit.min() < NEAR:
            _recompute_small(deficit, x, opposite, r, s)
    return Pairs(x=norms[0], y=norms[1].T, e=e, f=f, dimension=x.shape[1], ops=TORCH if x.is_cuda else ON_CPU)


def _scaled(x: Tensor, norm: Tensor) -> tuple[Tensor, Tensor]:
    """Return inputs times a power of 2 that brings their norms into [1/2, 1), and these norms (n, 1); 0 stays 0."""
    positive = norm.clamp(min=TINY)
    mantissa = torch.frexp(positive).mantissa
    return x * (mantissa / positive), mantissa


def _recompute_small(deficit: Tensor, x: Tensor, y: Tensor, r: Tensor, s: Tensor) -> None:
    """Overwrite 1 - u (n, m) where it is small by |x/r - y/s|^2 / 2, for inputs of norms r (n, 1) and s (m, 1).

    The difference is (h - (r - s) y/s) / r with h = x - y and r - s = h.(x + y) / (r + s): relative to 1 - u it keeps
    all digits, as h does.
    """
    rows, columns = (deficit < NEAR).nonzero(as_tuple=True)
    size = max(1, GATHERED[x.device.type] // x.shape[1])
    for i, j in zip(torch.split(rows, size), torch.split(columns, size), strict=True):
        h = x[i] - y[j]
        difference_of_norms = (h * (x[i] + y[j])).sum(1, keepdim=True) / (r[i] + s[j])
        across = h.addcmul_(difference_of_norms / s[j], y[j], value=-1)
        deficit[i, j] = across.div_(r[i]).square().sum(1) / 2


def _root_of_ratio(a: Tensor, b: Tensor, *, out: Tensor) -> Tensor:
    torch.div(a, b.clamp_(min=TINY), out=out).clamp_(min=0, max=1 / TINY)
    return _fastest(np.sqrt, torch.sqrt, out, out=out)


def _arctan(z: Tensor, *, out: Tensor) -> Tensor:
    return _fastest(np.arctan, torch.atan, z, out=out)


def _fastest(by_numpy: np.ufunc, by_torch: Callable[..., Tensor], z: Tensor, *, out: Tensor) -> Tensor:
    if not NUMPY_IS_FASTER or z.is_cuda:
        return by_torch(z, out=out)
    by_numpy(z.numpy(), out=out.numpy())
    return out


def _add_product(a: Tensor, b: Tensor, c: Tensor | float, *, out: Tensor, scale: float = 1) -> Tensor:
    if isinstance(c, Tensor):
        return torch.addcmul(a, b, c, value=scale, out=out)
    return torch.add(a, b, alpha=scale * c, out=out)


def _workspace(a: Tensor, k: int) -> Tensor:
    return a.new_empty((k, *a.shape))  # in one piece: pieces would go back to the system with every block


TORCH = Functions(
    pi=math.pi,
    sqrt=torch.sqrt,
    exp=torch.exp,
    sin=torch.sin,
    arctan=_arctan,
    root_of_ratio=_root_of_ratio,
    multiply=torch.mul,
    subtract=torch.sub,
    add_product=_add_product,
    workspace=_workspace,
)
ON_CPU = replace(TORCH, relu_layer=relu_layer)
