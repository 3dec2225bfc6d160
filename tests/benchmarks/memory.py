"""Memory that a network of a stack takes, measured: the peak of a process that trains R of them."""

import json
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from isobath.losses import cross_entropy
from isobath.network_sizes import perceptron
from isobath.networks import mlp
from isobath.protocols import adam, sgd
from isobath.sizes import network_bytes
from isobath.training.architecture import Architecture
from isobath.training.fit import Stopping
from isobath.training.objective import Loss
from isobath.training.recipes import Recipe, Replicas


def train(case: dict[str, int | str], networks: int, limit: float) -> None:
    """Train ``networks`` in ``limit`` bytes for two epochs, half of them leaving after the first."""
    n, d = int(case["n"]), int(case["d"])
    x, y = torch.randn(n, d), torch.randint(0, 2, (n,))
    kind = adam if case["optimiser"] == "adam" else sgd
    recipe = Recipe(
        architecture=Architecture(mlp),
        protocol=partial(kind.train, batch_size=50),
        loss=Loss(cross_entropy),
        shape={"depth": int(case["depth"]), "width": int(case["width"])},
        stopping=Stopping(2, check_every=1),
        batch_size=50,
        seed=0,
    )
    rates = np.where(np.arange(networks) % 2, 1e30, 0.01)  # every second one diverges at once
    replicas = Replicas([(i,) for i in range(networks)], np.tile(np.arange(n), (networks, 1)), rates)
    for _ in recipe.train(replicas, x, y, memory=limit):
        pass


def peak(case: dict[str, int | str], networks: int, *, limit: float = 1e12) -> int:
    """Return the peak resident bytes of a fresh process that trains ``networks``."""
    command = [sys.executable, __file__, json.dumps(case), str(networks), str(limit)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def own_peak() -> int:
    """Return the peak resident bytes of this process; getrusage would count those of the parent that forked it."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1]) * 1024  # type: ignore[index]
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def per_network(case: dict[str, int | str], few: int, many: int) -> dict[str, float]:
    """Return the bytes per network, measured as the slope between two sizes of a stack, and by the model."""
    size = perceptron.size(n_inputs=int(case["d"]), n_outputs=2, depth=int(case["depth"]), width=int(case["width"]))
    measured = (peak(case, many) - peak(case, few)) / (many - few)
    return {"measured": measured, "model": network_bytes(size, int(case["n"]), 50)}


CASES: list[dict[str, int | str]] = [
    {"n": 1000, "d": 100, "depth": 7, "width": 100, "optimiser": "sgd"},
    {"n": 1000, "d": 100, "depth": 7, "width": 100, "optimiser": "adam"},
    {"n": 10_000, "d": 40, "depth": 1, "width": 100, "optimiser": "adam"},
]


def measured(say: Callable[[str], None]) -> Iterator[dict[str, Any]]:
    """Yield the bytes of one network of a stack: the peak of processes, and the model that cuts stacks."""
    rows = [{"case": case, **per_network(case, 50, 400)} for case in CASES]
    say(f"memory: {rows}")
    yield {"rows": rows}


if __name__ == "__main__":
    torch.set_num_threads(1)
    train(json.loads(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
    print(own_peak())
