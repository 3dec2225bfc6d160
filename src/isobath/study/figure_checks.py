"""Figures against their grids: what they name or select has to be there, which is known before anything is trained.

A kind of figure says what it needs by constants (see ``figures/__init__.py``), which are read and not imported.
"""

from collections.abc import Iterator
from typing import Any, get_args

from isobath import plugins
from isobath.settings import Names
from isobath.study.checks import TABLES, require_name
from isobath.study.grids import names_in
from isobath.study.schema import ConfigError, Figure, Study
from isobath.study.yaml import written

PLACES = {  # settings of figures -> the places of blocks that they name
    **{"depth": "depth", "depths": "depth", "shallow": "depth", "deep": "depth"},
    **{"width": "width", "widths": "width", "n_train": "n_train"},
}
OF_A_GRID = ("laws", "calculations")  # tables whose entries belong to a grid


def check(study: Study, where: str, entry: str) -> None:
    """Refuse a figure whose grid lacks what it draws (ConfigError): else a curve would be missing, or its job fail."""
    figure, key = study.figures[entry], f"{where}: figures.{entry}"
    _check_rates(study, figure, key)
    _check_widths(study, figure, key)
    for setting, (annotation, default) in plugins.schema("figure", figure.kind).items():
        table, value = _table(annotation), figure.settings.get(setting)
        if value in ([], ()):
            if default != ():
                raise ConfigError(f"{key}.{setting} is empty{_allowed(study, figure.grid, setting, table)}")
        elif table and value is not None:
            _check_names(study, figure.grid, table, value, (where, f"figures.{entry}.{setting}"))
            _check_kinds(study, figure.kind, table, setting, value, f"{key}.{setting}")
        elif setting in PLACES and (value is not None or isinstance(default, int)):
            value = default if value is None else value
            _check_places(study, figure.grid, PLACES[setting], value, f"{key}.{setting}")
    for setting, source in plugins.table("figure", figure.kind, "AMONG").items():
        _check_among(study, figure, setting, source, f"{key}.{setting}")
    for setting, other in plugins.table("figure", figure.kind, "AS_MANY").items():
        _check_as_many(figure, setting, other, f"{key}.{setting}")


def _allowed(study: Study, grid: str, setting: str, table: str | None) -> str:
    """Return what may stand in a setting, for the message about an empty one; "" where anything may."""
    if setting in PLACES:
        return f"; grid {grid} has {', '.join(map(str, _places(study, grid, PLACES[setting])))}"
    return f"; allowed: {', '.join(getattr(study, table))}" if table else ""


def _check_rates(study: Study, figure: Figure, key: str) -> None:
    """Refuse a figure along learning rates where no protocol of its grid lists any, and the other way round."""
    grid, swept = figure.grid, plugins.literal("figure", figure.kind, "SWEPT")
    protocols = names_in(study.grids[grid], "protocols")
    lists = [name for name in protocols if isinstance(study.protocols[name].learning_rate, list)]
    if swept and not lists:
        problem = f"{figure.kind!r}, which draws learning rates, and no protocol of grid {grid} lists any"
        raise ConfigError(f"{key}.kind is {problem}")
    if swept is False and lists:
        problem = f"{figure.kind!r}, which draws networks at one learning rate"
        raise ConfigError(f"{key}.kind is {problem}, and protocol {lists[0]} of grid {grid} lists several")


def _check_widths(study: Study, figure: Figure, key: str) -> None:
    """Refuse a figure with one curve for networks of all widths where a task of its grid has several."""
    if not plugins.literal("figure", figure.kind, "ONE_WIDTH"):
        return
    settings, blocks = figure.settings, study.grids[figure.grid]
    protocol, depths = settings.get("protocol"), {settings[name] for name in ("shallow", "deep") if name in settings}
    drawn = [b for b in blocks if (protocol in b.protocols if protocol else b.protocols)]
    drawn = [b for b in drawn if not depths or depths & {*b.depth}]
    for task in names_in(blocks, "tasks"):
        widths = sorted({width for block in drawn if task in block.tasks for width in block.width})
        if len(widths) > 1:
            problem = f"{figure.kind!r}, which draws networks of one width"
            there = ", ".join(map(str, widths))
            raise ConfigError(f"{key}.kind is {problem}, and task {task} of grid {figure.grid} has {there}")


