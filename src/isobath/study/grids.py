"""Grids: the blocks of an experiment, with the settings of all that they name. Its cells follow from these alone."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from isobath import plugins
from isobath.settings import Family
from isobath.study.blocks import block_model
from isobath.study.checks import TABLES
from isobath.study.schema import Block, Plugin, Study

Settings = Mapping[str, Mapping[str, Any]]  # entries of a table: name -> kind and settings, as plain data


class Grid(NamedTuple):
    """The blocks of a grid, the entries of tables that they name, and the calculations that belong to the grid."""

    blocks: list[Block]
    tasks: Settings
    protocols: Settings
    kernels: Settings
    constructions: Settings
    calculations: Settings

    def spec(self) -> dict[str, Any]:
        """Return the grid as plain data."""
        return {**self._asdict(), "blocks": [block.model_dump() for block in self.blocks]}


def plain(plugin: Plugin) -> dict[str, Any]:
    """Return a plug-in's kind and settings as plain data, without settings that are null by default."""
    return _without_nulls(plugin.family, plugin.model_dump(mode="json"))


def _without_nulls(family: str, plugin: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out settings that are null, unless null is another value than the default: also in plug-ins inside."""
    declared, found = plugins.schema(family, plugin["kind"]), {}
    for name, value in plugin.items():
        annotation, default = declared.get(name, (None, None))
        inside = next((mark.name for mark in getattr(annotation, "__metadata__", ()) if isinstance(mark, Family)), "")
        if inside and isinstance(value, Mapping):
            found[name] = _without_nulls(inside, value)
        elif value is not None or default is not None:
            found[name] = value
    return found


def names_in(blocks: Iterable[Block], table: str) -> list[str]:
    """Return the sorted names that blocks take from a table of the study, such as ``kernels``."""
    return sorted({name for block in blocks for name in getattr(block, table)})


def of_spec(spec: Mapping[str, Any]) -> Grid:
    """Return the grid that a spec holds, ``Grid.spec`` among other entries."""
    blocks = [block_model().model_validate(block) for block in spec["blocks"]]
    return Grid(blocks, *(spec[table] for table in Grid._fields[1:]))


def of_study(study: Study, name: str) -> Grid:
    """Return a grid of a study."""
    blocks = study.grids[name]
    tables = ({entry: plain(getattr(study, table)[entry]) for entry in names_in(blocks, table)} for table in TABLES)
    calculations = {entry: plain(plugin) for entry, plugin in study.calculations.items() if plugin.grid == name}
    return Grid(blocks, **dict(zip(TABLES, tables, strict=True)), calculations=calculations)
