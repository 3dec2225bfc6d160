"""Page: the verdicts, figures and numbers of all studies of a run, as one HTML file."""

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from isobath import claim_files, paths, results
from isobath.results import Inputs, Wildcards, cubes, figures, verdicts
from isobath.study import loading, places
from isobath.study.run import Run, canonical
from isobath.study.schema import ConfigError, Study

SCOPE = "run"
FILE = paths.PAGE
PATH = f"results/{{scale}}/{FILE}"
START = 0.4
OVERHEAD, EACH = 1.0, 0.11
OUTCOME = True
WITHOUT = True  # it is made whatever is lacking, and says so
PAPERS = "paper"  # the scale of the settings of the sources


def names(run: Run) -> Iterator[dict[str, Any]]:
    yield {}


def spec(run: Run, names: Wildcards) -> dict[str, Any]:
    studies = {name: _entry(name, study) for name, study in run.studies.items()}
    lacks = [name for name in run.named if name not in studies]
    own = {"scale": run.config.scale, "seed": run.config.seed, "studies": studies, "lacks": lacks}
    return own | {"papers": _papers(run)}


def _papers(run: Run) -> str:
    """Return a digest of the settings of the papers, at which the page says what its studies take.

    They are those of ``study.yaml`` and of the studies that it extends as well.
    """
    folders, settings = places.studies(run.source), {}
    for name in folders.keys() & run.studies.keys():
        with contextlib.suppress(ConfigError):  # there is no such scale, or it has a fault, which the page says
            settings[name] = loading.load_study(folders[name], PAPERS, folders).model_dump(mode="json")
    return hashlib.sha256(canonical(settings).encode()).hexdigest()[:16]


def _entry(name: str, study: Study) -> dict[str, Any]:
    """Return the entry of a study in the spec; ``judged`` has the file of each claim and the figures that show it."""
    bearing = {claim: [n for n, figure in study.figures.items() if claim in figure.claims] for claim in study.claims}
    return {
        **{"title": study.title, "source": study.source, "works": study.works},
        **{"deviations": study.deviations, "not_judged": study.not_judged},
        **{"grids": list(study.grids), "figures": list(study.figures)},
        "judged": [[claim, claim_files.claim_file(name, claim), figures] for claim, figures in bearing.items()],
    }


def inputs(run: Run, names: Wildcards) -> Inputs:
    """Return the paths of all outcomes of all studies: verdicts, cubes and figures with their drawings."""
    outcomes = [kind for kind in results.having("OUTCOME") if kind != "page"]
    return {kind: [path for part in run.parts.values() for path in results.outputs(kind, part)] for kind in outcomes}


def existing_paths(folder: Path, entry: Mapping[str, Any]) -> list[Path]:
    """Return the paths of ``shown_paths`` that exist."""
    return [path for path in shown_paths(folder, entry) if path.is_file()]


def shown_paths(folder: Path, entry: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the paths that the page shows of a study; ``entry`` is its entry in the spec."""
    yield folder / verdicts.PATH
    yield from (folder / cubes.PATH.format(grid=grid) for grid in entry["grids"])
    for figure in entry["figures"]:
        yield folder / figures.PATH.format(figure=figure)
        yield from (folder / figures.DRAWING.format(figure=figure, format=suffix) for suffix in figures.FORMATS)


def arguments(job: Any, lacking: list[str]) -> list[str]:
    return ["--folder", job.folder, "--output", *job.outputs]
