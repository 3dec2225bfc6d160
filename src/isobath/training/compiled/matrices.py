"""Products of matrices in compiled code, by the BLAS that comes with SciPy.

Numba's own ``np.dot`` neither scales nor adds to what is there; the BLAS does: an update of weights is one product.
"""

from collections.abc import Callable
from typing import Any, cast

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import get_cython_function_address, intrinsic

compiled = cast("Callable[[Any], Any]", numba.njit(cache=True, error_model="numpy", nogil=True))

INTEGER, CHARACTER = ir.IntType(32), ir.IntType(8)
NOT_TRANSPOSED, TRANSPOSED = ord("N"), ord("T")


# Addresses of the function gemm, by the type of numbers. SciPy's BLAS is loaded here, before a job limits its threads.
GEMM = {
    "float32": get_cython_function_address("scipy.linalg.cython_blas", "sgemm"),
    "float64": get_cython_function_address("scipy.linalg.cython_blas", "dgemm"),
}


@intrinsic  # type: ignore[untyped-decorator]
def _gemm(
    typing_context: Any,
    address: Any,
    transa: Any,
    transb: Any,
    m: Any,
    n: Any,
    k: Any,
    alpha: Any,
    a: Any,
    lda: Any,
    b: Any,
    ldb: Any,
    beta: Any,
    c: Any,
    ldc: Any,
) -> Any:
    """Call gemm of the BLAS, whose arguments are all addresses: c (m, n) = alpha op(a) op(b) + beta c, by columns."""
    index, number = types.intp, a.dtype
    signature = types.void(index, index, index, index, index, index, number, a, index, b, index, number, c, index)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        def stored(value: Any) -> Any:
            slot = cgutils.alloca_once(builder, value.type)
            builder.store(value, slot)
            return slot

        def integer(i: int, of_type: Any = INTEGER) -> Any:
            return stored(builder.trunc(values[i], of_type))

        def data(i: int) -> Any:
            return context.make_array(signature.args[i])(context, builder, values[i]).data

        flags, sizes = [integer(1, CHARACTER), integer(2, CHARACTER)], [integer(i) for i in (3, 4, 5)]
        factors = [data(7), integer(8), data(9), integer(10)]
        arguments = [*flags, *sizes, stored(values[6]), *factors, stored(values[11]), data(12), integer(13)]
        function = ir.FunctionType(ir.VoidType(), [argument.type for argument in arguments])
        builder.call(builder.inttoptr(values[0], function.as_pointer()), arguments)
        return context.get_dummy_value()

    return signature, codegen


@compiled
def layer(address: int, x: Any, w: Any, out: Any, samples: int, n_in: int, n_out: int, factor: float) -> None:
    """Set out (samples, n_out) to factor x w', of x (samples, n_in) and w (n_out, n_in), all flat and by rows."""
    _gemm(address, TRANSPOSED, NOT_TRANSPOSED, n_out, samples, n_in, factor, w, n_in, x, n_in, 0.0, out, n_out)


@compiled
def layer_input(address: int, delta: Any, w: Any, out: Any, samples: int, n_in: int, n_out: int, factor: float) -> None:
    """Set out (samples, n_in) to factor delta w, of delta (samples, n_out) and w (n_out, n_in)."""
    _gemm(address, NOT_TRANSPOSED, NOT_TRANSPOSED, n_in, samples, n_out, factor, w, n_in, delta, n_out, 0.0, out, n_in)


@compiled
def outer(
    address: int, delta: Any, x: Any, into: Any, samples: int, n_in: int, n_out: int, factor: float, keep: float
) -> None:
    """Set into (n_out, n_in) to factor delta' x + keep into, of delta (samples, n_out) and x (samples, n_in)."""
    _gemm(address, NOT_TRANSPOSED, TRANSPOSED, n_in, n_out, samples, factor, x, n_in, delta, n_out, keep, into, n_in)
