"""Plug-ins: a file name is a kind, the signature of its verb is a schema, and its family says what it must have.

``tasks/k_local.py`` is the task of kind ``k_local``. A folder is a family if its ``__init__`` has ``VERBS``, the
functions of which a kind must have one, and ``PROVIDED``, the keyword-only arguments that the caller provides. All
others are settings: what a study file may say about a kind is read from there, without importing it (it may import
torch).
"""

import ast
import difflib
import importlib
import re
import typing
from collections.abc import Mapping
from functools import cache
from numbers import Integral
from pathlib import Path
from types import ModuleType
from typing import Any

from isobath import roots as overlays
from isobath import settings, syntax
from isobath.binding import load, named_by, parts, plural, singular
from isobath.ends import Ends
from isobath.syntax import PluginError, constant, functions, plugin_errors, tree, type_of, value_of

__all__ = ["PluginError", "tree"]
PACKAGE = Path(__file__).parent
ITEM = re.compile(r"^- ``(\w+)``: (.+?)(?=\n- |\n\n|\Z)", re.MULTILINE | re.DOTALL)  # of a list in a docstring


def roots() -> list[Path]:
    """Return the folders in which plug-ins lie: the package, then those of the user's own."""
    return [PACKAGE, *overlays.own()]


def families() -> list[str]:
    """Return the names of all families, in the singular."""
    return _families(PACKAGE)


@cache
def _families(package: Path) -> list[str]:
    packages = sorted(package.glob("*/__init__.py"))
    return [singular(path.parent.name) for path in packages if "VERBS" in functions(path)]


def contracts() -> list[str]:
    """Return the names of all folders that state a contract: families, and those whose files a study does not name."""
    return sorted([*families(), "claim", "result"])


def contract(family: str) -> str:
    """Return the contract of a family: the docstring of its folder."""
    return ast.get_docstring(tree(_contract(family))) or ""


def verbs(family: str) -> tuple[str, ...]:
    """Return the functions of a family: a kind has one of them."""
    return tuple(constant(_contract(family), "VERBS"))


def default(family: str) -> str:
    """Return the kind that is taken where a study names none of a family."""
    return str(constant(_contract(family), "DEFAULT"))


def kinds(family: str) -> list[str]:
    """Return the names that ``kind:`` may have in a family."""
    files = (path for root in roots() for path in (root / plural(family)).glob("[!.]*.py"))
    return sorted({path.stem for path in files if path.stem != "__init__"})


def path(family: str, kind: str) -> Path:
    """Return the file of a plug-in, in the first root that has it; in the package if none has."""
    try:
        return _found(PACKAGE, family, kind)
    except PluginError:
        return PACKAGE / plural(family) / f"{kind}.py"


@overlays.cached
def _found(package: Path, family: str, kind: str) -> Path:
    """Return the file of a plug-in, which is remembered. Raises PluginError if there is none, and looks again then."""
    places = (root / plural(family) / f"{kind}.py" for root in (package, *overlays.own()))
    found = next((place for place in places if place.is_file()), None) if kind in kinds(family) else None
    if found is None:
        raise PluginError(f"there is no {family} of kind {kind!r}; {nearest(kind, kinds(family))}")
    return found


def file(family: str, kind: str) -> str:
    """Return the file of a plug-in as it lies in a clone, src/isobath/..., or in the user's own folder, own/..."""
    place = path(family, kind)
    return as_it_lies(next(root for root in roots() if place.is_relative_to(root)), place)


def as_it_lies(root: Path, file: Path) -> str:
    """Return the path of a file of a root as it lies in a clone, src/isobath/..., or in the user's own folder."""
    return (Path("src" if root == PACKAGE else "", root.name) / file.relative_to(root)).as_posix()


def module(family: str, kind: str) -> str:
    """Return the name of the module of a plug-in."""
    return f"isobath.{plural(family)}.{kind}"


def schema(family: str, kind: str) -> dict[str, tuple[Any, Any]]:
    """Return the settings of a plug-in, name -> (type, default or ...), from the signature of its verb."""
    return dict(_schema(path(family, kind), _verb(family, kind), _contract(family)))


