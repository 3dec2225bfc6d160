"""The NTK by neural-tangents at one depth: variance 1 / d in the first layer, 2 / fan-in above, biases of 0.1."""

from collections.abc import Callable

import jax
import neural_tangents
import numpy as np
from neural_tangents import stax


def version() -> str:
    return f"neural-tangents {neural_tangents.__version__}, JAX {jax.__version__}"


def prepare(x: np.ndarray, y: np.ndarray, depth: int) -> Callable[[], np.ndarray]:
    """Return a function for the kernel (n, m) of the depth."""
    jax.config.update("jax_enable_x64", True)
    layers = [stax.Dense(1, W_std=1.0, b_std=0.1)]
    for _ in range(depth):
        layers += [stax.Relu(), stax.Dense(1, W_std=2**0.5, b_std=0.1)]
    kernel = stax.serial(*layers)[2]
    compiled = jax.jit(lambda a, b: kernel(a, b, "ntk"))
    return lambda: np.asarray(compiled(x, y))
