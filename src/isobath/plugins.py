"""Plug-ins: a file name is a kind, a signature is a schema, a syntax tree is a fingerprint.

``tasks/k_local.py`` is the task of kind ``k_local``. What a study file may say about it is read
off the keyword-only arguments of its verb, without importing it (it may import torch).
"""

import ast
import difflib
import hashlib
import importlib
import typing
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from isobath import settings

PACKAGE = Path(__file__).parent
VERBS = {
    "task": ("sample", "split"),  # fresh samples without end, or a finite data set in two parts
    "network": ("init",),
    "protocol": ("train",),
    "kernel": ("gram",),
    "construction": ("build",),  # weights known in closed form
    "calculation": ("calculate",),  # numbers of a theory, without training
    "form": ("basis",),
    "figure": ("draw",),
}
# What the caller of a verb provides, and a study file therefore may not.
PROVIDED = {
    "task": {"generator", "files"},
    "network": {"n_inputs", "n_outputs", "depth", "width", "dtype"},
    "protocol": {"loss", "first_epoch"},
    "kernel": {"depth", "diagonal"},
    "construction": set(),
    "calculation": {"generator"},
    "form": {"free"},
    "figure": set(),
}
GLUE = {  # carries data and decides nothing about them
    "isobath",
    "isobath.plugins",
    "isobath.data.downloads",
    "isobath.disk.checkpoints",
    "isobath.disk.layout",
    "isobath.disk.store",
    "isobath.jobs.command_line",
}


class PluginError(ValueError):
    """There is no such plug-in, or it does not have the shape of its family."""


def kinds(family: str) -> list[str]:
    """The names that ``kind:`` may have in a family."""
    return sorted(p.stem for p in (PACKAGE / f"{family}s").glob("*.py") if p.stem != "__init__")


def load(family: str, kind: str) -> ModuleType:
    """Import a plug-in."""
    return importlib.import_module(f"isobath.{family}s.{kind}")