@cache
def _schema(path: Path, verb: ast.FunctionDef, contract: Path) -> dict[str, tuple[Any, Any]]:
    written = _declared(path, verb, contract).items()
    return {name: (evaluated(text, f"{path}: the type of {name}"), default) for name, (text, default) in written}


def evaluated(written: str, subject: str) -> Any:
    """Return the type that is ``written``. Raises PluginError, which begins with ``subject``."""
    try:
        types = {**vars(typing), **vars(settings), "Literal": settings.ExactLiteral()}
        return eval(written, types)  # noqa: S307 (our own source)
    except Exception as error:
        raise PluginError(f"{subject} is {written}: {error}; the types of settings.py can be used") from None


def declared(family: str, kind: str) -> dict[str, tuple[str, Any]]:
    """Return the settings of a plug-in with their types as they are written."""
    return dict(_declared(path(family, kind), _verb(family, kind), _contract(family)))


@cache
def _declared(path: Path, verb: ast.FunctionDef, contract: Path) -> dict[str, tuple[str, Any]]:
    syntax.refuse_quoted_types(tree(path), path)
    types = {}
    for argument, default in zip(verb.args.kwonlyargs, verb.args.kw_defaults, strict=True):
        if argument.arg in constant(contract, "PROVIDED", ()):
            continue
        written = type_of(argument, f"{path}: {argument.arg} of {verb.name}")
        value = ... if default is None else value_of(default, f"{path}: the default of {argument.arg} of {verb.name}")
        types[argument.arg] = (written, value)
    return types


def meanings(family: str, kind: str) -> dict[str, str]:
    """Return the meanings of settings, name -> words: list items "- ``name``: words" in docstrings.

    They stand in that of the plug-in's module, or, of settings that mean the same in all kinds, in the family's
    contract.
    """
    texts = contract(family), ast.get_docstring(tree(path(family, kind))) or ""
    items = {name: " ".join(words.split()) for text in texts for name, words in ITEM.findall(text)}
    return {name: items[name] for name in declared(family, kind) if name in items}


