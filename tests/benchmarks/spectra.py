"""Eigenvalues of all kernels of the study `kernels` to degree 600, once: CPU seconds of each dimension."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from isobath.calculations import zonal_spectra
from isobath.randomness import stream
from isobath.study import loading

STUDY = Path(__file__).parents[2] / "workflow/studies/kernels"


def seconds(dimension: int) -> dict[str, float]:
    """Return the number of kernels, degrees, and the CPU seconds of the calculation in one dimension."""
    settings: dict[str, Any] = dict(loading.load_study(STUDY, "laptop").calculations["spectra"].settings)
    began = time.process_time()
    found = zonal_spectra.calculate(generator=stream(0, "bench"), **settings | {"dimensions": (dimension,)})
    took = time.process_time() - began
    return {"kernels": found.sizes["kernel"], "degrees": settings["degrees"], "seconds": took}


def measured(say: Callable[[str], None]) -> Iterator[dict[str, Any]]:
    """Yield the CPU seconds of a fresh process in each dimension of the study."""
    rows = []
    for dimension in loading.load_study(STUDY, "laptop").calculations["spectra"].settings["dimensions"]:
        found = subprocess.run([sys.executable, __file__, str(dimension)], check=True, capture_output=True, text=True)
        say(f"spectra, d = {dimension}: {found.stdout}")
        rows.append({"dimension": dimension, **json.loads(found.stdout)})
    yield {"rows": rows}


if __name__ == "__main__":
    print(json.dumps(seconds(int(sys.argv[1]))))