def _table(annotation: Any) -> str | None:
    """Return the table of the study whose entries a setting names, by its type; None if it names none."""
    if isinstance(annotation, Names):
        return annotation.table
    return next(filter(None, map(_table, get_args(annotation))), None)


def _check_names(study: Study, grid: str, table: str, value: Any, key: tuple[str, str]) -> None:
    entries, place = getattr(study, table), ": ".join(key)
    for name in _flat(value):
        require_name(name, entries, *key)
        if table in OF_A_GRID and entries[name].grid != grid:
            raise ConfigError(f"{place} is {name!r}, which is of grid {entries[name].grid}, and the figure of {grid}")
    if table in TABLES and (isinstance(value, str) or isinstance(value[0], str)):  # of groups some may be absent
        present = names_in(study.grids[grid], table)
        absent = [name for name in _flat(value) if name not in present]
        if absent:
            raise ConfigError(f"{place} has {absent[0]!r}, which grid {grid} does not")


def _check_kinds(study: Study, kind: str, table: str, setting: str, value: Any, place: str) -> None:
    """Refuse entries that are of another kind than a figure draws, and kernels without a depth that it asks for."""
    wanted = plugins.table("figure", kind, "KINDS").get(setting)
    asks_for_depth = setting in plugins.words("figure", kind, "OF_DEPTHS")
    for name in _flat(value):
        its = getattr(study, table)[name].kind
        if wanted and its != wanted:
            raise ConfigError(f"{place} has {name!r}, which is of kind {its}; the figure draws {wanted} alone")
        if asks_for_depth and not plugins.takes("kernel", its, "depth"):
            raise ConfigError(f"{place} has {name!r}, which has no depth; the figure draws kernels of several depths")


def _check_places(study: Study, grid: str, dim: str, value: Any, place: str) -> None:
    """Refuse depths, widths and numbers of samples that no block of a grid has."""
    _require_among(value, _places(study, grid, dim), f"grid {grid}", place)


def _places(study: Study, grid: str, dim: str) -> list[int]:
    return sorted({n for block in study.grids[grid] for n in getattr(block, dim)})


def _check_among(study: Study, figure: Figure, setting: str, source: str, place: str) -> None:
    """Refuse a value that no entry has: ``source`` is tasks.<setting>, or calculation.<setting>.

    Tasks are all of the grid. Raises PluginError for another source, or a setting that the figure does not have.
    """
    owner, _, name = source.partition(".")
    settings = figure.settings
    if owner not in ("tasks", "calculation") or not {setting, *{owner} - {"tasks"}} <= settings.keys():
        said = (
            f"AMONG has {setting!r}: {source!r}; allowed are a setting and 'tasks.<setting>' or 'calculation.<setting>'"
        )
        raise plugins.PluginError(f"{plugins.path('figure', figure.kind)}: {said}")
    if settings[setting] is None or settings.get(owner, ()) is None:
        return
    names = names_in(study.grids[figure.grid], owner) if owner == "tasks" else [settings[owner]]
    there, table = (f"grid {figure.grid}", study.tasks) if owner == "tasks" else (names[0], study.calculations)
    values = [table[entry].settings.get(name) for entry in names]
    known = sorted({n for value in values if value is not None for n in _listed(value)})
    _require_among(settings[setting], known, there, place)


def _check_as_many(figure: Figure, setting: str, other: str, place: str) -> None:
    """Refuse a list that has not one value for each entry of another. Raises PluginError for what is no setting."""
    settings = figure.settings
    if not {setting, other} <= settings.keys():
        said = f"AS_MANY has {setting!r}: {other!r}; both must be settings"
        raise plugins.PluginError(f"{plugins.path('figure', figure.kind)}: {said}")
    if settings[setting] is None or settings[other] is None:
        return
    values, entries = len(_listed(settings[setting])), len(_listed(settings[other]))
    if values != entries:
        raise ConfigError(f"{place} has {values} values; it must have one for each of the {entries} {other}")


def _require_among(value: Any, there: list[Any], owner: str, place: str) -> None:
    if there and (absent := [n for n in _listed(value) if n not in there]):
        raise ConfigError(f"{place} has {written(absent[0])}; {owner} has {', '.join(map(str, there))}")


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _flat(value: Any) -> Iterator[str]:
    """Yield the names in a setting: a name, a list of names, or a list of lists."""
    if isinstance(value, str):
        yield value
    else:
        for part in value:
            yield from _flat(part)
