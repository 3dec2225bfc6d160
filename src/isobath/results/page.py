"""Page: the verdicts, figures and numbers of all studies of a run, as one HTML file."""

from collections.abc import Iterator
from typing import Any

from isobath import results
from isobath.results import Inputs, Names
from isobath.study.run import Run

SCOPE = "run"
PATH = "results/{scale}/index.html"
START = 0.4
OVERHEAD, EACH = 1.0, 0.11
OUTCOME = True
WITHOUT = True  # it is made whatever is lacking, and says so


def names(run: Run) -> Iterator[dict[str, Any]]:
    yield {}


def spec(run: Run, names: Names) -> dict[str, Any]:
    studies = {
        name: {"title": s.title, "source": s.source, "grids": list(s.grids), "figures": list(s.figures)}
        for name, s in run.studies.items()
    }
    return {"scale": run.config.scale, "seed": run.config.seed, "studies": studies}


def inputs(run: Run, names: Names) -> Inputs:
    """Return the paths of all outcomes of all studies: verdicts, cubes and figures with their drawings."""
    outcomes = [kind for kind in results.having("OUTCOME") if kind != "page"]
    return {kind: [path for part in run.parts.values() for path in results.outputs(kind, part)] for kind in outcomes}


def arguments(job: Any, lacking: list[str]) -> list[str]:
    return ["--folder", job.folder, "--output", *job.outputs]
