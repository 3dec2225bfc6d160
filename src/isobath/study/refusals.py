"""Refusals as one sentence, which begins with the key; and the place of a key in a file."""

import difflib
import re
from collections.abc import Iterable
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from isobath import plugins
from isobath.study.schema import NAME, WORK
from isobath.study.yaml import written

RULES = {  # by the pattern that a word does not match
    NAME: "a name is letters, digits and _ . = - (64 at most, not starting with _ . = -)",
    WORK: "a work is an arXiv number, a DOI or an address: arXiv:2005.12488, doi:10.1103/abc or https://...",
}
RATE_RULE = "it must be a positive number, a list of them, a formula, or a search with minimum and maximum"

ALLOWED = {  # by the type of an error of pydantic
    "int_type": "an integer, written without a point",
    "int_from_float": "an integer, written without a point",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "a word",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "too_short": "a list with at least one entry",
}
NUMERAL = r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*"
OF_MAPPINGS = "a mapping with at least one entry"  # in place of the last, of a value that is a mapping


def sentence(error: ValidationError, model: type[BaseModel], *, prefix: str = "", declared: Iterable[str] = ()) -> str:
    """Return what ``error`` refuses, in one sentence that begins with the dotted key, below ``prefix``.

    A key that is unknown to ``model`` is compared with those of the model and with the ``declared`` ones.
    """
    first, place = _foremost(error, model)
    key, name = (prefix + _dotted(place)).removesuffix("."), str(place[-1]) if place else ""
    if first["type"] == "extra_forbidden":
        owner = (prefix + _dotted(place[:-1])).removesuffix(".")
        known = {*_keys(model, first["loc"][:-1]), *declared}
        return f"unknown key {name!r}{f' in {owner}' if owner else ''}; {plugins.nearest(name, known)}"
    if first["type"] == "missing":
        siblings = first["input"] if isinstance(first["input"], dict) else {}
        near = difflib.get_close_matches(name, siblings, n=1)
        return f"{key} is missing" + (f"; is {near[0]!r} meant to be it?" if near else "")
    if first["type"] in ALLOWED and name != "learning_rate":
        types = [e["type"] for e in error.errors() if _place(model, e["loc"]) == place]
        allowed = ALLOWED | ({"too_short": OF_MAPPINGS} if isinstance(first["input"], dict) else {})
        several = " or ".join(dict.fromkeys(allowed[kind] for kind in types if kind in allowed))
        return f"{key} is {written(first['input'])}; allowed: {several}{_unquoted(first)}"
    message = rule(first)
    if first["type"] == "string_pattern_mismatch":
        message = RULES.get(first["ctx"]["pattern"], message)
    if name == "learning_rate":
        message = RATE_RULE
    return f"{key} is {written(first['input'])}; {message}"


def rule(refusal: Any) -> str:
    """Return what pydantic asks of a value: 'it must be greater than 0'."""
    message = str(refusal["msg"])
    return (message[0].lower() + message[1:]).replace("input should be", "it must be").replace("valid array", "list")


def _unquoted(refusal: Any) -> str:
    """Return the end of a sentence on a number that stands in quotes, which make it a word."""
    value, asks_for_number = refusal["input"], refusal["type"] in ("int_type", "float_type")
    return ", without quotes" if asks_for_number and isinstance(value, str) and re.fullmatch(NUMERAL, value) else ""


def key_of(refusal: str) -> str:
    """Return the dotted key that a refusal is about: the one that it calls unknown, or else its first word."""
    unknown = re.match(r"unknown key '(.*?)'(?: in (\S+?))?;", refusal)
    if unknown:
        return ".".join(part for part in (unknown[2], unknown[1]) if part)
    return re.split(r"[\s:;]", refusal, maxsplit=1)[0]


def _foremost(error: ValidationError, model: type[BaseModel]) -> tuple[Any, list[Any]]:
    """Return the one of several refusals that is said, and its place; a misspelt key is missing as well."""
    first = min(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
    place = _place(model, first["loc"])
    if place[-1:] == ["learning_rate"]:  # its rule says all types
        return first, place
    within = [e for e in error.errors() if _place(model, e["loc"])[: len(place)] == place]
    nearest = max(within, key=lambda e: len(_place(model, e["loc"])))  # of the types that were tried
    return nearest, _place(model, nearest["loc"])


def _place(model: type[BaseModel], loc: Iterable[Any]) -> list[Any]:
    """Return the keys and indices of a place of pydantic, which names the type that it tried of several as well."""
    place: list[Any] = []
    annotation: Any = model
    tried = False  # whether the last part was the type of a union
    for part in loc:
        if len(_alternatives(annotation)) > 1 and not tried:
            tried = True
        elif part != "[key]":
            place.append(part)
            annotation, tried = _below(annotation, part), False
    return place


def _alternatives(annotation: Any) -> list[Any]:
    """Return the types of a union but None; none if it is no union."""
    if get_origin(annotation) not in (Union, UnionType):
        return []
    return [a for a in get_args(annotation) if a is not type(None)]


def _dotted(place: Iterable[Any]) -> str:
    """Return a path of keys and indices as text: ``grids.samples[0].width``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def reach(content: Any, key: str) -> int:
    """Return how many characters of the dotted ``key`` lead to a place in ``content``; all from a list or number on."""
    if not isinstance(content, dict):
        return len(key)
    steps = [step for step in map(str, content) if key == step or key.startswith((f"{step}.", f"{step}["))]
    if not steps:
        return 0
    step = max(steps, key=len)
    rest = key[len(step) :].lstrip(".")
    return len(key) - len(rest) + reach(content[step], rest)


def _keys(model: Any, place: Iterable[Any]) -> list[str]:
    """Return the keys that are allowed where ``place`` leads to in a model."""
    for part in place:
        model = _below(model, part) or model
    return sorted({key for m in _models(model) for key in m.model_fields})


def _below(annotation: Any, part: Any) -> Any:
    """Return the type of what a key or an index leads to; None where a type has nothing of that name."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        field = annotation.model_fields.get(part)
        return None if field is None else field.annotation
    arguments = get_args(annotation)
    if get_origin(annotation) is dict:
        return arguments[1]
    if get_origin(annotation) in (list, tuple):
        return arguments[0] if isinstance(part, int) else None
    return next((below for below in (_below(argument, part) for argument in arguments) if below is not None), None)


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for argument in getattr(annotation, "__args__", ()) for m in _models(argument)]
