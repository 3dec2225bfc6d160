"""Benchmarks of ``make bench``: speed beside rivals on this machine, for benchmarks.json, docs/speed.md and README."""

import os
import platform
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import kernels
import memory
import regression
import search
import spectra
import tables
import training

MEASUREMENTS: dict[str, Callable[[Callable[[str], None]], Iterator[dict[str, Any]]]] = {
    "training": training.measured,
    "limits": training.limits,
    "kernels": kernels.measured,
    "regression": regression.measured,
    "spectra": spectra.measured,
    "memory": memory.measured,
    "search": search.measured,
}


def machine() -> dict[str, Any]:
    """Return the processor, its cores, and how busy they are with other work."""
    cpuinfo = Path("/proc/cpuinfo")
    name = re.search(r"model name\s*: (.+)", cpuinfo.read_text()) if cpuinfo.exists() else None
    features = cpuinfo.read_text() if name else ""
    return {
        "processor": name[1] if name else platform.processor() or platform.machine(),
        "avx512": "avx512f" in features,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
    }


def say(line: str) -> None:
    print(line, flush=True)


def main(parts: list[str]) -> None:
    if unknown := set(parts) - set(MEASUREMENTS):
        raise SystemExit(f"PART is {min(unknown)!r}; allowed: {', '.join(MEASUREMENTS)}")
    for part in parts or MEASUREMENTS:
        where = machine()
        for found in MEASUREMENTS[part](say):
            results = tables.read()
            results[part] = {"machine": where, **found}
            tables.write(results)


if __name__ == "__main__":
    main(sys.argv[1:])
