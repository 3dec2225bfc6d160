"""One kernel regression of the size of a paper: CPU seconds of its parts, and the peak of memory."""

import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from memory import own_peak

from isobath.kernels import ntk
from isobath.regression.blocks import predictions, training_grams
from isobath.regression.errors import encode
from isobath.regression.linear_systems import solve

SIZE = {"n": 20_000, "test": 10_000, "d": 100, "depth": 7}


def regression(*, n: int, test: int, d: int, depth: int, memory: float = 8e9) -> dict[str, float]:
    """Return the CPU seconds of a regression on n samples, of each part, and its peak of memory in bytes."""
    draw = torch.Generator().manual_seed(0)
    x, others = (torch.randn(rows, d, generator=draw, dtype=torch.float64) for rows in (n, test))
    targets, clock = encode((x[:, 0] * x[:, 1] > 0).long()), [time.process_time()]
    (gram,) = training_grams(ntk.profile, x, depth=[depth], memory=memory)
    clock.append(time.process_time())
    solution = solve(gram, targets)
    clock.append(time.process_time())
    for _ in predictions(ntk.profile, others, x, [solution.coefficients], depth=[depth], memory=memory):
        pass
    clock.append(time.process_time())
    parts = dict(zip(("gram", "solve", "test"), (b - a for a, b in itertools.pairwise(clock)), strict=True))
    return {**parts, "peak": own_peak(), "residual": solution.residual}


def measured(say: Callable[[str], None]) -> Iterator[dict[str, Any]]:
    """Yield the size of a regression, and the time and memory of a fresh process."""
    found = subprocess.run([sys.executable, __file__, json.dumps(SIZE)], check=True, capture_output=True, text=True)
    say(f"regression: {found.stdout}")
    yield {"size": SIZE, **json.loads(found.stdout)}


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(regression(**json.loads(sys.argv[1]))))
