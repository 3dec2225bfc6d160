"""Verdicts: a JSON record with the verdict on every claim of a study."""

from collections.abc import Iterator
from typing import Any

from isobath.results import Inputs, Wildcards, cubes
from isobath.study.checks import require_claims
from isobath.study.run import StudyRun
from isobath.study.schema import ConfigError, Study

PATH = "verdicts.json"
START = 0.7
OVERHEAD = 5.6
ENTRIES = ("study", "scale", "source", "claims")
OUTCOME = True


def names(run: StudyRun) -> Iterator[dict[str, Any]]:
    yield {}


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    header = {"study": run.name, "scale": run.config.scale, "source": run.study.source}
    return {**header, "claims": run.study.claims, "grids": list(run.study.grids)}


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    return {"cubes": [run.path(cubes.PATH, grid=grid) for grid in run.study.grids]}


def check(study: Study, where: str, name: str) -> None:
    """Refuse claims that the study's module does not have, and claims that are named twice."""
    require_claims(study.claims, name, where, "claims")
    for i, claim in enumerate(study.claims):
        if claim in study.claims[:i]:
            raise ConfigError(f"{where}: claims[{i}] is {claim!r}, which stands there already")


def arguments(job: Any, lacking: list[str]) -> list[str]:
    return ["--folder", job.folder, "--output", *job.outputs]
