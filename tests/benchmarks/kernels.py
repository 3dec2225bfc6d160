"""The neural tangent kernel against rivals: entries per CPU second, at all depths in one pass where they can."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from turns import Contender, NotMeasured, in_turns, ratio

ROOT = Path(__file__).parent.parent.parent
NEURAL_TANGENTS = os.environ.get("BENCH_NEURAL_TANGENTS", str(ROOT / ".venv-bench-kernels/bin/python"))
SIZE = {"n": 1000, "m": 2000, "d": 100, "depth": 7}
RIVALS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "ours": ("kernel_ours", sys.executable, {}),
    "printed": ("kernel_numpy", sys.executable, {"by": "printed"}),
    "in_place": ("kernel_numpy", sys.executable, {"by": "in_place"}),
    "neural_tangents": ("kernel_neural_tangents", NEURAL_TANGENTS, {}),
}


def measured(say: Callable[[str], None], *, turns: int = 9, seconds: float = 1.0) -> Iterator[dict[str, Any]]:
    """Yield entries per CPU second, the ratios to rivals, and how far their matrices are from ours."""
    found: dict[str, Any] = {"case": SIZE, "turns": turns, "not_measured": {}}
    with ExitStack() as stack:
        contenders, matrices = {}, {}
        for name, (module, python, settings) in RIVALS.items():
            try:
                contender = Contender(module, python, **settings)
                stack.callback(contender.close)
                matrices[name] = np.array(contender.ask(kernel=SIZE | {"n": 20, "m": 30}))
                contender.ask(entries=SIZE)
            except NotMeasured as reason:
                found["not_measured"][name] = str(reason)
                continue
            contenders[name] = contender
        rates = in_turns(contenders, turns=turns, seconds=seconds)
    own = rates.pop("ours")
    found["difference"] = {name: float(np.abs(matrices[name] - matrices["ours"]).max()) for name in rates}
    found["entries_per_second"] = median(own.cpu)
    found["cpu"] = {name: ratio(own.cpu, of.cpu)._asdict() for name, of in rates.items()}
    found["wall"] = {name: ratio(own.wall, of.wall)._asdict() for name, of in rates.items()}
    say(f"kernels: {found['cpu']} {found['not_measured'] or ''}")
    yield found
