"""Figures: drawings of a cube in several formats, with a record of their captions and checksums."""

from collections.abc import Iterator
from typing import Any

from isobath.results import Inputs, Names, cubes
from isobath.sizes import Counted
from isobath.study.checks import known
from isobath.study.run import StudyRun, names_in
from isobath.study.schema import ConfigError, Figure, Study

FORMATS = ("pdf", "svg", "png")
PATH = "figures/{figure}.json"
DRAWING = "figures/{figure}.{format}"
ALSO = tuple(DRAWING.replace("{format}", suffix) for suffix in FORMATS)
ENTRIES = ("name", "grid", "caption", "files")
OUTCOME = True
START = 1.5  # it imports matplotlib
BYTES = 40_000  # of a drawing


def names(run: StudyRun) -> Iterator[dict[str, Any]]:
    return ({"figure": figure} for figure in run.study.figures)


def spec(run: StudyRun, names: Names) -> dict[str, Any]:
    plugin = run.study.figures[names["figure"]]
    settings = {"kind": plugin.kind, **plugin.settings}
    return {"figure": settings, "name": names["figure"], "grid": plugin.grid, "caption": plugin.caption}


def inputs(run: StudyRun, names: Names) -> Inputs:
    return {"cube": run.path(cubes.PATH, grid=grid(run, names))}


def grid(run: StudyRun, names: Names) -> str:
    return run.study.figures[names["figure"]].grid


def cost(run: StudyRun, names: Names) -> Counted:
    return Counted(disk=BYTES * (1 + len(FORMATS)))


def check(study: Study, where: str, name: str) -> None:
    """Refuse figures that name what their grid does not have: else a curve would be missing without a word."""
    for entry, figure in study.figures.items():
        key = f"figures.{entry}"
        known(figure.grid, study.grids, where, f"{key}.grid")
        for setting, value in figure.settings.items():
            _check_setting(figure, study, setting, value, f"{where}: {key}.{setting}")


def _check_setting(figure: Figure, study: Study, setting: str, value: Any, key: str) -> None:
    table = {"groups": "tasks"}.get(setting, setting.removesuffix("s") + "s")
    entries = getattr(study, table, None)
    if not isinstance(entries, dict) or value is None:
        return
    names = [value] if isinstance(value, str) else [n for v in value for n in ([v] if isinstance(v, str) else v)]
    if not names:
        raise ConfigError(f"{key} is empty; allowed: {', '.join(entries)}")
    where, _, place = key.partition(": ")
    for name in names:
        known(name, entries, where, place)
    blocks = study.grids[figure.grid]
    absent = [name for name in names if hasattr(blocks[0], table) and name not in names_in(blocks, table)]
    if absent and setting in ("task", "tasks", "protocol"):
        raise ConfigError(f"{key} has {absent[0]!r}, which grid {figure.grid} does not")


def arguments(job: Any, lacking: list[str]) -> list[str]:
    record, *drawings = job.outputs
    return ["--cube", *job.inputs, "--record", record, "--outputs", *drawings]