def completed(family: str, plugin: str | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the kind of a plug-in and the settings that it declares, at their defaults where it leaves them out."""
    kind, values = parts(plugin)
    merged = {name: values.get(name, default) for name, (_, default) in declared(family, kind).items()}
    return kind, {name: value for name, value in merged.items() if value is not ...}


def about(family: str, kind: str) -> tuple[str, str]:
    """Return the first sentence of a plug-in's module, and the docstring of its verb."""
    return summary(family, kind), ast.get_docstring(_verb(family, kind)) or ""


def summary(family: str, kind: str) -> str:
    """Return the first line of the docstring of a plug-in's module."""
    return (ast.get_docstring(tree(path(family, kind))) or "").partition("\n")[0]


def verb_of(family: str, kind: str) -> str:
    """Return which of its family's verbs a plug-in has; the first if none."""
    return _verb_of(path(family, kind), _contract(family))


@overlays.cached
def _verb_of(path: Path, contract: Path) -> str:
    defined, verb_names = functions(path), constant(contract, "VERBS")
    return str(next((verb for verb in verb_names if verb in defined), verb_names[0]))


def literal(family: str, kind: str, name: str, default: Any = None) -> Any:
    """Return a constant of a plug-in, such as the ``FILES`` of a task; it is read, not imported."""
    return constant(path(family, kind), name, default)


def words(family: str, kind: str, name: str) -> tuple[str, ...]:
    """Return a constant of a plug-in that is several words; none where it has no such constant. Raises PluginError."""
    value = literal(family, kind, name, ())
    if not isinstance(value, tuple | list) or not all(isinstance(word, str) for word in value):
        raise PluginError(f"{path(family, kind)}: {name} is {value!r}; it must be a tuple of words, as ('a', 'b')")
    return tuple(value)


def table(family: str, kind: str, name: str) -> dict[str, Any]:
    """Return a constant of a plug-in that is a mapping; empty where it has no such constant. Raises PluginError."""
    value = literal(family, kind, name, {})
    if not isinstance(value, dict):
        raise PluginError(f"{path(family, kind)}: {name} is {value!r}; it must be a mapping")
    return value


def files(kind: str) -> tuple[str, ...]:
    """Return the data files that a task reads."""
    return words("task", kind, "FILES")


def downloads(kind: str) -> Mapping[str, Any]:
    """Return the published files of a task, name -> ``data.downloads.File``: those of its module ``DOWNLOADS``."""
    module = literal("task", kind, "DOWNLOADS")
    if module is None:
        return {}
    with plugin_errors(f"{path('task', kind)}: DOWNLOADS is {module!r}, which has no FILES"):
        published: Mapping[str, Any] = importlib.import_module(module).FILES
    return published


def check(family: str, kind: str, values: dict[str, Any]) -> None:
    """Refuse settings that contradict each other (ValueError): by a plug-in's table ``NEEDS`` and its ``check``.

    ``NEEDS`` is read, not imported: setting -> {other setting: the value without which the first does nothing}.
    ``check`` is called with those settings that it names.
    """
    known = declared(family, kind)
    for name, requirements in table(family, kind, "NEEDS").items():
        if not isinstance(requirements, dict) or not {name, *requirements} <= known.keys():
            raise PluginError(f"{path(family, kind)}: NEEDS has {name!r}: {requirements!r}; both must be settings")
        for required, value in requirements.items():
            if values[required] != value and values[name] != schema(family, kind)[name][1]:
                raise ValueError(f"{name} is {values[name]}; it needs {required}: {value}")
    if "check" in functions(path(family, kind)):
        function = _loaded(family, kind).check
        with plugin_errors(f"{path(family, kind)}: check fails", refusals=(ValueError,)):
            function(**named_by(function, values))


def accept(family: str, plugin: Mapping[str, Any], subject: Any) -> None:
    """Let a plug-in (its kind and settings) with a function ``accept`` refuse its use on a subject (ValueError).

    The contract of a family says what the subject is, as the depths for a kernel.
    """
    kind, values = parts(plugin)
    if "accept" in functions(path(family, kind)):
        function = _loaded(family, kind).accept
        with plugin_errors(f"{path(family, kind)}: accept fails", refusals=(ValueError,)):
            function(subject, **values)


def takes(family: str, kind: str, argument: str) -> bool:
    """Tell whether the verb of a plug-in has a keyword-only argument of this name, as ``depth`` of a kernel."""
    return argument in {keyword.arg for keyword in _verb(family, kind).args.kwonlyargs}


def ends(task: Mapping[str, Any]) -> Ends:
    """Return the numbers of features and outputs of a task (its kind and settings), and the nature of the outputs."""
    kind, values = completed("task", task)
    place = path("task", kind)
    if "ends" not in functions(place):
        raise PluginError(f"{place} has no function ends, which says how many features and outputs it has")
    function = _loaded("task", kind).ends
    with plugin_errors(f"{place}: ends fails"):
        numbers: Ends = function(**values)
    if not (isinstance(numbers, Ends) and all(isinstance(number, Integral) and number > 0 for number in numbers[:2])):
        raise PluginError(f"{place}: ends returned {numbers!r:.80}; Ends(features, outputs) of two counts is allowed")
    return numbers


def _loaded(family: str, kind: str) -> ModuleType:
    """Import a plug-in. Raises PluginError."""
    with plugin_errors(f"{path(family, kind)}: it can't be imported"):
        return load(family, kind)


def nearest(word: str, words: typing.Collection[str]) -> str:
    """Return 'did you mean ...?' where a word is near, and the allowed words."""
    near = difflib.get_close_matches(word, words, n=1)
    return (f"did you mean {near[0]!r}? " if near else "") + f"allowed: {', '.join(sorted(words)) or 'none'}"


def _contract(family: str) -> Path:
    return _contract_in(PACKAGE, family)


@cache
def _contract_in(package: Path, family: str) -> Path:
    return package / plural(family) / "__init__.py"


def _verb(family: str, kind: str) -> ast.FunctionDef:
    """Return the function that makes a plug-in one of its family."""
    place = _found(PACKAGE, family, kind)
    verb = functions(place).get(verb_of(family, kind))
    if not isinstance(verb, ast.FunctionDef):
        raise PluginError(f"{place} has no function {' or '.join(verbs(family))}; a {family} has one")
    return verb
