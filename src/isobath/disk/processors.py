"""Processors that results are made on, as far as their bytes depend on it: the kernels that NumPy and torch choose.

A BLAS and torch choose other kernels on other processors, which sum in other orders: results agree to rounding, and
not bit by bit. A training that continues from the checkpoint of another processor is marked.
"""

import importlib
import json
import os
import sys
from functools import cache
from importlib.metadata import version

from threadpoolctl import threadpool_info

Processor = dict[str, str]

WIDEST = {"AVX512": "AVX512_SKX", "AVX2": "AVX2", "SVE": "SVE", "NEON": "ASIMD"}  # by NumPy's names, widest first

_earlier: list[Processor] = []  # of the checkpoints that this process has continued from


def processor() -> Processor:
    """Return a description of the processor: its BLAS kernels, its vector instructions, and the GPU in use.

    The package that compiles kernels for the GPU is added where one does, and the mode of Intel's MKL where its
    variable sets one. NumPy, which every process has, answers for all: other imports of a process make no difference.
    """
    description = {"blas": _blas(), "instructions": _instructions()}
    if mode := os.environ.get("MKL_CBWR"):  # by which the MKL inside torch chooses its kernels; it tells nothing itself
        description["mkl"] = mode
    if (torch := sys.modules.get("torch")) and torch.cuda.is_initialized():
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


def begin() -> None:
    """Begin a training: it continues from nothing so far."""
    _earlier.clear()


def continue_from(processors: list[Processor]) -> None:
    """Note that a training was begun on other processors, or on this one, and continues here."""
    current = processor()
    _earlier.extend(earlier for earlier in processors if earlier != current and earlier not in _earlier)


def history() -> list[Processor]:
    """Return the processors of a training so far, this one last."""
    return [*_earlier, processor()]


def attributes() -> dict[str, str]:
    """Return the attributes of a result: its processor, and of a training that moved those that it continued from."""
    moved = {"continued_from": json.dumps(_earlier), "bitwise": "false"} if _earlier else {}
    return {"processor": json.dumps(processor()), **moved}
