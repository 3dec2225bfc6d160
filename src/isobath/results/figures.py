"""Figures: drawings of a cube in several formats, with a record of their captions and checksums."""

from collections.abc import Iterator
from typing import Any

from isobath import plugins
from isobath.results import Inputs, Wildcards, cubes, networks
from isobath.sizes import Counted
from isobath.study import figure_checks
from isobath.study.checks import require_claims, require_name
from isobath.study.grids import names_in
from isobath.study.run import StudyRun
from isobath.study.schema import ConfigError, Study

FORMATS = ("pdf", "svg", "png")
PATH = "figures/{figure}.json"
DRAWING = "figures/{figure}.{format}"
ALSO = tuple(DRAWING.replace("{format}", suffix) for suffix in FORMATS)
ENTRIES = ("name", "grid", "caption", "cube", "files")
OUTCOME = True
START = 0.8
OVERHEAD = 1.85
BYTES = 40_000  # of a drawing


def names(run: StudyRun) -> Iterator[dict[str, Any]]:
    return ({"figure": figure} for figure in run.study.figures)


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    plugin = run.study.figures[names["figure"]]
    settings = {"kind": plugin.kind, **plugin.settings}
    notes = {} if plugin.notes else {"notes": False}  # absent by default: specs of figures stay as they were
    own = {"figure": settings, "name": names["figure"], "grid": plugin.grid, "caption": plugin.caption, **notes}
    # Titles of panels are read from the code of tasks, which a figure does not import: no fingerprint has them.
    kinds = {run.study.tasks[task].kind for task in names_in(run.study.grids[plugin.grid], "tasks")}
    titles = {kind: plugins.literal("task", kind, "TITLE") for kind in sorted(kinds)}
    return own | {"titles": {kind: title for kind, title in titles.items() if title}}


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    return {"cube": run.path(cubes.PATH, grid=grid(run, names))}


def grid(run: StudyRun, names: Wildcards) -> str:
    return run.study.figures[names["figure"]].grid


def cost(run: StudyRun, names: Wildcards) -> Counted:
    return Counted(disk=BYTES * (1 + len(FORMATS)))


def check(study: Study, where: str, name: str) -> None:
    """Refuse figures that name entries which their grid lacks: else a curve would be missing without notice."""
    for entry, figure in study.figures.items():
        key = f"figures.{entry}"
        require_name(figure.grid, study.grids, where, f"{key}.grid")
        for variable in plugins.words("figure", figure.kind, "READS"):
            if reason := networks.lacking(study, figure.grid, variable):
                raise ConfigError(f"{where}: {key}.kind is {figure.kind!r}, which reads {variable}, and {reason}")
        require_claims(figure.claims, name, where, f"{key}.claims")
        figure_checks.check(study, where, entry)


def arguments(job: Any, lacking: list[str]) -> list[str]:
    record, *drawings = job.outputs
    return ["--cube", *job.inputs, "--record", record, "--outputs", *drawings]
