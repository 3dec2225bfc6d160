"""Contenders measured in turns, each in a process of its own: other work on the machine slows all of them alike."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent / "src"
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
    "NPROC": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}


class NotMeasured(Exception):
    """A contender that cannot be measured here, with the reason."""


class Contender:
    """A process that works for some seconds when it is asked to.

    The folder ``cache`` keeps what its libraries compile; isobath is that of the folder ``source``.
    """

    def __init__(
        self,
        module: str,
        python: str = sys.executable,
        *,
        cache: Path | None = None,
        source: Path = SOURCE,
        **settings: Any,
    ) -> None:
        if not Path(python).exists():
            raise NotMeasured(f"no Python at {python}")
        folders = {
            "TORCHINDUCTOR_CACHE_DIR": f"{cache}/torch",
            "JAX_COMPILATION_CACHE_DIR": f"{cache}/jax",
        }
        self.process = subprocess.Popen(
            [python, str(HERE / "worker.py"), module, json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("BENCH_DEBUG") else subprocess.DEVNULL,
            env=os.environ | ONE_THREAD | {"PYTHONPATH": str(source)} | (folders if cache else {}),
            text=True,
        )
        self.version = self._answer()["version"]

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        answer = json.loads(line) if line else {"error": f"it ended with status {self.process.wait()}"}
        if isinstance(answer, dict) and "error" in answer:
            self.close()
            raise NotMeasured(answer["error"])
        return answer

    def ask(self, **request: Any) -> Any:
        """Return the answer to a request (see worker.answers)."""
        assert self.process.stdin is not None
        print(json.dumps(request), file=self.process.stdin, flush=True)
        return self._answer()

    def close(self) -> None:
        """Let the process end, which it does when its stdin does."""
        with self.process:  # closes its pipes and waits for it
            pass


class Ratio(NamedTuple):
    """Median over turns of the quotient of two rates, its quartiles and its extremes."""

    median: float
    lower: float
    upper: float
    low: float
    high: float


class Rates(NamedTuple):
    """Work per CPU second and per second of the clock, in each turn."""

    cpu: list[float]
    wall: list[float]


def in_turns(contenders: Mapping[str, Contender], *, turns: int, seconds: float) -> dict[str, Rates]:
    """Return the rates of each; a turn runs them all, one after the other, every second turn backwards."""
    found = {name: Rates([], []) for name in contenders}
    for turn in range(turns):
        for name in list(contenders)[:: 1 if turn % 2 == 0 else -1]:
            did = contenders[name].ask(seconds=seconds)
            found[name].cpu.append(did["work"] / did["cpu"])
            found[name].wall.append(did["work"] / did["wall"])
    return found


def ratio(ours: list[float], theirs: list[float]) -> Ratio:
    """Return the quotients of two contenders, turn by turn."""
    quotients = [a / b for a, b in zip(ours, theirs, strict=True)]
    lower, median, upper = statistics.quantiles(quotients, n=4, method="inclusive")
    return Ratio(median, lower, upper, min(quotients), max(quotients))
