"""Training on a GPU beside JAX on the same GPU, in turns within one process; prints a row for each case.

It needs a JAX that sees the GPU, in the same environment as isobath. Both multiply in float32, without TF32.
"""

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else JAX takes most of the memory for itself

import gpu_speed
import jax
import torch
from cases import Case, orders, problem
from rivals import jax_scan
from turns import ratio

TURNS, SECONDS = 7, 1.0
LOCALITY = [Case("locality", 100, 7, 100, networks) for networks in (10, 50, 200, 1000)]
PAPER: dict[str, Any] = {"samples": 50_000, "batch": 100, "optimiser": "adam", "loss": "linear_hinge"}
FRACTALS = [Case("fractals", 2, 5, width, 15, **PAPER) for width in (20, 100, 400)]  # five rates, three networks

Epoch = Callable[[], object]


def drawn_there(case: Case) -> Callable[[], jax.Array]:
    """Return a function that draws the orders of an epoch (R, n) on the GPU."""
    keys = iter(_keys())
    draw = jax.jit(jax.vmap(lambda key: jax.random.permutation(key, case.samples)))
    return lambda: draw(jax.random.split(next(keys), case.networks))


def _keys() -> Iterator[jax.Array]:
    key = jax.random.key(0)
    while True:
        key, drawn = jax.random.split(key)
        yield drawn


def contenders(case: Case) -> dict[str, Epoch]:
    """Return a function that trains an epoch, for each contender; the first calls of it compile."""
    training = gpu_speed.warm(case, torch.device("cuda"))
    on_gpu, _ = jax_scan.prepare(case, problem(case), wait=False)
    by_numpy, _ = jax_scan.prepare(case, problem(case), wait=False)
    there = drawn_there(case)
    return {
        "ours": lambda: next(training),
        "JAX, orders drawn on the GPU": lambda: on_gpu(there),
        "JAX, orders drawn by NumPy": lambda: by_numpy(partial(orders, case, 0)),
    }


def wait() -> None:
    """Wait until the GPU has done all that was asked of it."""
    torch.cuda.synchronize()
    jax.block_until_ready(jax.jit(lambda: jax.numpy.zeros(()))())  # work of JAX is done in the order of its calls


def rate(epoch: Epoch, seconds: float) -> float:
    """Return the epochs a second, over some seconds; they are waited for now and then, so that few are ahead."""
    start, done, block = time.perf_counter(), 0, 1
    while time.perf_counter() - start < seconds:
        for _ in range(block):
            epoch()
        wait()
        done, block = done + block, min(2 * block, 64)
    return done / (time.perf_counter() - start)


def rates(case: Case) -> dict[str, list[float]]:
    """Return the network-steps a second of each contender, turn by turn; every second turn goes backwards."""
    found: dict[str, list[float]] = {}
    all_of_them = contenders(case)
    for epoch in all_of_them.values():
        rate(epoch, SECONDS / 5)
    for turn in range(TURNS):
        for name in list(all_of_them)[:: 1 if turn % 2 == 0 else -1]:
            found.setdefault(name, []).append(case.networks * case.steps * rate(all_of_them[name], SECONDS))
    return found


def main() -> None:
    jax.config.update("jax_default_matmul_precision", "highest")
    torch.backends.cuda.matmul.allow_tf32 = False
    versions = f"torch {torch.__version__}, JAX {jax.__version__} on {jax.default_backend()}"
    print(f"{torch.cuda.get_device_name()}, {versions}", flush=True)
    for case in [*LOCALITY, *FRACTALS]:
        found = rates(case)
        ours = found.pop("ours")
        print(f"{case}, R={case.networks}: ours {sorted(ours)[TURNS // 2]:,.0f} network-steps a second", flush=True)
        for name, theirs in found.items():
            r = ratio(ours, theirs)
            print(f"    over {name}: {r.median:.2f} ({r.lower:.2f} to {r.upper:.2f})", flush=True)


if __name__ == "__main__":
    main()
