"""Frictionless data packages: datapackage.json beside CSV tables, with the type and the meaning of every column.

Data Package 2.0 (https://datapackage.org); what readers of version 1 need is the same. Equal tables make equal bytes.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from isobath.archive import zips
from isobath.study.schema import ConfigError

NAME = "datapackage.json"
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
LICENCE = "LICENSE-data"
TYPES = {"i": "integer", "u": "integer", "f": "number", "b": "boolean"}  # of Table Schema, by the kind of a dtype

Resource = Mapping[str, Any]


class Field(NamedTuple):
    """A column of a table: its name, its type in Table Schema, its meaning, and its unit if all rows share one."""

    name: str
    type: str
    meaning: str
    unit: str = ""

    def record(self) -> dict[str, str]:
        """Return the column as Table Schema has it, with its unit."""
        unit = {"unit": self.unit} if self.unit else {}
        return {"name": self.name, "type": self.type, "description": self.meaning, **unit}


def resource(path: str, content: bytes, fields: Iterable[Field], *, key: Sequence[str], title: str) -> Resource:
    """Return the description of a CSV table whose rows the columns ``key`` tell apart."""
    schema = {"fields": [field.record() for field in fields], "missingValues": [""]}
    return {
        "name": re.sub(r"[^a-z0-9._-]", "-", path.removesuffix(".csv").lower()),
        "path": path,
        "title": title,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": len(content),
        "hash": f"sha256:{zips.digest(content)}",
        "schema": schema | ({"primaryKey": [*key]} if key else {}),
    }


def package(name: str, title: str, resources: Sequence[Resource], *, licence: str) -> bytes:
    """Return datapackage.json, with its tables by their paths; ``licence`` is an SPDX identifier."""
    content = {
        "$schema": PROFILE,
        "name": name,
        "title": title,
        "licenses": [{"name": licence, "path": f"https://spdx.org/licenses/{licence}"}],
        "resources": sorted(resources, key=lambda described: str(described["path"])),
    }
    return written(content)


def written(content: Any) -> bytes:
    """Return plain data as JSON, as archives and findings have it."""
    return f"{json.dumps(content, indent=1, ensure_ascii=False)}\n".encode()


def licence(workflow: Path) -> str:
    """Return the SPDX identifier of the licence of data that a workflow makes. Raises OSError, ConfigError."""
    file = workflow / LICENCE
    match = re.match(r"SPDX-License-Identifier: ([A-Za-z0-9.+-]+)\n", file.read_text(encoding="utf-8"))
    if not match:
        raise ConfigError(f"{file}: the first line must be 'SPDX-License-Identifier: ' and a name such as CC-BY-4.0")
    return match[1]
