"""A reader of data packages: the tables that datapackage.json names, with every cell of the type that it says."""

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

Rows = list[dict[str, Any]]
CASTS = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": {"true": True, "True": True, "false": False, "False": False}.__getitem__,
}


def read(folder: Path) -> dict[str, Rows]:
    """Return the rows of every table, by its path; a missing value is None. Raises AssertionError, ValueError."""
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    assert package["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    assert package["licenses"] == [{"name": "CC-BY-4.0", "path": "https://spdx.org/licenses/CC-BY-4.0"}]
    names = [resource["name"] for resource in package["resources"]]
    assert len({*names}) == len(names) > 0
    return {resource["path"]: _rows(folder, resource) for resource in package["resources"]}


def _rows(folder: Path, resource: dict[str, Any]) -> Rows:
    content = (folder / resource["path"]).read_bytes()
    assert resource["bytes"] == len(content)
    assert resource["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
    header, *lines = csv.reader(content.decode(resource["encoding"]).splitlines(keepends=True))
    fields = resource["schema"]["fields"]
    assert [field["name"] for field in fields] == header
    assert all(field["description"] for field in fields), resource["path"]
    rows = [
        {field["name"]: _cell(field["type"], text) for field, text in zip(fields, line, strict=True)} for line in lines
    ]
    keys = [tuple(row[name] for name in resource["schema"].get("primaryKey", ())) for row in rows]
    assert None not in {value for key in keys for value in key}
    assert not keys or keys[0] == () or len({*keys}) == len(keys), resource["path"]
    return rows


def _cell(kind: str, text: str) -> Any:
    return None if text == "" else CASTS[kind](text)
