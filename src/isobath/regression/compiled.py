"""One layer of the ReLU kernels in compiled code: all formulas of ``regression.arc_cosine`` in one loop over the pairs.

An operation on whole arrays is a walk through the cache, of which a layer takes sixteen. The loop is one, of vector
instructions. Its arctangent has no branch and no table, so that the compiler can do that. The compiler may not change
the order or the rounding of operations: a pair has the same value, to the bit, wherever in a block it lies.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numba
import numpy as np
import torch
from numba import types
from numba.extending import intrinsic

from isobath.compilation import cache_of
from isobath.regression.functions import TINY, Array

HALF_PI, OVER_PI = math.pi / 2, 1 / math.pi


def _cached(function: Any) -> Any:
    """Return a function whose compiled code is kept on disk, in a folder that is named by the code of regressions."""
    compiled, folder = numba.njit(function, error_model="numpy", nogil=True), numba.config.CACHE_DIR
    numba.config.CACHE_DIR = cache_of("numba-regression", "regression")
    compiled.enable_caching()
    numba.config.CACHE_DIR = folder
    return compiled


@intrinsic  # type: ignore[untyped-decorator]
def _fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, rounded once."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.fma(*values)

    return types.float64(types.float64, types.float64, types.float64), codegen


@numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
def _arctan(t: Any) -> Any:
    """Return arctan t for 0 <= t <= 1, to two units in the last place.

    It is t + t^3 p(t^2), where p of degree 20 meets (arctan t / t - 1) / t^2 at Chebyshev points, and is within 5e-18
    of it. Even and odd powers are summed apart, so that the processor need not wait for one sum.
    """
    s = t * t
    w = s * s
    even, odd = -1.1832505417555692e-05, 0.0001368724853148122
    even, odd = _fma(even, w, -0.0007518472526973822), _fma(odd, w, 0.002622977891906089)
    even, odd = _fma(even, w, -0.006575683344151699), _fma(odd, w, 0.012756172907694298)
    even, odd = _fma(even, w, -0.020238706986393514), _fma(odd, w, 0.027567942297344678)
    even, odd = _fma(even, w, -0.033750132001619734), _fma(odd, w, 0.03872640214042632)
    even, odd = _fma(even, w, -0.04308119655330471), _fma(odd, w, 0.04752086773576656)
    even, odd = _fma(even, w, -0.05261265735709454), _fma(odd, w, 0.05882074956371294)
    even, odd = _fma(even, w, -0.06666636435777692), _fma(odd, w, 0.07692305354678655)
    even, odd = _fma(even, w, -0.09090908969557403), _fma(odd, w, 0.11111111107234799)
    even, odd = _fma(even, w, -0.14285714285648404), _fma(odd, w, 0.19999999999999554)
    even = _fma(even, w, -0.3333333333333333)
    return _fma(t * s, _fma(odd, s, even), t)


@_cached
def fill_layer(z: Any, y: Any, sigma: Any, half_angle: Any, q: Any, p: Any, beta: float) -> None:
    """Fill the arrays z, y, Sigma and theta / 2, (n, m), as ``arc_cosine._layer`` does."""
    r, s = np.sqrt(q + beta**2), np.sqrt(p + beta**2)
    sum_r, sum_s = np.sqrt(q) + r, np.sqrt(p) + s
    u = beta / np.sqrt(np.maximum(4 * sum_r, TINY))  # without a bias the sums of a zero vector are 0
    v = 1 / np.sqrt(np.maximum(sum_s, TINY))
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            small, large = max(min(z[i, j], y[i, j]), 0.0), max(z[i, j], y[i, j], TINY)
            t = math.sqrt(small / large)  # tan(theta / 2), or its inverse at obtuse angles; t large is t y of both
            angle = _arctan(t)
            if z[i, j] > y[i, j]:
                angle = HALF_PI - angle
            gap = (sum_r[i, 0] - sum_s[0, j]) * u[i, 0] * v[0, j]
            norm = r[i, 0] * s[0, j]
            new = _fma(gap, gap, _fma(OVER_PI, _fma(angle, sigma[i, j], -t * large), z[i, j]))
            z[i, j], y[i, j], sigma[i, j], half_angle[i, j] = new, norm - new, norm - 2 * new, angle


@cache
def _threads(number: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(number)


def relu_layer(z: Array, y: Array, sigma: Array, half_angle: Array, q: Array, p: Array, beta: float) -> None:
    """Write the next layer in the place of the last one, as ``arc_cosine._layer``: float64 tensors of a CPU.

    The rows are shared among as many threads as torch has.
    """
    *of_rows, columns = (tensor.numpy() for tensor in (z, y, sigma, half_angle, q, p))
    threads = torch.get_num_threads()
    if threads == 1:
        fill_layer(*of_rows, columns, beta)
        return
    shares = [np.array_split(array, threads) for array in of_rows]
    list(_threads(threads).map(lambda share: fill_layer(*share, columns, beta), zip(*shares, strict=True)))
