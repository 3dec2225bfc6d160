"""Data dictionary: dims, type, units and meaning of every variable of every cube, for people and for programs."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import xarray as xr

from isobath.analysis.coordinates import meaning_of


class Entry(NamedTuple):
    """A variable or coordinate of a group of a cube, and the table that has it; None if that would be too large."""

    cube: str
    group: str
    name: str
    dims: tuple[str, ...]
    type: str
    meaning: str
    units: str
    table: str | None


def entries(tree: xr.DataTree, cube: str, places: dict[tuple[str, str], str]) -> Iterator[Entry]:
    """Yield the entries of a cube; ``places`` maps (group, name) of a variable to the table that contains it."""
    for node in sorted(tree.subtree, key=lambda node: node.path):
        group = node.path.removeprefix("/")
        for name, variable in sorted(node.to_dataset(inherit=False).variables.items(), key=lambda item: str(item[0])):
            kind = "string" if variable.dtype == object else str(variable.dtype)
            dims, attrs = tuple(map(str, variable.dims)), variable.attrs
            meaning = attrs.get("long_name") or meaning_of(str(name))
            table = places.get((group, str(name)))
            yield Entry(cube, group, str(name), dims, kind, meaning, attrs.get("units", "1"), table)


def page(variables: Iterable[Entry]) -> bytes:
    """Return DICTIONARY.md: a section per group and a row per variable, which cubes with equal entries share."""
    groups: dict[str, dict[str, None]] = {}
    for entry in variables:
        cells = (f"`{entry.name}`", ", ".join(entry.dims), entry.type, entry.units, entry.meaning)
        row = " | ".join(cell.replace("|", "\\|") for cell in cells)
        groups.setdefault(entry.group, {})[f"| {row} |"] = None
    lines = [
        "# Variables",
        "",
        "Counts and ratios have the unit 1. A missing value is NaN in the cubes and an empty field in the tables; a",
        'network that the study does not contain has the status "missing".',
        "DICTIONARY.json names the cube and the table of each variable.",
    ]
    for group, rows in groups.items():
        lines += ["", f"## {group}", "", "| variable | dims | type | units | meaning |", "|---|---|---|---|---|", *rows]
    return ("\n".join(lines) + "\n").encode()
