"""Processors that results are made on, as far as their bytes depend on it: the kernels that NumPy and torch choose.

A BLAS and torch choose other kernels on other processors, which sum in other orders: results agree to rounding, and
not bit by bit. A training that continues from the checkpoint of another processor is marked.
"""

import json
import sys

from threadpoolctl import threadpool_info

Processor = dict[str, str]

_earlier: list[Processor] = []  # of the checkpoints that this process has continued from


def processor() -> Processor:
    """Return the kernels of the BLAS in this process; those of torch, and the GPU, if the process uses them."""
    blas = {
        f"{lib['internal_api']} {lib.get('architecture', '')}" for lib in threadpool_info() if lib["user_api"] == "blas"
    }
    found = {"blas": ", ".join(sorted(name.strip() for name in blas))}
    if torch := sys.modules.get("torch"):
        found["torch"] = torch.backends.cpu.get_cpu_capability()
        if torch.cuda.is_initialized():
            found["gpu"] = torch.cuda.get_device_name()
    return found


def begin() -> None:
    """Begin a training: it continues from nothing so far."""
    _earlier.clear()


def continue_from(processors: list[Processor]) -> None:
    """Note that a training continues what other processors, or this one, have begun."""
    here = processor()
    _earlier.extend(each for each in processors if each != here and each not in _earlier)


def history() -> list[Processor]:
    """Return the processors of a training so far, this one last."""
    return [*_earlier, processor()]


def attributes() -> dict[str, str]:
    """Return the attributes of a result: its processor, and of a training that moved those that it continued from."""
    moved = {"continued_from": json.dumps(_earlier), "bitwise": "false"} if _earlier else {}
    return {"processor": json.dumps(processor()), **moved}