def claims(study: str) -> dict[str, str]:
    """The claims of a study: function -> module, off ``claims/<study>.py`` or the files of ``claims/<study>/``."""
    folder = PACKAGE / "claims" / study
    files = sorted(folder.glob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    return {name: _module(file) for file in files for name in _claims(file)}


def load_claim(study: str, name: str) -> Any:
    """Import a claim (see ``analysis.verdicts``)."""
    return getattr(importlib.import_module(claims(study)[name]), name)


def schema(family: str, kind: str) -> dict[str, tuple[Any, Any]]:
    """The settings of a plug-in: name -> (type, default or ...), off its verb's signature."""
    path, names = _path(family, kind), {**vars(typing), **vars(settings)}
    found = {}
    for name, (written, default) in declared(family, kind).items():
        try:
            found[name] = (eval(written, {**names}), default)  # noqa: S307 (our own source)
        except NameError as error:
            raise PluginError(f"{path}: {name}: {error}; the types of settings.py can be used") from None
    return found


def declared(family: str, kind: str) -> dict[str, tuple[str, Any]]:
    """The same with types as they are written."""
    verb, found = _verb(family, kind), {}
    for argument, default in zip(verb.args.kwonlyargs, verb.args.kw_defaults, strict=True):
        if argument.arg in PROVIDED[family]:
            continue
        if argument.annotation is None:
            raise PluginError(f"{_path(family, kind)}: {argument.arg} of {verb.name} has no type")
        found[argument.arg] = (ast.unparse(argument.annotation), ... if default is None else ast.literal_eval(default))
    return found


def about(family: str, kind: str) -> tuple[str, str]:
    """The first sentence of a plug-in's module, and what its verb says of itself."""
    module = ast.get_docstring(_tree(_path(family, kind))) or ""
    return module.partition("\n")[0], ast.get_docstring(_verb(family, kind)) or ""


def _path(family: str, kind: str) -> Path:
    return PACKAGE / f"{family}s" / f"{kind}.py"


def _verb(family: str, kind: str) -> ast.FunctionDef:
    """The function that makes a plug-in one of its family."""
    if kind not in kinds(family):
        raise PluginError(f"there is no {family} of kind {kind!r}; {nearest(kind, kinds(family))}")
    verb = _functions(_path(family, kind)).get(verb_of(family, kind))
    if not isinstance(verb, ast.FunctionDef):
        raise PluginError(
            f"{_path(family, kind)} has no function {' or '.join(VERBS[family])}, which makes it a {family}"
        )
    return verb


def verb_of(family: str, kind: str) -> str:
    """Which of its family's verbs a plug-in has; the first if none."""
    functions = _functions(_path(family, kind))
    return next((verb for verb in VERBS[family] if verb in functions), VERBS[family][0])


def literal(family: str, kind: str, name: str, default: Any = None) -> Any:
    """A constant of a plug-in, such as the ``FILES`` of a task or the ``SIZE`` of a network; read, not imported."""
    node = _functions(_path(family, kind)).get(name)
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    return default if value is None else ast.literal_eval(value)


def files(kind: str) -> tuple[str, ...]:
    """The data files that a task reads."""
    return tuple(literal("task", kind, "FILES", ()))


def check(family: str, kind: str, values: dict[str, Any]) -> None:
    """Let a plug-in with a function ``check`` refuse settings that contradict each other (ValueError)."""
    if "check" in _functions(_path(family, kind)):
        load(family, kind).check(**values)


def accept(construction: dict[str, Any], task: dict[str, Any]) -> None:
    """Let a construction (its kind and settings) with a function ``accept`` refuse a task (ValueError)."""
    settings = dict(construction)
    kind = settings.pop("kind")
    if "accept" in _functions(_path("construction", kind)):
        load("construction", kind).accept(task, **settings)


def ends(task: dict[str, Any]) -> tuple[int, int] | None:
    """Features and classes of a task (its kind and settings) that has a function ``ends`` to say so."""
    settings = dict(task)
    kind = settings.pop("kind")
    if "ends" not in _functions(_path("task", kind)):
        return None
    features, classes = load("task", kind).ends(**settings)
    return features, classes


def nearest(word: str, words: typing.Collection[str]) -> str:
    """'did you mean ...?' where a word is near, and what is allowed."""
    near = difflib.get_close_matches(word, words, n=1)
    return (f"did you mean {near[0]!r}? " if near else "") + f"allowed: {', '.join(sorted(words)) or 'none'}"


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _functions(path: Path) -> dict[str, ast.FunctionDef | ast.Assign | ast.AnnAssign]:
    """Top-level functions, and names that are assigned (``check = other.check``)."""
    if not path.is_file():
        return {}
    body = _tree(path).body
    plain = {t.id: n for n in body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    typed = {n.target.id: n for n in body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
    return {**plain, **typed, **{n.name: n for n in body if isinstance(n, ast.FunctionDef)}}


def _claims(file: Path) -> list[str]:
    """Functions that are decorated with ``@claim``."""
    return [
        name
        for name, function in _functions(file).items()
        if isinstance(function, ast.FunctionDef)
        and any(getattr(getattr(d, "func", None), "id", "") == "claim" for d in function.decorator_list)
    ]


def _module(file: Path) -> str:
    return ".".join(("isobath", *file.relative_to(PACKAGE).with_suffix("").parts))


def fingerprint(stage: str, spec: dict[str, Any]) -> str:
    """What a job's code means: a digest of its stage, its plug-ins and all they import from isobath.

    Blind to comments, docstrings and layout; glue is left out, since it only carries data.
    """
    roots = (f"isobath.stages.{stage}", *sorted(_named(spec)))
    digest = hashlib.sha256()
    for module in sorted(set().union(*map(_closure, roots)) - GLUE):
        digest.update(f"{module}\0{_meaning(module)}\0".encode())
    return digest.hexdigest()[:16]


def _named(spec: Any) -> typing.Iterator[str]:
    """The plug-ins that a spec names: every ``{family: {"kind": ...}}`` in it, at any depth, and claims of a study."""
    if isinstance(spec, dict):
        for key, value in spec.items():
            if key in VERBS and isinstance(value, dict) and "kind" in value:
                yield f"isobath.{key}s.{value['kind']}"
            if key == "claims":
                yield from (claims(spec["study"])[name] for name in value)
            yield from _named(value)


def _file(module: str) -> Path | None:
    base = PACKAGE.parent.joinpath(*module.split("."))
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


@cache
def _closure(module: str) -> frozenset[str]:
    """A module and all it imports from isobath, directly or not."""
    seen: set[str] = set()
    todo = [module]
    while todo:
        name = todo.pop()
        path = _file(name)
        if path is None or name in seen or not name.startswith("isobath"):
            continue
        seen.add(name)
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.Import):
                todo += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                # from ..x import y: as many packages up as there are dots
                above = (name if path.stem == "__init__" else name.rpartition(".")[0]).split(".")
                package = above[: len(above) - node.level + 1] if node.level else []
                origin = ".".join([*package, *([node.module] if node.module else [])])
                todo += [origin, *(f"{origin}.{alias.name}" for alias in node.names)]
    return frozenset(seen)


@cache
def _meaning(module: str) -> str:
    """The source without comments, docstrings and layout; of a package, its templates and stylesheets as well."""
    path = _file(module)
    tree = ast.parse(path.read_text(encoding="utf-8") if path else "")
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            node.body = node.body[1:] or [ast.Pass()]
    beside = path.parent.iterdir() if path and path.stem == "__init__" else ()
    words = [file.read_text(encoding="utf-8") for file in sorted(beside) if file.suffix in (".html", ".css")]
    return "\0".join([ast.unparse(tree), *words])
