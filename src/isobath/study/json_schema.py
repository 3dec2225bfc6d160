"""JSON schemas for editors, of config.yaml, of a study and of the overlay of a scale.

They are made from schema.py and from the signatures of the plug-ins. They refuse a misspelt key and a value of a
wrong type while one writes; what entries have from ``like`` or ``each``, and names that refer to each other, are
checked by loading.py alone.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from isobath import plugins
from isobath.study.blocks import study_model
from isobath.study.loading import settings_model
from isobath.study.plugin_models import nested, tables
from isobath.study.schema import OF_ALL_SCALES, Config, LearningRateSearch, Plugin
from isobath.study.shorthand import Shorthand

Json = dict[str, Any]
NULL = {"type": "null"}


def _cleaned(node: Any) -> Any:
    """Return a schema without the titles of pydantic, which repeat the keys, and with the names of tables checked."""
    if isinstance(node, list):
        return [_cleaned(item) for item in node]
    if not isinstance(node, dict):
        return node
    schema = {key: _cleaned(value) for key, value in node.items() if key != "title" or not isinstance(value, str)}
    if isinstance(schema.get("family"), str):  # of a setting that is a plug-in: see settings.Family
        schema["$ref"] = f"#/$defs/{schema.pop('family')}"
    for pattern, value in schema.pop("patternProperties", {}).items():  # one; names that do not match it are refused
        schema |= {"additionalProperties": value, "propertyNames": {"pattern": pattern}}
    return schema


PLUGIN: Json = _cleaned(Plugin.model_json_schema())
SHORTHAND: Json = _cleaned(Shorthand.model_json_schema())["properties"]


def config_schema() -> Json:
    """Return the JSON schema of config.yaml."""
    return _cleaned(Config.model_json_schema())


def study_schema(*, overlay: bool) -> Json:
    """Return the JSON schema of a study.yaml, or of an ``overlay``: all keys are optional, and null removes."""
    schema: Json = _cleaned(study_model().model_json_schema())
    definitions = schema["$defs"]
    for model in tables().values():
        definitions |= _entry(model.__name__, model.family, definitions, SHORTHAND, strict=not overlay)
    for model in nested():
        definitions |= _entry(model.__name__, model.family, definitions, {}, strict=False)
    while families := _undefined(schema):
        for family in families:
            schema["$defs"] = _entry(family, family, {family: PLUGIN}, {}, strict=False) | schema["$defs"]
    search = definitions[LearningRateSearch.__name__]
    search["properties"] = {key: _or_null(value) for key, value in search["properties"].items()}
    if overlay:
        schema.pop("required")
        keys = ((key, value) for key, value in schema["properties"].items() if key not in OF_ALL_SCALES)
        schema["properties"] = {key: _removable(value) for key, value in keys}
    return schema


def _removable(schema: Json) -> Json:
    """Return a schema of a key that can be null, as can the entries of a table."""
    entries = (
        {"additionalProperties": _or_null(schema["additionalProperties"])} if schema.get("type") == "object" else {}
    )
    return _or_null(schema) | entries


def _undefined(schema: Json) -> list[str]:
    """Return the families of settings to which ``schema`` refers without a definition, sorted."""
    return sorted(set(re.findall(r'"#/\$defs/([^"]+)"', json.dumps(schema))) - set(schema["$defs"]))


def _entry(name: str, family: str, declarations: Json, shorthand: Json, *, strict: bool) -> Json:
    """Return the definitions of an entry and of each of its kinds; ``strict`` ones have all keys that are required."""
    declared, kinds = declarations[name], plugins.kinds(family)
    properties = {key: _or_null(value) for key, value in declared["properties"].items()} | shorthand
    properties["kind"] = {"description": declared["properties"]["kind"]["description"], "enum": kinds}
    definitions = {f"{family}-{kind}": _kind(family, kind, properties, strict=strict) for kind in kinds}
    allowed = sorted({key for definition in definitions.values() for key in definition["properties"]})
    cases: list[Json] = [_if_kind(kind, {"$ref": f"#/$defs/{family}-{kind}"}) for kind in kinds]
    cases += [{"if": {"not": {"required": ["kind"]}}, "then": {"propertyNames": {"enum": allowed}}}]
    cases += [_if_alone(declared["required"])] if strict else []
    entry = {"description": declared["description"], "properties": properties, "allOf": cases}
    cases += [{"if": {"type": "string"}, "then": {"enum": kinds}}]  # a word is short for a kind without settings
    types = ["object", "string"] if strict else ["object", "string", "null"]
    return {name: {"type": types, **entry}, **definitions}


def _kind(family: str, kind: str, shared: Iterable[str], *, strict: bool) -> Json:
    """Return the definition of an entry of one kind: the ``shared`` keys of any, and the settings of this kind."""
    settings = _cleaned(settings_model(family, kind).model_json_schema())
    for name, words in plugins.meanings(family, kind).items():
        settings["properties"][name]["description"] = words
    return {
        "description": plugins.about(family, kind)[0],
        "properties": dict.fromkeys(shared, True) | {k: _or_null(v) for k, v in settings["properties"].items()},
        "additionalProperties": False,
        **(_if_alone(settings.get("required", [])) if strict else {}),
    }


def _if_kind(kind: str, schema: Json) -> Json:
    return {"if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]}, "then": schema}


def _if_alone(required: list[str]) -> Json:
    """Require keys of an entry that has none from another entry or from the values of a family."""
    return {"if": {"not": {"anyOf": [{"required": ["like"]}, {"required": ["each"]}]}}, "then": {"required": required}}


def _or_null(schema: Json) -> Json:
    """Return a schema that allows null as well; a reference is left as it is, for its definition to allow null."""
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if values is not None:
        return {k: v for k, v in schema.items() if k not in ("type", "const")} | {"enum": [*values, None]}
    if "anyOf" in schema:
        return schema | {"anyOf": [option for option in schema["anyOf"] if option != NULL] + [NULL]}
    return schema | ({"type": [schema["type"], "null"]} if "type" in schema else {})
