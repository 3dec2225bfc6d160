"""Processors that results are made on, as far as their bytes depend on it: the kernels that NumPy and torch choose.

A BLAS and torch choose other kernels on other processors, which sum in other orders: results agree to rounding, and
not bit by bit. A training that continues from the checkpoint of another processor is marked, as is one that continues
with another number of threads or other versions of NumPy and torch.
"""

import importlib
import json
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version

from threadpoolctl import threadpool_info

Processor = dict[str, str]

WIDEST = {"AVX512": "AVX512_SKX", "AVX2": "AVX2", "SVE": "SVE", "NEON": "ASIMD"}  # by NumPy's names, widest first

_earlier: list[Processor] = []  # of the checkpoints that this process has continued from
_device = ["cpu"]  # the kind of device that this process computes on; in a list, so that a function can change it


def processor(device: str | None = None) -> Processor:
    """Return a description of the processor: its BLAS kernels, its vector instructions, and the GPU in use.

    A GPU is in use if the kind of ``device``, without one that of ``compute_on``, is cuda. The package that compiles
    kernels for the GPU is added where one does, and the mode of Intel's MKL where its variable sets one. NumPy, which
    every process has, answers for all: other imports of a process make no difference.
    """
    description = {"blas": _blas(), "instructions": _instructions()}
    if mode := os.environ.get("MKL_CBWR"):  # by which the MKL inside torch chooses its kernels; it tells nothing itself
        description["mkl"] = mode
    if (device or _device[0]) == "cuda":
        torch = importlib.import_module("torch")
        description["gpu"] = torch.cuda.get_device_name()
        fused = sys.modules.get("isobath.training.fused")
        if fused and fused.fuses(torch.device("cuda")):  # and not merely installed
            description["kernels"] = f"numba-cuda {version('numba-cuda')}"
    return description


@cache
def _blas() -> str:
    """Return the kernels of the BLAS, which a process reads off its libraries once."""
    libraries = (library for library in threadpool_info() if library["user_api"] == "blas")
    return ", ".join(sorted({f"{lib['internal_api']} {lib.get('architecture', '')}".strip() for lib in libraries}))


def _instructions() -> str:
    """Return the widest vector instructions of the processor; a variable can hide them from torch."""
    features = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__
    widest = next((name for name, feature in WIDEST.items() if features.get(feature)), "none")
    return os.environ.get("ATEN_CPU_CAPABILITY") or widest


def compute_on(device: str) -> None:
    """Note the kind of device, cpu or cuda, that this process computes on from here."""
    _device[0] = device


def begin() -> None:
    """Begin a training: it continues from nothing so far."""
    _earlier.clear()


def environment() -> dict[str, str]:
    """Return what the bytes of a training depend on besides the processor: threads, and versions of NumPy and torch."""
    torch = sys.modules.get("torch")
    threads = str(torch.get_num_threads()) if torch else os.environ.get("OMP_NUM_THREADS", "")
    return {"threads": threads, **{name: version(name) for name in ("numpy", "torch")}}


def continue_from(processors: list[Processor], begun_in: Mapping[str, str]) -> None:
    """Note that a training was begun on other processors, or on this one, and continues here.

    ``begun_in`` is the ``environment`` that it was begun in: what differs here is noted as well.
    """
    current, here = processor(), environment()
    other = {name: value for name, value in begun_in.items() if value != here.get(name)}
    before = [earlier for earlier in processors if earlier != current] + ([other] if other else [])
    _earlier.extend(earlier for earlier in before if earlier not in _earlier)


def history() -> list[Processor]:
    """Return the processors of a training so far, this one last."""
    return [*_earlier, processor()]


def attributes() -> dict[str, str]:
    """Return the attributes of a result: its processor, and of a training that moved those that it continued from."""
    moved = {"continued_from": json.dumps(_earlier), "bitwise": "false"} if _earlier else {}
    return {"processor": json.dumps(processor()), **moved}
