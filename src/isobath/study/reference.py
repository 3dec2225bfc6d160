"""The reference of every key: the tables of config/README.md and the JSON schemas for editors (``make schema``)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from isobath.study.blocks import block_model
from isobath.study.json_schema import Json, config_schema, study_schema
from isobath.study.plugin_models import tables
from isobath.study.schema import Config, LearningRateSearch, Limits, Network, Plugin, Study
from isobath.study.shorthand import Shorthand

PAGE = "config/README.md"
BEGIN, END = "<!-- The tables are made by `make schema`. -->\n", "<!-- End of the tables. -->\n"
WORDS = {"integer": "whole number", "number": "number", "boolean": "`true` or `false`", "null": "null"}
PLURAL = ("number", "name", "text")
NO_BOUND = 10**12  # of settings.Count, there to keep numbers within 64 bits
HEADER = "| key | value | default | meaning |\n| --- | --- | --- | --- |\n"


def files(page: str) -> dict[str, str]:
    """Return the files that are made from the schema, path -> content; ``page`` is config/README.md as it is."""
    schemas = {
        "config/config.schema.json": config_schema(),
        "workflow/studies/study.schema.json": study_schema(overlay=False),
        "workflow/studies/scale.schema.json": study_schema(overlay=True),
    }
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    texts = {path: f"{_json(schema)}\n" for path, schema in schemas.items()}
    return {PAGE: f"{before}{BEGIN}\n{''.join(sections())}{END}{after}", **texts}


def _json(node: Any, indent: int = 0) -> str:
    """Return a value as JSON, on one line where that is short enough."""
    line = json.dumps(node, ensure_ascii=False)
    if not isinstance(node, dict | list) or indent + len(line) <= 116:
        return line
    margin, inner = "\n" + " " * indent, indent + 1
    if isinstance(node, dict):
        rows = [f"{margin} {json.dumps(key)}: {_json(value, inner)}" for key, value in node.items()]
        return f"{{{','.join(rows)}{margin}}}"
    return f"[{','.join(f'{margin} {_json(value, inner)}' for value in node)}{margin}]"


def sections() -> Iterator[str]:
    """Yield a section of Markdown for each mapping that config.yaml and a study may hold."""
    yield _section("config.yaml", Config)
    yield _section("`limits`", Limits)
    yield _section("study.yaml", Study)
    yield _section("An entry of a table", Plugin, Shorthand)
    for table, model in tables().items():
        yield _section(f"An entry of `{table}`", model)
        if table == "protocols":
            yield _section("`network` of a protocol", Network)
            yield _section("`learning_rate` of a protocol, as a search", LearningRateSearch)
    yield _section("A block of a grid", block_model())


def _section(title: str, *models: type[BaseModel]) -> str:
    text = " ".join(" ".join((model.__doc__ or "").split()) for model in models).replace("``", "`")
    rows = "".join(row for model in models for row in _rows(model))
    return f"### {title}\n\n{text}\n\n" + (f"{HEADER}{rows}\n" if rows else "")


def _rows(model: type[BaseModel]) -> Iterator[str]:
    """Yield a row for each key of a model; ``kind`` is described once, for all entries."""
    schema = model.model_json_schema()
    for key, field in schema["properties"].items():
        if key == "kind" and model is not Plugin:
            continue
        default = "required" if key in schema.get("required", []) else f"`{json.dumps(field.get('default'))}`"
        cells = (f"`{key}`", _value(field), default, field["description"])
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _value(schema: Json) -> str:
    """Return the values that a JSON schema allows, in words."""
    if "anyOf" in schema:
        return " or ".join(_value(option) for option in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        item = _value(schema["items"])
        return f"list of {next((item.replace(word, f'{word}s') for word in PLURAL if word in item), item)}"
    if schema.get("type") == "string":
        return "name" if "pattern" in schema else "text"
    return WORDS.get(schema.get("type", "object"), "mapping") + _range(schema)


def _range(schema: Json) -> str:
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    bounds = [f" {sign} {schema[key]}" for key, sign in signs.items() if abs(schema.get(key, NO_BOUND)) < NO_BOUND]
    return " and".join(bounds)


def write(root: Path) -> list[str]:
    """Write the files that are made from the schema into the repository at ``root``; return their paths."""
    texts = files((root / PAGE).read_text(encoding="utf-8"))
    for path, text in texts.items():
        (root / path).write_text(text, encoding="utf-8")
    return list(texts)


def main() -> None:
    """Write the reference of the repository in the working directory."""
    print(*write(Path()), sep="\n")


if __name__ == "__main__":
    main()
