"""One contender in a process of its own, which works on request: requests and answers are lines of JSON.

It runs in the Python of the contender's environment, of which it needs NumPy and what the contender imports.
"""

import importlib
import itertools
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import cases
import numpy as np


def cpu() -> float:
    """Return the CPU seconds of this process, all threads, and of compilers that it has run."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def repeated(work: Callable[[], int], seconds: float) -> dict[str, float]:
    """Work for at least ``seconds`` of CPU time; return the work done and the seconds that it took."""
    start, wall, done = cpu(), time.perf_counter(), 0
    while done == 0 or cpu() - start < seconds:
        done += work()
    return {"work": done, "cpu": cpu() - start, "wall": time.perf_counter() - wall}


def trainer(
    module: Any, case: cases.Case, settings: dict[str, Any], orders: Callable[[cases.Case, int], Any]
) -> tuple[Callable[[], int], Callable[[], Any]]:
    """Return a function that trains an epoch and says how many network-steps it took, and one for the weights."""
    train, weights = module.prepare(case, cases.problem(case), **settings)
    epochs = itertools.count()

    def epoch() -> int:
        train(partial(orders, case, next(epochs)))
        return case.networks * case.steps

    return epoch, weights


def ended(module: Any, case: cases.Case, settings: dict[str, Any], *, epochs: int) -> list[Any]:
    """Return the weights after some epochs in the orders of isobath."""
    epoch, weights = trainer(module, case, settings, cases.orders_of_isobath)
    for _ in range(epochs):
        epoch()
    return list(weights())


def kernel(module: Any, settings: dict[str, Any], *, n: int, m: int, d: int, depth: int) -> Callable[[], Any]:
    """Return a function for the kernel (n, m) of inputs drawn from the normal distribution."""
    rng = np.random.default_rng(0)
    return module.prepare(rng.standard_normal((n, d)), rng.standard_normal((m, d)), depth, **settings)


def entries(kernel: Callable[[], Any]) -> int:
    return kernel().size


def answers(name: str, settings: dict[str, Any]) -> Iterator[Any]:
    """Yield the answer to each line of stdin."""
    module = importlib.import_module(f"rivals.{name}")
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
        sys.modules["torch"].set_flush_denormal(True)  # as the jobs of the workflow do
    yield {"version": module.version()}
    work: Callable[[], int] = int
    for request in map(json.loads, sys.stdin):
        match request:
            case {"train": case}:
                start = cpu()
                work, _ = trainer(module, cases.Case(**case), settings, cases.orders)
                work()
                yield {"cpu": cpu() - start}
            case {"weights": case, "epochs": n}:
                yield [w.tolist() for w in ended(module, cases.Case(**case), settings, epochs=n)]
            case {"kernel": size}:
                yield kernel(module, settings, **size)().tolist()
            case {"entries": size}:
                work = partial(entries, kernel(module, settings, **size))
                yield {"entries": work()}
            case {"work": arguments}:
                work = module.prepare(**arguments, **settings)
                yield {"work": work()}
            case {"seconds": seconds}:
                yield repeated(work, seconds)


def main() -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    try:
        for answer in answers(sys.argv[1], json.loads(sys.argv[2])):
            print(json.dumps(answer), file=out, flush=True)
    except Exception as error:  # the parent says what could not be measured
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), file=out, flush=True)
        raise


if __name__ == "__main__":
    main()
