"""Binding of plug-ins: from a kind and settings, as a study has them, to a function that can be called.

Nothing here reads files: the declarations of a plug-in are taken from its module, once that is imported. ``plugins``
checks a study without importing anything.
"""

import importlib
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

from isobath.settings import Family


def plural(family: str) -> str:
    """Return the plural of a word: the folder of a family, the key of a study that names values of a dim."""
    return f"{family}es" if family.endswith("ss") else f"{family}s"


def singular(plural: str) -> str:
    """Return the singular of a plural: the family of a folder, ``losses`` -> ``loss``, or the dim of a setting."""
    return plural.removesuffix("es") if plural.endswith("sses") else plural.removesuffix("s")


def load(family: str, kind: str) -> ModuleType:
    """Import a plug-in."""
    return importlib.import_module(f"isobath.{plural(family)}.{kind}")


def parts(plugin: str | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the kind and the settings of a plug-in; a word is short for a kind without settings."""
    content = {"kind": plugin} if isinstance(plugin, str) else dict(plugin)
    return content.pop("kind"), content


def bound(family: str, plugin: Any) -> Callable[..., Any]:
    """Return the verb of a plug-in with its settings, and the plug-ins among them bound alike.

    ``plugin`` is a kind, or a mapping of ``kind`` and settings. A function that is bound already is returned as it is,
    so that a plug-in may bind a setting of its own that has been left at its default.
    """
    if callable(plugin):
        return plugin  # type: ignore[no-any-return]
    kind, values = parts(plugin)
    module, verbs = load(family, kind), importlib.import_module(f"isobath.{plural(family)}").VERBS
    verb = next(getattr(module, name) for name in verbs if hasattr(module, name))
    for name in values.keys() & verb.__annotations__.keys():
        values[name] = over_nested(verb.__annotations__[name], values[name], lambda inner, item, _: bound(inner, item))
    return partial(verb, **values)


def companion(verb: Callable[..., Any], name: str) -> Callable[..., Any] | None:
    """Return an optional function of the plug-in whose verb is bound, with the same settings; None if it has none."""
    if not isinstance(verb, partial):
        return None
    function = getattr(importlib.import_module(verb.func.__module__), name, None)
    return function and partial(function, **(verb.func.__kwdefaults__ or {}) | verb.keywords)


def named_by(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the settings that a function names, or all if it takes any (``**_``).

    Raises ValueError for an argument without default that is no setting.
    """
    arguments = inspect.signature(function).parameters
    required = (name for name, a in arguments.items() if a.default is a.empty and a.kind is not a.VAR_KEYWORD)
    missing = next((name for name in required if name not in values), None)
    if missing:
        raise ValueError(
            f"{inspect.getfile(function)}: {function.__name__} takes {missing}, which is no setting; "
            f"there are {', '.join(values) or 'none'}"
        )
    every = any(argument.kind is argument.VAR_KEYWORD for argument in arguments.values())
    return dict(values) if every else {name: values[name] for name in arguments if name in values}


def over_nested(of_type: Any, value: Any, change: Callable[[str, Any, str], Any], key: str = "") -> Any:
    """Return a setting with ``change(family, plug-in, key)`` in place of each plug-in that its type says it holds."""
    mark = next((m for m in getattr(of_type, "__metadata__", ()) if isinstance(m, Family)), None)
    if mark is not None:
        return change(mark.name, value, key)
    inner, origin = typing.get_args(of_type), typing.get_origin(of_type)
    if origin in (typing.Union, types.UnionType):
        members = [member for member in inner if member is not types.NoneType]
        inner, origin = (next(filter(_holds_plugins, members), members[0]),), typing.Annotated
    if origin is typing.Annotated:
        return None if value is None else over_nested(inner[0], value, change, key)
    if origin in (tuple, list) and isinstance(value, list | tuple):
        types_ = [inner[0]] * len(value) if origin is list or inner[-1] is ... else inner
        pairs = zip(types_, value, strict=True)
        return [over_nested(item_type, item, change, f"{key}[{i}]") for i, (item_type, item) in enumerate(pairs)]
    if origin is dict and isinstance(value, Mapping):
        return {name: over_nested(inner[1], item, change, f"{key}.{name}") for name, item in value.items()}
    return value


def _holds_plugins(of_type: Any) -> bool:
    """Tell whether a type is that of a plug-in, or has one at any depth."""
    marks = getattr(of_type, "__metadata__", ())
    return any(isinstance(mark, Family) for mark in marks) or any(map(_holds_plugins, typing.get_args(of_type)))
