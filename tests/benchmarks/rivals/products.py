"""The products of our own step and nothing else, in the same compiled code and memory: what remains is all the rest."""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from cases import Case, Problem

from isobath.training.compiled.matrices import GEMM, layer, layer_input, outer
from isobath.training.compiled.train import PART


def version() -> str:
    return f"Numba {numba.__version__}"


@numba.njit  # type: ignore[untyped-decorator]
def steps(address: int, units: Any, weights: Any, z: Any, delta: Any, into: Any, parts: Any, number: int) -> None:
    last = len(units) - 2
    for _ in range(number):
        for samples in parts:
            for i in range(last + 1):
                layer(address, z[i], weights[i], z[i + 1], samples, units[i], units[i + 1], 1.0)
            for i in range(last, -1, -1):
                if i > 0:
                    layer_input(address, delta[i + 1], weights[i], delta[i], samples, units[i], units[i + 1], 1.0)
                outer(address, delta[i + 1], z[i], into[i], samples, units[i], units[i + 1], 1e-9, 1.0)


def prepare(case: Case, problem: Problem) -> tuple[Callable[[Any], None], Callable[[], list[np.ndarray]]]:
    """Return a function for the products of an epoch, and one for the weights, which mean nothing."""
    units = np.array(case.sizes)
    parts = np.diff([*range(0, case.batch, PART), case.batch])
    weights = numba.typed.List([w[0].ravel() for w in problem.starts[::2]])
    rng = np.random.default_rng(0)
    z, delta = (
        numba.typed.List([rng.standard_normal(parts[0] * n).astype(case.dtype) for n in case.sizes]) for _ in range(2)
    )
    into = weights if case.optimiser == "sgd" else numba.typed.List([w.copy() for w in weights])
    number, address = case.networks * case.steps, GEMM[case.dtype]
    return lambda orders: steps(address, units, weights, z, delta, into, parts, number), lambda: list(weights)
