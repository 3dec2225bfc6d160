"""Training on a GPU beside JAX on the same GPU, in turns within one process; prints a row for each case.

It needs a JAX that sees the GPU, in the same environment as isobath. Both multiply in float32, without TF32.
"""

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else JAX takes most of the memory for itself

import gpu_speed
import jax
import torch
from cases import Case, orders, problem
from gpu_speed import rate
from rivals import jax_scan
from turns import ratio

from isobath.training import fused

TURNS, SECONDS = 7, 1.0
GPU = torch.device("cuda")
LOCALITY = [Case("locality", 100, 7, 100, networks) for networks in (10, 50, 200, 1000)]
PAPER: dict[str, Any] = {"samples": 50_000, "batch": 100, "optimiser": "adam", "loss": "linear_hinge"}
FRACTALS = [Case("fractals", 2, 5, width, 15, **PAPER) for width in (20, 100, 400)]  # five rates, three networks

Epoch = Callable[[], object]
NOTHING = jax.jit(lambda: jax.numpy.zeros(()))  # compiled once


def drawn_by_jax(case: Case) -> Callable[[], jax.Array]:
    """Return a function that draws the orders of an epoch (R, n) on the GPU."""
    keys = _keys()
    draw = jax.jit(jax.vmap(lambda key: jax.random.permutation(key, case.samples)))
    return lambda: draw(jax.random.split(next(keys), case.networks))


def _keys() -> Iterator[jax.Array]:
    """Yield a key for each epoch."""
    key = jax.random.key(0)
    while True:
        key, drawn = jax.random.split(key)
        yield drawn


def contenders(case: Case) -> dict[str, Epoch]:
    """Return a function that trains an epoch, for each contender; the first calls of it compile."""
    training, by_torch = gpu_speed.warm(case, GPU), gpu_speed.warm(case, GPU, kernels=False)
    first, second = (jax_scan.prepare(case, problem(case), wait=False)[0] for _ in range(2))
    draw = drawn_by_jax(case)
    return {
        "ours": lambda: next(training),
        "ours, by torch alone": lambda: next(by_torch),
        "JAX, orders drawn on the GPU": lambda: first(draw),
        "JAX, orders drawn by NumPy": lambda: second(partial(orders, case, 0)),
    }


def wait() -> None:
    """Wait until the GPU has done all its work."""
    torch.cuda.synchronize()
    NOTHING().block_until_ready()  # the GPU does the work of JAX in the order of its calls


def rates(case: Case) -> dict[str, list[float]]:
    """Return the network-steps a second of each contender, turn by turn; every second turn goes backwards."""
    found: dict[str, list[float]] = {}
    epochs = contenders(case)
    for epoch in epochs.values():
        rate(epoch, SECONDS / 5, wait)  # compiles
    for turn in range(TURNS):
        for name in list(epochs)[:: 1 if turn % 2 == 0 else -1]:
            found.setdefault(name, []).append(case.networks * case.steps * rate(epochs[name], SECONDS, wait))
    return found


def main() -> None:
    """Print the rate of isobath and its ratio to torch alone and to each form of JAX, for each case."""
    jax.config.update("jax_default_matmul_precision", "highest")
    torch.backends.cuda.matmul.allow_tf32 = False
    versions = f"torch {torch.__version__}, JAX {jax.__version__} on {jax.default_backend()}"
    print(f"{torch.cuda.get_device_name()}, {versions}; kernels of our own: {fused.fuses(GPU)}", flush=True)
    for case in [*LOCALITY, *FRACTALS]:
        found = rates(case)
        ours = found.pop("ours")
        print(f"{case}, R={case.networks}: ours {sorted(ours)[TURNS // 2]:,.0f} network-steps a second", flush=True)
        for name, theirs in found.items():
            r = ratio(ours, theirs)
            print(f"    over {name}: {r.median:.2f} ({r.lower:.2f} to {r.upper:.2f})", flush=True)


if __name__ == "__main__":
    main()
