"""The data dictionary: what every variable of every group of every cube is, for people and for programs."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import xarray as xr

from isobath import results
from isobath.study.checks import TABLES


class Entry(NamedTuple):
    """A variable or coordinate of a group of a cube, and the table that has it, if it is not too large for one."""

    cube: str
    group: str
    name: str
    dims: tuple[str, ...]
    type: str
    meaning: str
    units: str
    table: str | None


def entries(tree: xr.DataTree, cube: str, places: dict[tuple[str, str], str]) -> Iterator[Entry]:
    """The entries of a cube; ``places`` says which table has a variable: (group, name) -> table."""
    for node in sorted(tree.subtree, key=lambda node: node.path):
        group = node.path.removeprefix("/")
        for name, variable in sorted(node.to_dataset(inherit=False).variables.items(), key=lambda item: str(item[0])):
            kind = "string" if variable.dtype == object else str(variable.dtype)
            dims, attrs = tuple(map(str, variable.dims)), variable.attrs
            meaning = attrs.get("long_name") or _meaning(str(name))
            table = places.get((group, str(name)))
            yield Entry(cube, group, str(name), dims, kind, meaning, attrs.get("units", "1"), table)


def page(found: Iterable[Entry]) -> bytes:
    """DICTIONARY.md: a section per group, a row per variable; where cubes agree, once."""
    groups: dict[str, dict[str, None]] = {}
    for entry in found:
        cells = (f"`{entry.name}`", ", ".join(entry.dims), entry.type, entry.units, entry.meaning)
        row = " | ".join(cell.replace("|", "\\|") for cell in cells)
        groups.setdefault(entry.group, {})[f"| {row} |"] = None
    lines = [
        "# What the variables are",
        "",
        "Everything is a count or a ratio: units are 1 unless a row says otherwise. A missing value is NaN in the",
        'cubes, an empty field in the tables; a network that was not asked for has the status "missing".',
        "Which cube and which table have a variable is in DICTIONARY.json.",
    ]
    for group, rows in groups.items():
        lines += ["", f"## {group}", "", "| variable | dims | type | units | meaning |", "|---|---|---|---|---|", *rows]
    return ("\n".join(lines) + "\n").encode()


def is_setting(name: str) -> bool:
    """Whether a coordinate is a setting of a task, protocol, kernel or construction: see cubes.describe."""
    return name.startswith(tuple(f"{entry.removesuffix('s')}_" for entry in TABLES))


def _meaning(name: str) -> str:
    """Of what has no long_name: axes, and the settings of a study's plug-ins."""
    family, _, setting = name.partition("_")
    return f"setting {setting!r} of the {family}" if is_setting(name) else results.dimensions().get(name, "")
