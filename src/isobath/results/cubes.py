"""Cubes: the results of a grid, gathered along its axes, with what is fitted to them."""

from collections.abc import Iterator, Mapping
from typing import Any

from isobath import results
from isobath.binding import plural
from isobath.results import Inputs, Member, SeedBlocks, Wildcards
from isobath.store_metadata import dims
from isobath.study import grids
from isobath.study.checks import TABLES, require_name
from isobath.study.grids import Grid
from isobath.study.network_cells import recorded
from isobath.study.run import StudyRun
from isobath.study.schema import ConfigError, Law, Protocol, Study

PATH = "cubes/{grid}.zarr.zip"
START = 0.75
OVERHEAD, EACH = 0.4, 0.036
GATHERS = True  # it takes as much memory and disk as its inputs
OUTCOME = True
WORDS = ("status", "limit_reason")  # variables that are words, of which no law can be
DERIVED = ("jamming", "laws")  # groups that are fitted to the gathered ones
DIMENSIONS = {"fit": "fixed: with the exponents of the source; free: with the leading one fitted"}


def names(run: StudyRun) -> Iterator[dict[str, Any]]:
    return ({"grid": grid} for grid in run.study.grids)


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    """Return the blocks of a grid, the settings of the entries that they name, and the laws that are fitted."""
    study, grid = run.study, names["grid"]
    identity = {"study": run.name, "scale": run.config.scale, "grid": grid, "seed": run.config.seed}
    header = {"title": study.title, "source": study.source, **identity, "n_test": study.n_test}
    laws = {name: _law_spec(law) for name, law in study.laws.items() if law.grid == grid}
    return {**header, **run.grids[grid].spec(), "laws": laws}


def _law_spec(law: Law) -> dict[str, Any]:
    """Return a law: the variable, its axis and selection, and the form with its settings."""
    settings = law.model_dump(mode="json", include=set(type(law).model_fields) - {"kind", "grid"})
    return {**settings, "form": {"kind": law.kind, **law.settings}}


def all_members(grid: Grid, blocks_of: SeedBlocks) -> Iterator[Member]:
    """Yield all results that the cube of a grid holds, kind by kind."""
    for members in results.having("members").values():
        yield from members(grid, blocks_of)


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    members = all_members(run.grids[names["grid"]], results.blocks_of(run))
    return {"cells": [run.path(member.path) for member in members]}


def grid(run: StudyRun, names: Wildcards) -> str:
    return str(names["grid"])


def oddities(spec: Mapping[str, Any], arrays: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield a sentence for each group that is lacking, and for each without its axes."""
    expected = {member.group for member in all_members(grids.of_spec(spec), results.every_seed)}
    for group in (*sorted(expected), *(f"laws/{law}" for law in spec["laws"])):
        if group not in arrays:
            yield f"it has no group {group}"
    for kind, groups in results.having("GROUPS").items():
        for group, axes in groups.items():
            name = f"{group}/{results.option(kind, 'PRESENT')}"
            if axes and group in arrays and not {*axes} <= {*dims(arrays.get(name, {}))}:
                yield f"{name} has the dims {dims(arrays.get(name, {}))}, not {list(axes)}"


def check(study: Study, where: str, name: str) -> None:
    """Refuse laws of variables, dims and values that their grid does not have, and calculations without a grid."""
    for calculation, plugin in study.calculations.items():
        require_name(plugin.grid, study.grids, where, f"calculations.{calculation}.grid")
    for entry, law in study.laws.items():
        _check_law(law, study, where, f"laws.{entry}")


def _check_law(law: Law, study: Study, where: str, key: str) -> None:
    require_name(law.grid, study.grids, where, f"{key}.grid")
    # Laws need intervals, which are over networks: kernels have none.
    require_name(law.group, results.having("ABSENT"), where, f"{key}.group")
    require_name(law.along, _along(study, law), where, f"{key}.along")
    kind = results.kinds()[law.group]
    if not any(kind.members(grids.of_study(study, law.grid), results.every_seed)):
        raise ConfigError(f"{where}: {key}.group is {law.group!r}; {kind.ABSENT.format(grid=law.grid)}")
    dims = list(dict.fromkeys((*kind.GROUPS[law.group], *results.option(law.group, "DIMENSIONS", ()))))
    numbers = _numbers(law.group)
    axes = [dim for dim in dims if plural(dim) not in TABLES and dim not in results.REPEATED]
    for role, name, there in (("variable", law.variable, numbers), ("axis", law.axis, [*numbers, *axes])):
        require_name(name, there, where, f"{key}.{role}")
        if lacking := results.option(law.group, "lacking", lambda *_: "")(study, law.grid, name):
            raise ConfigError(f"{where}: {key}.{role} is {name!r}, and {lacking}")
    for dim, values in law.select.items():
        require_name(dim, dims, where, f"{key}.select")
        allowed = _values(dim, study, law)
        if values == []:
            raise ConfigError(f"{where}: {key}.select.{dim} is empty; it must have a value of grid {law.grid}")
        for value in values if isinstance(values, list) else [values]:
            if allowed is not None and value not in allowed:
                listing = ", ".join(map(str, allowed)) or "none"
                raise ConfigError(f"{where}: {key}.select.{dim} is {value!r}; grid {law.grid} has {listing}")
    for low, high in (("above", "below"), ("beyond", "within")):
        least, most = getattr(law, low), getattr(law, high)
        if least is not None and most is not None and least >= most:
            raise ConfigError(f"{where}: {key}.{low} is {least}; it must be less than {high}, which is {most}")


def _numbers(group: str) -> list[str]:
    """Return the variables of a group that are numbers of networks, and not words or arrays over samples or weights."""
    variables = results.kinds()[group].VARIABLES
    wide = {*results.LONG_DIMS, *results.option(group, "LONG_DIMS", ()), "parameter"}
    return [name for name, variable in variables.items() if name not in WORDS and not wide & {*variable.dims}]


def _along(study: Study, law: Law) -> list[str]:
    """Return the dims of a group along which the points of a law can lie: neither names nor numbers of repetitions."""
    kind, protocols = results.kinds()[law.group], _protocols(study, law.grid)
    axes = (axis for axis in kind.GROUPS[law.group] if axis not in results.REPEATED and plural(axis) not in TABLES)
    swept = any(isinstance(protocol.learning_rate, list) for protocol in protocols)
    there = {"step": any(map(recorded, protocols)), "learning_rate": swept}
    return [*axes, *(dim for dim in results.option(law.group, "ALONG", ()) if there.get(dim, True))]


def _protocols(study: Study, grid: str) -> list[Protocol]:
    return [study.protocols[name] for block in study.grids[grid] for name in block.protocols]


def _values(dim: str, study: Study, law: Law) -> list[Any] | None:
    """Return the values that a dim of the group of a law has, where the study file says so."""
    blocks = study.grids[law.grid]
    own = results.option(law.group, "values", lambda *_: {})(study, law.grid)
    if dim in own:
        return list(own[dim])
    if dim in results.REPEATED:
        return [*range(max(getattr(block, plural(dim)) for block in blocks))]
    entry = next((entry for entry in (dim, plural(dim)) if isinstance(getattr(blocks[0], entry, None), list)), None)
    return None if entry is None else sorted({value for block in blocks for value in getattr(block, entry)})


def arguments(job: Any, lacking: list[str]) -> list[str]:
    return ["--folder", job.folder, "--output", *job.outputs, "--failed", *lacking]
