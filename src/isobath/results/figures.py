"""Figures: drawings of a cube in several formats, with a record of their captions and checksums."""

from collections.abc import Iterator
from typing import Any, get_args

from isobath import claim_files, plugins
from isobath.results import Inputs, Wildcards, cubes, networks
from isobath.settings import Names
from isobath.sizes import Counted
from isobath.study.checks import TABLES, require_name
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
PLACES = {  # settings of figures -> the places of blocks that they name
    **{"depth": "depth", "depths": "depth", "shallow": "depth", "deep": "depth"},
    **{"width": "width", "widths": "width", "n_train": "n_train"},
}
OF_A_GRID = ("laws", "calculations")  # tables whose entries belong to a grid


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
        _check_rates(study, figure.grid, figure.kind, f"{where}: {key}.kind")
        for i, claim in enumerate(figure.claims):
            require_name(claim, claim_files.claims_beside(name, claim), where, f"{key}.claims[{i}]")
        for setting, (annotation, default) in plugins.schema("figure", figure.kind).items():
            table, value = _table(annotation), figure.settings.get(setting)
            if table and value is not None:
                _check_names(study, figure.grid, table, value, (where, f"{key}.{setting}"))
            elif setting in PLACES and (value is not None or isinstance(default, int)):
                value = default if value is None else value
                _check_places(study, figure.grid, PLACES[setting], value, f"{where}: {key}.{setting}")


def _check_rates(study: Study, grid: str, kind: str, place: str) -> None:
    """Refuse a figure along learning rates where no protocol of its grid lists any, and the other way round."""
    swept, protocols = plugins.literal("figure", kind, "SWEPT"), names_in(study.grids[grid], "protocols")
    lists = [name for name in protocols if isinstance(study.protocols[name].learning_rate, list)]
    if swept and not lists:
        raise ConfigError(f"{place} is {kind!r}, which draws learning rates, and no protocol of grid {grid} lists any")
    if swept is False and lists:
        problem = f"{place} is {kind!r}, which draws networks at one learning rate"
        raise ConfigError(f"{problem}, and protocol {lists[0]} of grid {grid} lists several")


def _table(annotation: Any) -> str | None:
    """Return the table of the study whose entries a setting names, by its type; None if it names none."""
    if isinstance(annotation, Names):
        return annotation.table
    return next(filter(None, map(_table, get_args(annotation))), None)


def _check_names(study: Study, grid: str, table: str, value: Any, key: tuple[str, str]) -> None:
    names, entries, place = [*_flat(value)], getattr(study, table), ": ".join(key)
    if not names:
        raise ConfigError(f"{place} is empty; allowed: {', '.join(entries)}")
    for name in names:
        require_name(name, entries, *key)
        if table in OF_A_GRID and entries[name].grid != grid:
            raise ConfigError(f"{place} is {name!r}, which is of grid {entries[name].grid}, and the figure of {grid}")
    if table in TABLES and (isinstance(value, str) or isinstance(value[0], str)):  # of groups some may be absent
        present = names_in(study.grids[grid], table)
        absent = [name for name in names if name not in present]
        if absent:
            raise ConfigError(f"{place} has {absent[0]!r}, which grid {grid} does not")


def _check_places(study: Study, grid: str, dim: str, value: Any, place: str) -> None:
    """Refuse depths, widths and numbers of samples that no block of a grid has."""
    listed = list(value) if isinstance(value, list | tuple) else [value]
    there = sorted({n for block in study.grids[grid] for n in getattr(block, dim)})
    if not listed:
        raise ConfigError(f"{place} is empty; grid {grid} has {', '.join(map(str, there))}")
    if there and (absent := [n for n in listed if n not in there]):
        raise ConfigError(f"{place} has {absent[0]}; grid {grid} has {', '.join(map(str, there))}")


def _flat(value: Any) -> Iterator[str]:
    """Yield the names in a setting: a name, a list of names, or a list of lists."""
    if isinstance(value, str):
        yield value
    else:
        for part in value:
            yield from _flat(part)


def arguments(job: Any, lacking: list[str]) -> list[str]:
    record, *drawings = job.outputs
    return ["--cube", *job.inputs, "--record", record, "--outputs", *drawings]
